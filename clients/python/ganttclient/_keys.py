"""The API key of a client, which can be replaced while a program runs."""

from __future__ import annotations

import re
import threading
from typing import Any, Callable, Union

from ganttclient import _retry, exceptions

#: An API key, or a function that reads it, for example from a file.  The
#: function is called before the first call, and again each time the service
#: refuses the present key.
KeySource = Union[str, Callable[[], str], None]

#: The keys that the service draws.
_OF_SERVICE = re.compile(r"gantt_[A-Za-z0-9_-]{32,}")
_NOT_SENT = re.compile(r"[^\t\x20-\x7e]")


class Keyring:
    """Keeps the key that the source returned.  It is safe for threads."""

    def __init__(self, source: KeySource) -> None:
        self._source = source
        self._lock = threading.Lock()
        self._kept: str | None = None
        #: All keys that the source returned: none may be shown.
        self._used: set[str] = set()
        _retry.watch_forks(self)

    def _after_fork(self) -> None:
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return "<Keyring>"

    def present(self) -> str | None:
        """Return the present key, or None if the client has none.

        :raises KeySourceError: if the source failed, or returned a key
            that a header cannot contain
        """
        with self._lock:
            if self._kept is None:
                self._kept = self._read()
            return self._kept

    def instead_of(self, refused: str | None) -> str | None:
        """Read the key again after the service refused it.

        If several calls are refused together, the source is read once.

        :returns: None if the source still returns the refused key
        """
        if not callable(self._source):
            return None
        with self._lock:
            if self._kept == refused:
                self._kept = self._read()
            return None if self._kept == refused else self._kept

    def hide(self, text: str) -> str:
        """Return a text in which keys are replaced by stars.

        These are all keys so far, and what looks like a key of the service.
        """
        for key in sorted(self._used, key=len, reverse=True):
            text = text.replace(key, "***")
        return _OF_SERVICE.sub("***", text)

    def hide_in(self, value: Any) -> Any:
        """Return a JSON value in whose texts all keys are replaced."""
        if isinstance(value, str):
            return self.hide(value)
        if isinstance(value, list):
            return [self.hide_in(one) for one in value]
        if isinstance(value, dict):
            return {
                self.hide(name): self.hide_in(one)
                for name, one in value.items()
            }
        return value

    def _read(self) -> str | None:
        key: object = self._source
        failure: str | None = None
        if callable(key):
            try:
                key = key()
            # Whatever it raises is raised below, without the key.
            except Exception as error:  # noqa: BLE001
                failure = f"{type(error).__name__}: {self.hide(str(error))}"
        # The error of the source can contain the key, so it is not a cause.
        if failure is not None:
            raise exceptions.KeySourceError(
                f"no usable API key: its source failed with {failure}"
            )
        if key is None:
            return None
        if not isinstance(key, str):
            raise exceptions.KeySourceError(
                "no usable API key: a str was expected, the source returned"
                f" {type(key).__name__}"
            )
        # The message must not contain the key, so it says only what is wrong.
        if _NOT_SENT.search(key.strip()):
            raise exceptions.KeySourceError(
                "no usable API key: it contains a line break or another"
                " character that an HTTP header cannot contain"
            )
        if key.strip():
            self._used.add(key.strip())
        return key.strip()

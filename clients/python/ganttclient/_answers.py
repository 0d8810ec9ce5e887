"""Reads the answers of the service, and refuses those of proxies."""

from __future__ import annotations

import json
from typing import Any, Callable

from ganttclient import exceptions, faults
from ganttclient._keys import Keyring

#: What an error of the service may have in ``extensions``.
_EXTENSIONS: dict[str, Callable[[Any], bool]] = {
    "code": lambda value: isinstance(value, str),
    "retryAfterMs": lambda value: isinstance(value, (int, float)),
    "issues": lambda value: (
        isinstance(value, list) and all(isinstance(one, dict) for one in value)
    ),
}


class Source:
    """Where an answer came from.

    :param url: the address of the endpoint
    :param status: the HTTP status of the answer
    :param wait: the header Retry-After in seconds
    """

    def __init__(
        self, url: str, status: int, wait: float | None, keys: Keyring
    ) -> None:
        self.url = url
        self.status = status
        self.wait = wait
        self.keys = keys

    def refuse(self, what: str) -> exceptions.ProtocolError:
        """Return the error for an answer that is not of the service."""
        return exceptions.ProtocolError(
            f"{self.url} answered {self.status} with {what}",
            self.status,
            self.wait,
        )


class Data(dict[str, Any]):
    """The data of an answer.  It must have every field that is read."""

    def __init__(self, data: dict[str, Any], source: Source) -> None:
        super().__init__(data)
        self._source = source

    def __missing__(self, field: str) -> Any:
        raise self._source.refuse(
            f"data without the field {field} of the call; a GraphQL answer"
            " of the service must have it"
        )


def read(source: Source, text: bytes, kind: str) -> Data:
    """Return the data of a complete answer, or raise its errors.

    :param kind: the content type
    """
    try:
        answer = json.loads(text.decode("utf-8"))
    except ValueError:
        if source.status < 300 and "json" in kind:
            raise exceptions.UnreachableError(
                f"{source.url} answered {source.status} with half of a JSON"
                " document"
            ) from None
        start = text[:4096].decode("utf-8", "replace")
        shown = source.keys.hide(start)[:80]
        raise source.refuse(f"{shown!r}; it must be JSON") from None
    data = data_of(source, answer)
    if data is None:
        raise source.refuse("neither data nor errors")
    return data


def data_of(source: Source, answer: Any) -> Data | None:
    """Return the data of an answer or an event, or raise its errors.

    :returns: None if it has neither
    """
    if not isinstance(answer, dict):
        return None
    errors = answer.get("errors")
    if errors:
        if not isinstance(errors, list) or not all(map(_is_error, errors)):
            raise source.refuse(
                "errors that are not those of GraphQL; they must be a list of"
                " objects with a message"
            )
        hidden = source.keys.hide_in(errors)
        raise faults.of_faults(hidden, source.status, source.wait)
    data = answer.get("data")
    if data is None:
        return None
    if not isinstance(data, dict):
        raise source.refuse("data that is no object; it must be one")
    return Data(data, source)


def _is_error(error: Any) -> bool:
    if not isinstance(error, dict):
        return False
    extensions = error.get("extensions")
    if extensions is None:
        extensions = {}
    return (
        isinstance(error.get("message"), str)
        and isinstance(extensions, dict)
        and all(
            extensions.get(name) is None or is_valid(extensions[name])
            for name, is_valid in _EXTENSIONS.items()
        )
    )

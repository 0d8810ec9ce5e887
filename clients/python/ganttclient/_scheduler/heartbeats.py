"""Signs of life of the hosts that a scheduler client has reported."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence

from ganttclient import _retry, exceptions
from ganttclient._reports import ReportCalls
from ganttclient._scheduler.notices import Notices
from ganttclient.models import Name

#: How often heartbeats are sent, in seconds: at least three times within the
#: time after which it treats a host as silent.
INTERVAL = 20.0
#: The time limit of one call, in seconds.
DEADLINE = 10.0
#: The most hosts of one call.
MOST = 1_000


class Heartbeats:
    """Says that hosts are alive as long as the program runs.

    Nova's compute service reports a host only when its figures change.

    :param calls: the calls of the service
    :param seconds: how often it is said; never if None
    """

    def __init__(
        self, calls: ReportCalls, seconds: float | None, notices: Notices
    ) -> None:
        if seconds is not None and not seconds > 0:
            raise ValueError(
                f"heartbeat is {seconds!r}; it must be a number of seconds"
                " above 0, or None"
            )
        self._calls = calls
        self._seconds = seconds
        self._notices = notices
        self._lock = threading.Lock()
        self._hosts: dict[tuple[str, ...], Name] = {}
        self._over: threading.Event | None = None
        _retry.watch_forks(self)

    def _after_fork(self) -> None:
        # The hosts are those of the parent, which speaks for them.
        self._lock = threading.Lock()
        self._hosts = {}
        self._over = None

    def add(self, known: tuple[str, ...], name: Name) -> None:
        """Begin to say that a host is alive.

        :param known: what identifies the host
        """
        if self._seconds is None:
            return
        with self._lock:
            self._hosts[known] = name
            if self._over is not None:
                return
            self._over = threading.Event()
            threading.Thread(
                target=_run,
                args=(weakref.ref(self), self._over, self._seconds),
                name="ganttclient-heartbeats",
                daemon=True,
            ).start()

    def close(self) -> None:
        """Say nothing more, until a host is added again."""
        with self._lock:
            self._hosts = {}
            if self._over is not None:
                self._over.set()
            self._over = None

    def send(self) -> None:
        """Say that all hosts are alive, now."""
        with self._lock:
            names = list(self._hosts.values())
        for at in range(0, len(names), MOST):
            self._send(names[at : at + MOST])

    def _send(self, names: Sequence[Name]) -> None:
        try:
            self._calls.heartbeat(*names, deadline=DEADLINE)
        except exceptions.GanttError as error:
            self._notices.give(f"heartbeats of hosts fail: {error}")


def _run(
    of: weakref.ref[Heartbeats], over: threading.Event, seconds: float
) -> None:
    # The thread must not keep a client that its program has forgotten.
    while not over.wait(seconds):
        heartbeats = of()
        if heartbeats is None:
            return
        heartbeats.send()
        del heartbeats

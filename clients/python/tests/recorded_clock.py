"""A clock that does not wait, and keeps how long it should have waited."""

from __future__ import annotations

import threading
import time

from ganttclient import Clock, Stop


class RecordedClock(Clock):
    """Time passes as on this machine, but each pause ends at once."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self._lock = threading.Lock()
        self._ahead = 0.0

    def now(self) -> float:
        return time.monotonic() + self._ahead

    def random(self) -> float:
        return 0.5

    def wait(self, seconds: float, stop: Stop) -> None:
        stop.check()
        with self._lock:
            self.waits.append(seconds)
            self._ahead += seconds

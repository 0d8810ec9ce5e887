"""Sends a slow call a second time, to another endpoint."""

from __future__ import annotations

import math
import queue
import threading
from collections import deque
from typing import Any, Callable

from ganttclient import _retry
from ganttclient._retry import Stop

#: How many recent answers are considered.
RECENT = 100
#: No call is sent twice before this many answers are known.
LEAST = 20
#: At most one call in this many is sent twice.
ONE_IN = 20

Data = dict[str, Any]


class Hedging:
    """Decides when a call with an idempotency key is sent a second time.

    It keeps how long recent attempts of each operation took until their
    answer, and is safe for threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._durations: dict[str, deque[float]] = {}
        #: Each call adds 1, and a second copy of a call costs ONE_IN.
        self._budget = 0
        _retry.watch_forks(self)

    def _after_fork(self) -> None:
        self._lock = threading.Lock()

    def begin(self, operation: str) -> float | None:
        """Count a call; return after how many seconds it counts as slow.

        :returns: the 95th percentile of recent answers, or None if too few
            answers are known
        """
        with self._lock:
            self._budget = min(ONE_IN, self._budget + 1)
            known = self._durations.get(operation, ())
            if len(known) < LEAST:
                return None
            return sorted(known)[math.ceil(0.95 * len(known)) - 1]

    def may_hedge(self) -> bool:
        """Return whether a slow call may be sent again, and count it."""
        with self._lock:
            if self._budget < ONE_IN:
                return False
            self._budget -= ONE_IN
            return True

    def add(self, operation: str, duration: float) -> None:
        """Keep how long an attempt took until its answer, in seconds."""
        with self._lock:
            known = self._durations.setdefault(operation, deque(maxlen=RECENT))
            known.append(duration)


class Race:
    """One attempt that may be sent to two endpoints.

    The first answer that is a success counts, and the other call is ended.
    A refusal and an error wait for the other call, which may have claimed
    resources.

    :param stop: ends both calls
    :param is_success: whether an answer ends the race
    """

    def __init__(self, stop: Stop, is_success: Callable[[Data], bool]) -> None:
        self._stop = stop
        self._is_success = is_success
        self._ended: queue.Queue[tuple[Data | None, BaseException | None]] = (
            queue.Queue()
        )
        self._stops: list[Stop] = []

    def run(
        self,
        first: Callable[[Stop], Data],
        slow: float,
        second: Callable[[], Callable[[Stop], Data] | None],
        on_failure: Callable[[BaseException], None],
    ) -> Data:
        """Run the first call, and the second one if the first is slow.

        :param slow: after how many seconds the second call begins
        :param second: returns the second call, or None if there is none
        :returns: the answer of the attempt
        """
        registered = self._stop.add(self._end)
        try:
            self._start(first)
            outcomes = []
            try:
                outcomes.append(self._ended.get(timeout=slow))
            except queue.Empty:
                other = second()
                if other is not None:
                    self._start(other)
                outcomes.append(self._ended.get())
            while not self._is_won(outcomes[-1][0]):
                if len(outcomes) == len(self._stops):
                    break
                outcomes.append(self._ended.get())
            return self._result(outcomes, on_failure)
        finally:
            self._stop.remove(registered)
            self._end()

    def _is_won(self, data: Data | None) -> bool:
        return data is not None and self._is_success(data)

    def _result(
        self,
        outcomes: list[tuple[Data | None, BaseException | None]],
        on_failure: Callable[[BaseException], None],
    ) -> Data:
        last = outcomes[-1][0]
        if last is not None and self._is_success(last):
            return last
        errors = [error for _, error in outcomes if error is not None]
        for error in errors:
            on_failure(error)
        # A refusal is no answer as long as the other copy may have claimed:
        # the call is sent again, and its claim becomes the answer.
        for error in errors:
            if _retry.may_have_happened(error):
                raise error
        for data, _ in outcomes:
            if data is not None:
                return data
        raise errors[0]

    def _start(self, call: Callable[[Stop], Data]) -> None:
        stop = Stop()
        self._stops.append(stop)
        if self._stop.is_set():
            stop.set()
        threading.Thread(
            target=self._run,
            args=(call, stop),
            name="ganttclient-call",
            daemon=True,
        ).start()

    def _run(self, call: Callable[[Stop], Data], stop: Stop) -> None:
        try:
            data = call(stop)
        # Whatever ends the call is raised in the thread that waits for it.
        except BaseException as error:  # noqa: BLE001
            self._ended.put((None, error))
        else:
            self._ended.put((data, None))

    def _end(self) -> None:
        for stop in list(self._stops):
            stop.set()

"""Repeats calls until they are answered or their deadline has passed.

Also what all calls share: the clock, stops, and what a fork() changes.
"""

from __future__ import annotations

import os
import random
import threading
import time
import weakref
from dataclasses import dataclass, field
from typing import Callable, Generic, Protocol, TypeVar

from ganttclient import exceptions

Answer = TypeVar("Answer")

#: The time limit of all attempts of a call together, in seconds.
DEADLINE = 30.0
#: The time limit of one attempt, in seconds: slightly more than the time
#: after which the service itself ends a call.
ATTEMPT = 12.0
FIRST_PAUSE = 0.1
MAX_PAUSE = 5.0
#: HTTP statuses with which a proxy says that a retry can succeed.
PASSING = frozenset((408, 425, 429, 502, 503, 504))


class Stop:
    """Lets another thread end a call.

    A call that was given a stop raises Stopped when :meth:`set` is called.
    """

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: dict[int, Callable[[], None]] = {}
        self._next = 0

    def set(self) -> None:
        """End the calls that were given this stop."""
        with self._lock:
            self._event.set()
            callbacks = list(self._callbacks.values())
            self._callbacks.clear()
        for callback in callbacks:
            callback()

    def is_set(self) -> bool:
        """Return whether :meth:`set` was called."""
        return self._event.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait for :meth:`set`; return whether it was called."""
        return self._event.wait(seconds)

    def check(self) -> None:
        """Raise Stopped if :meth:`set` was called."""
        if self._event.is_set():
            raise exceptions.Stopped("the call was stopped by its caller")

    def add(self, callback: Callable[[], None]) -> int:
        """Have :meth:`set` call a function; return an id for remove()."""
        with self._lock:
            self._next += 1
            number = self._next
            if not self._event.is_set():
                self._callbacks[number] = callback
                return number
        callback()
        return number

    def remove(self, number: int) -> None:
        """Undo :meth:`add`."""
        with self._lock:
            self._callbacks.pop(number, None)


@dataclass(frozen=True)
class CallOptions:
    """The time limits of a call, and how it is stopped.

    :ivar deadline: limit of all attempts and pauses together, in seconds
    :ivar attempt_timeout: limit of one attempt, in seconds
    :ivar stop: ends the call when it is set
    """

    deadline: float = DEADLINE
    attempt_timeout: float = ATTEMPT
    stop: Stop = field(default_factory=Stop)


class Clock:
    """The sources of time and randomness.  Tests replace them."""

    def now(self) -> float:
        """Return the seconds since any moment; they never go back."""
        return time.monotonic()

    def wait(self, seconds: float, stop: Stop) -> None:
        """Wait, or raise Stopped if the stop is set before."""
        stop.wait(seconds)
        stop.check()

    def random(self) -> float:
        """Return a number from 0 up to 1."""
        return random.random()


class AskAgain(Generic[Answer]):
    """An answer after which the call is to be sent again.

    It is the result only if no time is left for a retry.

    :ivar answer: the answer
    :ivar after: the least pause before a retry, whatever the endpoint
    """

    def __init__(self, answer: Answer, after: float) -> None:
        self.answer = answer
        self.after = after


def may_have_happened(error: BaseException) -> bool:
    """Return whether a call that failed may have taken effect."""
    if isinstance(error, (exceptions.ServiceError, exceptions.ProtocolError)):
        return error.status < 400 or error.status == 408 or error.status >= 500
    if isinstance(error, exceptions.UnreachableError):
        return error.sent
    return not isinstance(error, exceptions.KeySourceError)


def retry_after(error: BaseException) -> float | None:
    """Return the least pause before a retry, in seconds.

    :returns: None if a retry would fail in the same way
    """
    if isinstance(error, exceptions.UnreachableError):
        return 0.0
    if isinstance(error, exceptions.ProtocolError):
        return (error.retry_after or 0.0) if error.status in PASSING else None
    if not isinstance(error, exceptions.ServiceError) or not error.faults:
        return None
    for fault in error.faults:
        if not (fault.get("extensions") or {}).get("retryable"):
            return None
    return error.retry_after or 0.0


def pause_after(failures: int, drawn: float) -> float:
    """Return a random pause whose bound doubles with each failure."""
    return drawn * min(MAX_PAUSE, FIRST_PAUSE * 2.0 ** min(failures, 30))


def repeat(
    attempt: Callable[[float], Answer | AskAgain[Answer]],
    clock: Clock,
    options: CallOptions,
    ready_in: Callable[[], float],
    on_failure: Callable[[BaseException], None],
) -> Answer:
    """Repeat an attempt that is safe to repeat.

    There is no further attempt if the pause before it would last until the
    deadline.

    :param attempt: called with its time limit in seconds
    :param ready_in: returns in how many seconds an endpoint may be called
    :param on_failure: called with the error of each failed attempt
    :returns: the answer of the last attempt
    """
    end = clock.now() + options.deadline
    failures = 0
    while True:
        options.stop.check()
        limit = min(options.attempt_timeout, end - clock.now())
        failure: BaseException | None = None
        later: AskAgain[Answer] | None = None
        after: float | None
        try:
            answer = attempt(max(0.001, limit))
            if not isinstance(answer, AskAgain):
                return answer
            later = answer
            after = answer.after
        except exceptions.GanttError as error:
            on_failure(error)
            failure = error
            after = None if retry_after(error) is None else 0.0
        if after is not None:
            pause = max(after, ready_in())
            pause += pause_after(failures, clock.random())
            if clock.now() + pause < end:
                failures += 1
                clock.wait(pause, options.stop)
                continue
        if later is not None:
            return later.answer
        if failure is not None:
            raise failure


class Forked(Protocol):
    """An object whose state belongs to one process."""

    def _after_fork(self) -> None:
        """Forget the state of the parent.  Called in the child."""


#: The objects whose state belongs to one process.
_known: weakref.WeakSet[Forked] = weakref.WeakSet()


def watch_forks(one: Forked) -> None:
    """Have the method ``_after_fork`` called in each forked child.

    No thread of the parent runs in the child, so a lock that such a thread
    held is never released there: the method must replace locks.
    """
    _known.add(one)


def _in_child() -> None:
    for one in list(_known):
        one._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)

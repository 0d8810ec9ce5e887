"""Streams of events that continue after a lost connection."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator, Mapping
from typing import Any, Callable, Generic, TypeVar

from ganttclient import _documents, _retry, _transport, exceptions, models
from ganttclient._caller import Caller
from ganttclient._endpoints import Choice

Event = TypeVar("Event", bound="models.HostChange | models.DecisionEvent")


class Stream(Generic[Event]):
    """Events, for a ``for`` loop.

    A broken stream is opened again until it is closed.  An error that would
    recur is raised, such as a missing scope or an invalid filter.  A stream
    is for one reader; :meth:`close` may be called by any thread.
    """

    def __init__(
        self,
        caller: Caller,
        query: str,
        variables: Mapping[str, Any],
        read: Callable[[dict[str, Any]], Event],
        *,
        after: str | None,
        silent: float,
        on_break: Callable[[Exception], None] | None,
    ) -> None:
        self._caller = caller
        self._query = query
        self._variables = variables
        self._read = read
        self._silent = silent
        self._on_break = on_break
        self._stop = _retry.Stop()
        #: The revision after which the stream continues.
        self.after = after
        #: Whether the stream begins with new events.
        self._is_new = after is None
        self._events = self._follow()
        #: Held by the thread that is in the generator.
        self._reading = threading.Lock()

    def __iter__(self) -> Iterator[Event]:
        return self

    def __next__(self) -> Event:
        with self._reading:
            return next(self._events)

    def __enter__(self) -> Stream[Event]:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the stream, even while another thread waits for an event."""
        self._stop.set()
        # If a thread waits for an event, the stop has closed its connection,
        # so that thread ends the generator.
        if self._reading.acquire(blocking=False):
            try:
                self._events.close()
            finally:
                self._reading.release()

    def _follow(self) -> Generator[Event, None, None]:
        clock = self._caller.clock
        endpoints = self._caller.endpoints
        failures = 0
        known = _Once()
        #: The endpoints that were tried since the last event.
        choice = Choice(endpoints, clock)
        while not self._stop.is_set():
            endpoint = choice.next()
            began = clock.now()
            try:
                for event in self._connect(endpoint):
                    if failures:
                        choice = Choice(endpoints, clock)
                    failures = 0
                    endpoints.answered(endpoint, began)
                    is_new = known.is_new(event)
                    self.after = _before(known.revision)
                    if is_new:
                        yield event
                raise exceptions.UnreachableError(
                    f"{endpoint.url}: the stream ended"
                )
            except exceptions.Stopped:
                return
            except exceptions.GanttError as error:
                if self._stop.is_set():
                    return
                pause = _retry.retry_after(error)
                if pause is None:
                    raise
                endpoints.failed(endpoint, began, error)
                choice.failed(endpoint, error)
                if self._on_break is not None:
                    self._on_break(error)
                pause = choice.ready_in()
                pause += _retry.pause_after(failures, clock.random())
                failures += 1
                self._stop.wait(pause)

    def _connect(self, endpoint: Any) -> Iterator[Event]:
        if self.after is None:
            self.after = self._present_revision(endpoint)
        # If it breaks before its first event, it continues from there.
        after = None if self._is_new else self.after
        self._is_new = False
        variables = {**self._variables, "after": after}
        body = _transport.body_of(self._query, variables)
        opened = _transport.stream(
            endpoint, self._caller.keys, body, self._silent, self._stop
        )
        for data in opened:
            yield self._read(data)

    def _present_revision(self, endpoint: Any) -> str:
        caller = self._caller
        body = _transport.body_of(_documents.STREAM_START, {})
        data = _transport.send(
            endpoint, caller.keys, body, self._silent, self._stop
        )
        return str(data["health"]["revision"])


class _Once:
    """Finds events that were delivered before a break.

    A stream that is opened again at a replica that is behind begins with
    changes that were delivered already.
    """

    def __init__(self) -> None:
        #: The last revision that was delivered.
        self.revision = 0
        self._seen: set[tuple[Any, Any]] = set()

    def is_new(self, event: models.HostChange | models.DecisionEvent) -> bool:
        revision = int(event.revision)
        if not isinstance(event, models.HostChange):
            self.revision = revision
            return True
        if revision < self.revision:
            return False
        if revision > self.revision:
            self.revision = revision
            self._seen = set()
        if event.host is None:
            return True
        name = (event.host.get("name"), event.host.get("node"))
        if name in self._seen:
            return False
        self._seen.add(name)
        return True


def _before(revision: int) -> str:
    """Return the revision before.

    Several events can have the same revision, and the stream can break
    between two of them, so it continues one revision earlier.
    """
    return str(max(0, revision - 1))

"""Streams and held claims for asyncio."""

from __future__ import annotations

import asyncio
import queue
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any, Callable, Generic

from ganttclient import exceptions, models
from ganttclient._retry import Stop
from ganttclient._stream import Event, Stream
from ganttclient.hold import Hold

if TYPE_CHECKING:
    from types import TracebackType

    from ganttclient.client import Client


def in_background(
    pool: ThreadPoolExecutor, call: Callable[..., None], *arguments: Any
) -> None:
    """Run a call in a thread of the pool, or of its own if that is closed."""
    try:
        pool.submit(call, *arguments)
    except RuntimeError:
        threading.Thread(target=call, args=arguments).start()


class AsyncStream(Generic[Event]):
    """Events, for an ``async for`` loop.

    A stream is for one reader, and has a thread of its own, which does not
    keep the program running.  A reader that is cancelled, for example by a
    time limit, loses no event.  close() ends the stream, and so does close()
    of the client.
    """

    def __init__(self, stream: Stream[Event]) -> None:
        self._stream = stream
        self._asked: queue.SimpleQueue[Future[Event | None] | None]
        self._asked = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        #: Guards that nothing is asked after the request to end.
        self._lock = threading.Lock()
        self._closed = False
        #: What the reader waits for, or waited for when it was cancelled.
        self._pending: Future[Event | None] | None = None

    def __aiter__(self) -> AsyncStream[Event]:
        return self

    async def __anext__(self) -> Event:
        if self._thread is None:
            self._thread = threading.Thread(
                target=self._read, name="ganttclient-stream", daemon=True
            )
            self._thread.start()
        with self._lock:
            if self._closed:
                raise StopAsyncIteration
            asked = self._pending
            if asked is None or asked.cancelled():
                asked = self._pending = Future()
                self._asked.put(asked)
        # If this is cancelled, the event is for the next reader.
        event = await asyncio.wrap_future(asked)
        self._pending = None
        if event is None:
            raise StopAsyncIteration
        return event

    async def __aenter__(self) -> AsyncStream[Event]:
        return self

    async def __aexit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the stream."""
        with self._lock:
            self._closed = True
            self._asked.put(None)
        self._stream.close()

    def _read(self) -> None:
        while True:
            asked = self._asked.get()
            if asked is None:
                return
            if not asked.set_running_or_notify_cancel():
                continue
            try:
                asked.set_result(next(self._stream, None))
            # Whatever ends the stream is raised in its reader.
            except BaseException as error:  # noqa: BLE001
                asked.set_exception(error)


class AsyncHold:
    """Holds a claim while an ``async with`` block runs.

    See ``AsyncClient.hold``.  The block gets a :class:`ganttclient.Hold`.
    """

    def __init__(
        self,
        client: Client,
        pool: ThreadPoolExecutor,
        spec: Mapping[str, Any] | models.Placement | None,
        options: dict[str, Any],
    ) -> None:
        self._client = client
        self._pool = pool
        self._spec = spec
        self._options = options
        self._hold: Hold | None = None
        self._task: asyncio.Task[Any] | None = None
        self._is_cancelled = False

    async def __aenter__(self) -> Hold:
        loop = asyncio.get_running_loop()
        options = dict(self._options)
        stop = Stop()
        if not isinstance(self._spec, models.Placement):
            options["stop"] = stop
        given = options.pop("on_lost", None)

        def on_lost(lost: exceptions.RoomLost) -> None:
            loop.call_soon_threadsafe(self._cancel)
            if given is not None:
                given(lost)

        hold = self._client.hold(self._spec, on_lost=on_lost, **options)
        self._task = asyncio.current_task()
        begun = self._pool.submit(hold.__enter__)
        try:
            found: Hold = await asyncio.wrap_future(begun)
            self._hold = found
        except asyncio.CancelledError as error:
            stop.set()
            in_background(self._pool, _undo, error, begun)
            raise
        if hold.is_lost:
            self._cancel()
        return hold

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        task, self._task = self._task, None
        hold = self._hold
        if hold is None or not hold.is_own:
            return
        ending = asyncio.wrap_future(
            self._pool.submit(hold.__exit__, kind, error, traceback)
        )
        try:
            # If somebody cancels this, the end goes on in its thread.
            await asyncio.shield(ending)
        finally:
            is_by_others = self._is_cancelled and _uncancel(task)
        is_ours = self._is_cancelled and not is_by_others
        if is_ours and isinstance(error, asyncio.CancelledError):
            hold.check()

    def _cancel(self) -> None:
        """Cancel the block, if it has begun and is still running."""
        if self._task is None or self._hold is None or self._is_cancelled:
            return
        self._is_cancelled = True
        self._task.cancel()


def _uncancel(task: asyncio.Task[Any] | None) -> bool:
    """Take back our cancellation; return whether there is another one."""
    if sys.version_info >= (3, 11) and task is not None:
        return task.uncancel() > 0
    return False


def _undo(error: BaseException, begun: Future[Hold]) -> None:
    """Release what the beginning of a cancelled block has claimed."""
    wait([begun])
    if not begun.cancelled() and begun.exception() is None:
        begun.result().__exit__(type(error), error, None)

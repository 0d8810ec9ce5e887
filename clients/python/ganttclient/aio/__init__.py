"""The client for asyncio.  Its calls run in threads."""

from __future__ import annotations

import asyncio
import functools
import ssl
import weakref
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ganttclient import _retry
from ganttclient._keys import KeySource
from ganttclient._retry import Clock
from ganttclient.aio._blocks import AsyncStream
from ganttclient.aio._fleet import AsyncFleetCalls
from ganttclient.aio._placement import AsyncPlacementCalls
from ganttclient.client import Client

#: How many calls are in progress at most; further calls wait.
THREADS = 32


class AsyncClient(AsyncPlacementCalls, AsyncFleetCalls):
    """The calls of :class:`ganttclient.Client`, as coroutines.

    A cancelled call is stopped.  If it might have claimed resources under a
    key that the caller does not know, they are released.

    :param url: as in Client
    :param key: as in Client; a function is called in a thread
    :param threads: how many calls are in progress at most

    The other arguments are as in Client.
    """

    def __init__(
        self,
        url: str | Sequence[str],
        key: KeySource = None,
        *,
        deadline: float = _retry.DEADLINE,
        attempt_timeout: float = _retry.ATTEMPT,
        for_project: bool = False,
        hedge: bool = True,
        ssl_context: ssl.SSLContext | None = None,
        clock: Clock | None = None,
        threads: int = THREADS,
    ) -> None:
        self.client = Client(
            url,
            key,
            deadline=deadline,
            attempt_timeout=attempt_timeout,
            for_project=for_project,
            hedge=hedge,
            ssl_context=ssl_context,
            clock=clock,
        )
        self._pool = ThreadPoolExecutor(threads, "ganttclient")
        self._streams: weakref.WeakSet[AsyncStream[Any]] = weakref.WeakSet()

    def __repr__(self) -> str:
        return repr(self.client).replace("<Client", "<AsyncClient", 1)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End the streams, wait for the calls, and close the connections."""
        for stream in list(self._streams):
            stream.close()
        shutdown = functools.partial(self._pool.shutdown, wait=True)
        await asyncio.get_running_loop().run_in_executor(None, shutdown)
        self.client.close()

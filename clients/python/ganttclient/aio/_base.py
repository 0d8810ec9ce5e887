"""How the calls of the asyncio client run in threads."""

from __future__ import annotations

import asyncio
import functools
import uuid
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, Callable, TypeVar

from ganttclient import exceptions
from ganttclient._keyed import ABANDON
from ganttclient._retry import Stop
from ganttclient.aio._blocks import in_background
from ganttclient.client import Client
from ganttclient.hold import LOG
from ganttclient.models import Placement

Result = TypeVar("Result")


class AsyncBase:
    """Runs the calls of a client in threads."""

    #: The client whose calls run in the threads.
    client: Client
    _pool: ThreadPoolExecutor

    async def run(
        self, call: Callable[..., Result], *arguments: Any, **options: Any
    ) -> Result:
        """Run a call of the client in a thread; stop it if cancelled."""
        stop = Stop()
        try:
            return await asyncio.wrap_future(
                self._pool.submit(call, *arguments, stop=stop, **options)
            )
        except asyncio.CancelledError:
            stop.set()
            raise

    async def _keyed(
        self,
        call: Callable[..., Placement],
        given: str | None,
        *arguments: Any,
        **options: Any,
    ) -> Placement:
        """Run a call with a key; release its claims if it is cancelled.

        :param given: the idempotency key of the caller.  It knows the key, so
            nothing is released
        """
        if given is not None:
            options["idempotency_key"] = given
            return await self.run(call, *arguments, **options)
        key = str(uuid.uuid4())
        stop = Stop()
        call = functools.partial(call, *arguments, stop=stop, **options)
        future = self._pool.submit(call, idempotency_key=key)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            stop.set()
            # It may send a call, so it must not run in the loop's thread.
            in_background(self._pool, _abandon, self.client, key, future)
            raise


def _abandon(client: Client, key: str, ended: Future[Placement]) -> None:
    """Release what a cancelled call has claimed, when it has ended."""
    wait([ended])
    if ended.cancelled():
        return
    error = ended.exception()
    is_known = isinstance(error, exceptions.GanttError)
    if is_known and not isinstance(error, exceptions.UnknownOutcome):
        return
    try:
        client.abandon(key, deadline=ABANDON)
    except exceptions.GanttError as failure:
        LOG.warning("the key of a cancelled call remains: %s", failure)

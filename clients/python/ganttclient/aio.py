"""The client for asyncio.  Its calls run in threads."""

from __future__ import annotations

import asyncio
import functools
import uuid
import weakref
from collections.abc import AsyncIterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, Callable, TypeVar

from ganttclient import exceptions, models
from ganttclient._aio import AsyncHold, AsyncStream, in_background
from ganttclient._keyed import ABANDON
from ganttclient._keys import KeySource
from ganttclient._reports import Reporter
from ganttclient._retry import Stop
from ganttclient.client import Client
from ganttclient.hold import LOG

Result = TypeVar("Result")

#: How many calls are in progress at most; further calls wait.
THREADS = 32


class AsyncClient:
    """The calls of :class:`ganttclient.Client`, as coroutines.

    A cancelled call is stopped.  If it might have claimed resources under a
    key that the caller does not know, they are released.

    :param url: as in Client
    :param key: as in Client; a function is called in a thread
    :param threads: how many calls are in progress at most
    :param options: further arguments of Client
    """

    def __init__(
        self,
        url: str | Sequence[str],
        key: KeySource = None,
        *,
        threads: int = THREADS,
        **options: Any,
    ) -> None:
        #: The client whose calls run in the threads.
        self.client = Client(url, key, **options)
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

    async def select(
        self, spec: Mapping[str, Any] | None = None, **options: Any
    ) -> models.Placement:
        """Choose hosts, as Client.select() does."""
        return await self._keyed(self.client.select, (spec,), options)

    async def claim(
        self,
        decision_id: str,
        host: models.Name | models.Destination | models.Host,
        **options: Any,
    ) -> models.Placement:
        """Claim resources on a host, as Client.claim() does."""
        arguments = (decision_id, host)
        return await self._keyed(self.client.claim, arguments, options)

    async def confirm(self, *claims: models.Claim) -> Sequence[models.Claim]:
        """Confirm reservations, as Client.confirm() does."""
        return await self.run(self.client.confirm, *claims)

    async def extend(
        self, *claims: models.Claim, ttl: models.Duration
    ) -> Sequence[models.Claim]:
        """Extend reservations, as Client.extend() does."""
        return await self.run(self.client.extend, *claims, ttl=ttl)

    async def release(
        self, *claims: models.Claim, reason: str | None = None
    ) -> Sequence[models.Claim]:
        """Release claims, as Client.release() does."""
        return await self.run(self.client.release, *claims, reason=reason)

    async def abandon(self, idempotency_key: str) -> Sequence[models.Claim]:
        """Release all claims of a key, as Client.abandon() does."""
        return await self.run(self.client.abandon, idempotency_key)

    async def update_resource_stats(
        self, updates: Sequence[Mapping[str, Any]], required: bool = False
    ) -> Sequence[models.ReportResult | exceptions.ServiceError]:
        """Send reports, as Client.update_resource_stats() does."""
        send = self.client.update_resource_stats
        return await self.run(send, updates, required=required)

    async def heartbeat(self, *hosts: models.Name) -> int:
        """Say that hosts are alive, as Client.heartbeat() does."""
        return await self.run(self.client.heartbeat, *hosts)

    def reporter(
        self, name: models.Name, full: Callable[[], Mapping[str, Any]]
    ) -> AsyncReporter:
        """Return a reporter for one host, as Client.reporter() does."""
        return AsyncReporter(self, self.client.reporter(name, full))

    async def host(self, name: models.Name) -> models.HostState | None:
        """Return the state of a host, as Client.host() does."""
        return await self.run(self.client.host, name)

    async def host_page(
        self, query: str | None = None, **options: Any
    ) -> models.HostPage:
        """Return one page of hosts, as Client.host_page() does."""
        return await self.run(self.client.host_page, query, **options)

    async def hosts(
        self, query: str | None = None, *, page_size: int = 50
    ) -> AsyncIterator[models.HostState]:
        """Return all hosts, which are read page by page."""
        after: str | None = None
        while True:
            page = await self.host_page(query, first=page_size, after=after)
            for host in page.hosts:
                yield host
            if not page.has_next:
                return
            after = page.end_cursor

    def host_changes(
        self, query: str | None = None, **options: Any
    ) -> AsyncStream[models.HostChange]:
        """Return a stream of hosts, as Client.host_changes() does."""
        stream = AsyncStream(self.client.host_changes(query, **options))
        self._streams.add(stream)
        return stream

    def decisions(
        self, query: str | None = None, **options: Any
    ) -> AsyncStream[models.DecisionEvent]:
        """Return a stream of decisions, as Client.decisions() does."""
        stream = AsyncStream(self.client.decisions(query, **options))
        self._streams.add(stream)
        return stream

    async def explain(
        self, decision_id: str, instance: int | None = None
    ) -> Mapping[str, Any]:
        """Explain a decision, as Client.explain() does."""
        return await self.run(self.client.explain, decision_id, instance)

    async def why_not(
        self, host: models.Name, **options: Any
    ) -> Mapping[str, Any]:
        """Explain why a host was not chosen, as Client.why_not() does."""
        return await self.run(self.client.why_not, host, **options)

    def hold(
        self,
        spec: Mapping[str, Any] | models.Placement,
        **options: Any,
    ) -> AsyncHold:
        """Hold a claim while a block runs, as Client.hold() does.

        If the room is lost, the block is cancelled, and RoomLost is raised.
        """
        return AsyncHold(self.client, self._pool, spec, options)

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
        call: Callable[..., models.Placement],
        arguments: tuple[Any, ...],
        options: dict[str, Any],
    ) -> models.Placement:
        if options.get("idempotency_key") is not None:
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


class AsyncReporter:
    """The reporter of one host, as coroutines."""

    def __init__(self, client: AsyncClient, reporter: Reporter) -> None:
        self._client = client
        #: The reporter that keeps incarnation and sequence.
        self.reporter = reporter

    async def report(self) -> models.ReportResult:
        """Send the full report."""
        return await self._client.run(self.reporter.report)

    async def change(self, delta: Mapping[str, Any]) -> models.ReportResult:
        """Send what changed since the last report."""
        return await self._client.run(self.reporter.change, delta)

    async def heartbeat(self) -> bool:
        """Say that the host is alive; return whether it is known."""
        return await self._client.run(self.reporter.heartbeat)


def _abandon(
    client: Client, key: str, ended: Future[models.Placement]
) -> None:
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

"""The calls of the asyncio client that report and read hosts."""

from __future__ import annotations

import weakref
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Callable

from ganttclient import exceptions
from ganttclient._fleet import PAGE, SILENT
from ganttclient._reports import Document, Reporter
from ganttclient.aio._base import AsyncBase
from ganttclient.aio._blocks import AsyncStream
from ganttclient.models import (
    DecisionEvent,
    HostChange,
    HostPage,
    HostState,
    Name,
    ReportResult,
)


class AsyncFleetCalls(AsyncBase):
    """The calls of Client that report and read hosts, as coroutines."""

    _streams: weakref.WeakSet[AsyncStream[Any]]

    async def update_resource_stats(
        self,
        updates: Sequence[Document],
        *,
        required: bool = False,
        deadline: float | None = None,
    ) -> Sequence[ReportResult | exceptions.ServiceError]:
        """Send reports, as Client.update_resource_stats() does."""
        send = self.client.update_resource_stats
        return await self.run(
            send, updates, required=required, deadline=deadline
        )

    async def heartbeat(
        self, *hosts: Name, deadline: float | None = None
    ) -> int:
        """Say that hosts are alive, as Client.heartbeat() does."""
        heartbeat = self.client.heartbeat
        return await self.run(heartbeat, *hosts, deadline=deadline)

    def reporter(
        self,
        name: Name,
        full: Callable[[], Document],
        incarnation: str | None = None,
    ) -> AsyncReporter:
        """Return a reporter for one host, as Client.reporter() does."""
        reporter = self.client.reporter(name, full, incarnation)
        return AsyncReporter(self, reporter)

    async def host(
        self, name: Name, *, deadline: float | None = None
    ) -> HostState | None:
        """Return the state of a host, as Client.host() does."""
        return await self.run(self.client.host, name, deadline=deadline)

    async def host_page(
        self,
        query: str | None = None,
        *,
        first: int = PAGE,
        after: str | None = None,
        deadline: float | None = None,
    ) -> HostPage:
        """Return one page of hosts, as Client.host_page() does."""
        page = self.client.host_page
        return await self.run(
            page, query, first=first, after=after, deadline=deadline
        )

    async def hosts(
        self,
        query: str | None = None,
        *,
        page_size: int = PAGE,
        deadline: float | None = None,
    ) -> AsyncIterator[HostState]:
        """Return all hosts, which are read page by page."""
        after: str | None = None
        while True:
            page = await self.host_page(
                query, first=page_size, after=after, deadline=deadline
            )
            for host in page.hosts:
                yield host
            if not page.has_next:
                return
            after = page.end_cursor

    def host_changes(
        self,
        query: str | None = None,
        *,
        after: str | None = None,
        silent: float = SILENT,
        on_break: Callable[[Exception], None] | None = None,
    ) -> AsyncStream[HostChange]:
        """Return a stream of hosts, as Client.host_changes() does."""
        stream = AsyncStream(
            self.client.host_changes(
                query, after=after, silent=silent, on_break=on_break
            )
        )
        self._streams.add(stream)
        return stream

    def decisions(
        self,
        query: str | None = None,
        *,
        sample_per_second: int | None = None,
        after: str | None = None,
        silent: float = SILENT,
        on_break: Callable[[Exception], None] | None = None,
    ) -> AsyncStream[DecisionEvent]:
        """Return a stream of decisions, as Client.decisions() does."""
        stream = AsyncStream(
            self.client.decisions(
                query,
                sample_per_second=sample_per_second,
                after=after,
                silent=silent,
                on_break=on_break,
            )
        )
        self._streams.add(stream)
        return stream

    async def explain(
        self,
        decision_id: str,
        instance: int | None = None,
        *,
        deadline: float | None = None,
    ) -> Mapping[str, Any]:
        """Explain a decision, as Client.explain() does."""
        explain = self.client.explain
        return await self.run(
            explain, decision_id, instance, deadline=deadline
        )

    async def why_not(
        self,
        host: Name,
        *,
        decision_id: str | None = None,
        spec: Mapping[str, Any] | None = None,
        instance: int | None = None,
        profile: str | None = None,
        deadline: float | None = None,
    ) -> Mapping[str, Any]:
        """Explain why a host was not chosen, as Client.why_not() does."""
        return await self.run(
            self.client.why_not,
            host,
            decision_id=decision_id,
            spec=spec,
            instance=instance,
            profile=profile,
            deadline=deadline,
        )


class AsyncReporter:
    """The reporter of one host, as coroutines."""

    def __init__(self, client: AsyncFleetCalls, reporter: Reporter) -> None:
        self._client = client
        #: The reporter that keeps incarnation and sequence.
        self.reporter = reporter

    async def report(self, *, deadline: float | None = None) -> ReportResult:
        """Send the full report."""
        report = self.reporter.report
        return await self._client.run(report, deadline=deadline)

    async def change(
        self, delta: Document, *, deadline: float | None = None
    ) -> ReportResult:
        """Send what changed since the last report."""
        change = self.reporter.change
        return await self._client.run(change, delta, deadline=deadline)

    async def heartbeat(self, *, deadline: float | None = None) -> bool:
        """Say that the host is alive; return whether it is known."""
        heartbeat = self.reporter.heartbeat
        return await self._client.run(heartbeat, deadline=deadline)

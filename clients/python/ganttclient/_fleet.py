"""The calls that read the fleet, and explain decisions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Callable

from ganttclient import _documents, _readers, models
from ganttclient._caller import Base
from ganttclient._retry import Stop
from ganttclient._stream import Stream
from ganttclient.models import (
    DecisionEvent,
    HostChange,
    HostPage,
    HostState,
    Name,
)

#: After how many seconds a silent stream counts as broken.  The service sends
#: a heartbeat every second.
SILENT = 30.0
PAGE = 50


class FleetCalls(Base):
    """Reads hosts, streams and explanations."""

    def host(
        self,
        name: Name,
        *,
        deadline: float | None = None,
        stop: Stop | None = None,
    ) -> HostState | None:
        """Return the state of a host, or None if there is no such host.

        :param name: the host, or host and node
        """
        found = models.name_of(name)
        variables = {"name": found["host"], "node": found.get("node")}
        data = self._ask(_documents.HOST, variables, deadline, stop)
        host = data["host"]
        return None if host is None else _readers.host_state(host)

    def host_page(
        self,
        query: str | None = None,
        *,
        first: int = PAGE,
        after: str | None = None,
        deadline: float | None = None,
        stop: Stop | None = None,
    ) -> HostPage:
        """Return one page of hosts.

        :param query: a filter such as ``az:az1 mem.free>=4GiB``
            (``docs/query.md``)
        :param first: the size of the page
        :param after: ``end_cursor`` of the page before
        """
        variables = {"query": query, "first": first, "after": after}
        data = self._ask(_documents.HOSTS, variables, deadline, stop)
        return _readers.host_page(data["hosts"])

    def hosts(
        self,
        query: str | None = None,
        *,
        page_size: int = PAGE,
        deadline: float | None = None,
        stop: Stop | None = None,
    ) -> Iterator[HostState]:
        """Return all hosts, which are read page by page.

        :param query: a filter, as in host_page()
        :param deadline: the time limit of each page in seconds
        """
        after: str | None = None
        while True:
            page = self.host_page(
                query,
                first=page_size,
                after=after,
                deadline=deadline,
                stop=stop,
            )
            yield from page.hosts
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
    ) -> Stream[HostChange]:
        """Return a stream of hosts that change.

        A broken stream continues after the last event.  Hosts that changed
        meanwhile are delivered then, each once.

        :param query: only hosts that match this filter (``docs/query.md``)
        :param after: the last revision that the reader knows.  The stream
            begins with the changes after it, or with an event that has a
            ``gap``.  If None, it begins with new events
        :param silent: after how many seconds a silent stream is broken
        :param on_break: called with the error when the stream breaks
        """
        return Stream(
            self._caller,
            _documents.HOST_CHANGED,
            {"query": query},
            lambda data: _readers.host_change(data["hostChanged"]),
            after=after,
            silent=silent,
            on_break=on_break,
        )

    def decisions(
        self,
        query: str | None = None,
        *,
        sample_per_second: int | None = None,
        after: str | None = None,
        silent: float = SILENT,
        on_break: Callable[[Exception], None] | None = None,
    ) -> Stream[DecisionEvent]:
        """Return a stream of decisions as they are made.

        Decisions that were made while the stream was broken are not
        delivered; an event with a ``gap`` says so.

        :param query: only decisions that match this filter
        :param sample_per_second: at most this many per second, 1 to 1000
        """
        variables: dict[str, Any] = {"query": query}
        if sample_per_second is not None:
            variables["samplePerSecond"] = sample_per_second
        return Stream(
            self._caller,
            _documents.DECISIONS,
            variables,
            lambda data: _readers.decision_event(data["decisions"]),
            after=after,
            silent=silent,
            on_break=on_break,
        )

    def explain(
        self,
        decision_id: str,
        instance: int | None = None,
        *,
        deadline: float | None = None,
        stop: Stop | None = None,
    ) -> Mapping[str, Any]:
        """Explain a decision (``docs/explanations.md`` has the fields).

        :param instance: the index of an instance in the request.  If None,
            the instance that was not placed, or the first one
        """
        variables = {"id": decision_id, "instance": instance}
        data = self._ask(_documents.EXPLAIN, variables, deadline, stop)
        answer: Mapping[str, Any] = data["explainPlacement"]
        return answer

    def why_not(
        self,
        host: Name,
        *,
        decision_id: str | None = None,
        spec: Mapping[str, Any] | None = None,
        instance: int | None = None,
        profile: str | None = None,
        deadline: float | None = None,
        stop: Stop | None = None,
    ) -> Mapping[str, Any]:
        """Explain why a host was not, or would not be, chosen.

        :param decision_id: the decision to explain
        :param spec: or else a request in Gantt's form, as if it came now
        """
        if (decision_id is None) == (spec is None):
            raise TypeError("exactly one of decision_id and spec is needed")
        subject: dict[str, Any] = {"decisionId": decision_id}
        if spec is not None:
            subject = {"spec": {"gantt": spec}}
        inputs = {
            "subject": subject,
            "host": models.name_of(host),
            "instanceIndex": instance,
            "profile": profile,
        }
        inputs = {k: v for k, v in inputs.items() if v is not None}
        variables = {"input": inputs}
        data = self._ask(_documents.WHY_NOT, variables, deadline, stop)
        answer: Mapping[str, Any] = data["whyNot"]
        return answer

"""The calls with which hosts report what they have."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Callable

from ganttclient import (
    _documents,
    _readers,
    _retry,
    exceptions,
    faults,
    models,
)
from ganttclient._caller import Base
from ganttclient._retry import Stop
from ganttclient.models import Name, ReportResult

Document = Mapping[str, Any]


class ReportCalls(Base):
    """Reports of hosts.

    Reports are ordered by incarnation and sequence, so sending one twice
    changes nothing.
    """

    def update_resource_stats(
        self,
        updates: Sequence[Document],
        *,
        required: bool = False,
        deadline: float | None = None,
        stop: Stop | None = None,
    ) -> Sequence[ReportResult | exceptions.ServiceError]:
        """Send up to 1,000 reports.

        :param updates: reports in the form of the API: ``name``,
            ``reporter`` and ``report``
        :param required: whether the results list which fields are needed
        :returns: for each report its result, or why it was refused
        """
        variables = {"input": {"updates": updates}, "required": required}
        data = self._ask(_documents.REPORT, variables, deadline, stop)
        results = data["updateResourceStats"]["results"]
        return tuple(_result(one) for one in results)

    def heartbeat(
        self,
        *hosts: Name,
        deadline: float | None = None,
        stop: Stop | None = None,
    ) -> int:
        """Say that hosts are alive that have not changed.

        :returns: how many of the hosts the service knows
        """
        names = [models.name_of(host) for host in hosts]
        variables = {"hosts": names}
        data = self._ask(_documents.HEARTBEAT, variables, deadline, stop)
        heard: int = data["hostHeartbeat"]["heard"]
        return heard

    def reporter(
        self,
        name: Name,
        full: Callable[[], Document],
        incarnation: str | None = None,
    ) -> Reporter:
        """Return a reporter for one host.

        :param name: the host, or host and node
        :param full: returns the present full report in Gantt's form
            (``docs/host-stats.md``)
        :param incarnation: drawn if None.  A program must use a new one
            after each start
        """
        return Reporter(self, name, full, incarnation)


class Reporter:
    """Sends the reports of one host, one after the other.

    It keeps the incarnation, the sequence, and which report was applied
    last.  It is safe for threads.
    """

    def __init__(
        self,
        calls: ReportCalls,
        name: Name,
        full: Callable[[], Document],
        incarnation: str | None = None,
    ) -> None:
        self.name = name
        self.incarnation = incarnation or str(uuid.uuid4())
        self._calls = calls
        self._full = full
        self._lock = threading.Lock()
        self._sequence = 0
        self._base: int | None = None
        _retry.watch_forks(self)

    def _after_fork(self) -> None:
        # The reports of the child are not those of the parent, which goes on
        # with its incarnation.
        self._lock = threading.Lock()
        self.renew()

    def renew(self) -> None:
        """Begin a new incarnation, as a restarted program does."""
        self.incarnation = str(uuid.uuid4())
        self._sequence = 0
        self._base = None

    @property
    def sequence(self) -> int:
        """The sequence of the last report; 0 before the first one."""
        return self._sequence

    def report(
        self, *, deadline: float | None = None, stop: Stop | None = None
    ) -> ReportResult:
        """Send the full report.

        If the result is_stale, another reporter of the host was applied
        since, and the reports of this incarnation are ignored.

        :raises Invalid: if a field is wrong; the message names it
        """
        with self._lock:
            return self._whole(deadline, stop)

    def change(
        self,
        delta: Document,
        *,
        deadline: float | None = None,
        stop: Stop | None = None,
    ) -> ReportResult:
        """Send what changed since the last report.

        The full report is sent instead if the service lacks the report
        before.

        :param delta: the fields that changed, in the form of the API
        :raises Invalid: if a field is wrong; the message names it
        """
        with self._lock:
            if self._base is None:
                return self._whole(deadline, stop)
            report = {"delta": {**delta, "baseSequence": self._base}}
            result = self._send(report, deadline, stop)
            if result.kind == "ResourceStatsNeedFull":
                return self._whole(deadline, stop)
            return result

    def report_nova(
        self,
        document: Any,
        *,
        deadline: float | None = None,
        stop: Stop | None = None,
    ) -> ReportResult:
        """Send a full report in Nova's form (``docs/nova-documents.md``)."""
        with self._lock:
            return self._send({"nova": document}, deadline, stop)

    def heartbeat(
        self, *, deadline: float | None = None, stop: Stop | None = None
    ) -> bool:
        """Say that the host is alive; return whether it is known."""
        heard = self._calls.heartbeat(self.name, deadline=deadline, stop=stop)
        return heard == 1

    def _whole(
        self, deadline: float | None, stop: Stop | None
    ) -> ReportResult:
        return self._send({"full": self._full()}, deadline, stop)

    def _send(
        self, report: Document, deadline: float | None, stop: Stop | None
    ) -> ReportResult:
        result = self._send_numbered(report, deadline, stop)
        is_same = result.last_sequence == self._sequence
        if not result.is_stale or not is_same:
            return result
        # Either a copy of this report whose answer was lost was applied, or
        # another reporter sent a report with the same sequence.  The next
        # sequence shows which: it is applied only after the own report.
        if "delta" in report:
            delta = {**report["delta"], "baseSequence": self._sequence}
            report = {"delta": delta}
        return self._send_numbered(report, deadline, stop)

    def _send_numbered(
        self, report: Document, deadline: float | None, stop: Stop | None
    ) -> ReportResult:
        self._sequence += 1
        update = {
            "name": models.name_of(self.name),
            "reporter": {
                "incarnation": self.incarnation,
                "sequence": self._sequence,
            },
            "report": report,
        }
        (result,) = self._calls.update_resource_stats(
            [update], required=True, deadline=deadline, stop=stop
        )
        if isinstance(result, exceptions.ServiceError):
            raise result
        if result.is_applied:
            self._base = result.last_sequence or self._sequence
        return result


def _result(answer: Document) -> ReportResult | exceptions.ServiceError:
    if answer["__typename"] in (
        "ResourceStatsApplied",
        "ResourceStatsStale",
        "ResourceStatsNeedFull",
    ):
        return _readers.report_result(answer)
    return faults.of_answer(answer)

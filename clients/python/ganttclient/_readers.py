"""Turns the JSON of answers into what the calls return."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ganttclient import models

Json = Mapping[str, Any]


def time_of(text: str | None) -> datetime | None:
    """Return an ISO 8601 time in UTC, such as 2026-01-01T00:00:00Z."""
    if text is None:
        return None
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def claim(data: Json) -> models.Claim:
    """Read a claim."""
    return models.Claim(
        id=data["id"],
        fence=data["fence"],
        state=data["state"],
        instance_uuid=data.get("instanceUuid"),
        created_at=time_of(data.get("createdAt")),
        expires_at=time_of(data.get("expiresAt")),
        confirmed_at=time_of(data.get("confirmedAt")),
    )


def destination(data: Json) -> models.Destination:
    """Read a chosen host or an alternate."""
    host = data["host"]
    held = data.get("claim")
    return models.Destination(
        host=models.Host(
            host["name"], host["node"], host.get("availabilityZone")
        ),
        weight=data.get("weight"),
        limits={
            limit["resource"]: limit["limit"]
            for limit in data.get("limits") or ()
        },
        claim=None if held is None else claim(held),
    )


def placement(data: Json) -> models.Placement:
    """Read an answer of the type SelectDestinationsPayload."""
    placed = [
        models.Placed(
            one.get("instanceUuid"),
            destination(one["selected"]),
            tuple(destination(other) for other in one.get("alternates") or ()),
        )
        for one in data["destinations"]
    ]
    return models.Placement(
        decision_id=data["decision"]["id"],
        destinations=tuple(placed),
        revision=data["fleetRevision"],
        replayed=data["replayed"],
        ignored_fields=tuple(data["ignoredFields"]),
    )


def report_result(data: Json) -> models.ReportResult:
    """Read the answer to a report that was not refused."""
    required = data.get("required") or {}
    return models.ReportResult(
        kind=data["__typename"],
        last_sequence=data.get("lastSequence"),
        revision=data.get("revision"),
        unchanged=data.get("unchanged", False),
        ignored_fields=tuple(data.get("ignoredFields") or ()),
        required=tuple(required.get("namespaces") or ()),
        claims_materialised=tuple(data.get("claimsMaterialised") or ()),
    )


def host_state(data: Json) -> models.HostState:
    """Read a host of a list."""
    capacity = {
        one["resourceClass"]: models.Capacity(
            total=one["total"],
            reserved=one["reserved"],
            allocation_ratio=one["allocationRatio"],
            capacity=one["capacity"],
            used=one["used"],
            claimed=one["claimed"],
            free=one["free"],
        )
        for one in data["capacity"]
    }
    return models.HostState(
        name=data["name"],
        node=data["node"],
        availability_zone=data["availabilityZone"],
        state=data["state"],
        state_reason=data["stateReason"],
        status=data["status"],
        status_reason=data["statusReason"],
        revision=data["revision"],
        last_report_at=time_of(data["lastReportAt"]),
        last_sequence=data["lastSequence"],
        running_vms=data["runningVms"],
        traits=tuple(data["traits"]),
        capacity=capacity,
    )


def host_page(data: Json) -> models.HostPage:
    """Read a page of hosts."""
    return models.HostPage(
        hosts=tuple(host_state(node) for node in data["nodes"]),
        total_count=data["totalCount"],
        as_of=data["asOf"],
        has_next=data["pageInfo"]["hasNextPage"],
        end_cursor=data["pageInfo"]["endCursor"],
    )


def gap(data: Json) -> models.Gap | None:
    """Read the gap of an event."""
    found = data.get("gap")
    if found is None:
        return None
    return models.Gap(found["missedFrom"], found["resumeAt"])


def host_change(data: Json) -> models.HostChange:
    """Read an event of the stream of changed hosts."""
    return models.HostChange(data["revision"], data["host"], gap(data))


def decision_event(data: Json) -> models.DecisionEvent:
    """Read an event of the stream of decisions."""
    return models.DecisionEvent(
        data["revision"], data["decision"], data["suppressed"], gap(data)
    )

"""What the calls of the client return."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Union

#: The name of a host: a text, or the host and its node.
Name = Union[str, tuple[str, str]]
#: A duration: an ISO 8601 text such as PT2M, or a timedelta.
Duration = Union[str, timedelta]

_DURATION = re.compile(
    r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?"
)
#: The states of claims that have ended.
ENDED = frozenset(("RELEASED", "EXPIRED", "REVOKED"))


@dataclass(frozen=True)
class Host:
    """A host that can be chosen.

    :ivar name: the name of the host
    :ivar node: the name of its node; often the same
    :ivar availability_zone: None for a key that is bound to a project
    """

    name: str
    node: str
    availability_zone: str | None = None


@dataclass(frozen=True)
class Claim:
    """Resources that are held on one host for one instance.

    :ivar id: the id of the claim
    :ivar fence: what a later call has to name, besides the id
    :ivar state: RESERVED, CONFIRMED, MATERIALISED, RELEASED, EXPIRED or
        REVOKED
    :ivar expires_at: when a reservation ends; None if it was confirmed
    """

    id: str
    fence: int
    state: str
    instance_uuid: str | None = None
    created_at: datetime | None = None
    expires_at: datetime | None = None
    confirmed_at: datetime | None = None

    @property
    def is_ended(self) -> bool:
        """Whether the claim was released or revoked, or expired."""
        return self.state in ENDED


@dataclass(frozen=True)
class Destination:
    """A host of a decision.

    :ivar weight: the total score of the host
    :ivar limits: for each resource class, how much all instances on the host
        may use together
    :ivar claim: the claim on the host; None for an alternate
    """

    host: Host
    weight: float | None = None
    limits: Mapping[str, int] = field(default_factory=dict)
    claim: Claim | None = None


@dataclass(frozen=True)
class Placed:
    """Where one instance was placed.

    :ivar alternates: further hosts, on which nothing is claimed
    """

    instance_uuid: str | None
    selected: Destination
    alternates: Sequence[Destination] = ()


@dataclass(frozen=True)
class Placement:
    """The answer to a call that chose hosts.

    :ivar decision_id: for explain(), why_not() and claim()
    :ivar revision: for ``min_revision`` of later calls, which then read this
        change on every replica
    :ivar ignored_fields: the paths of fields that had no effect
    :ivar replayed: whether an earlier call with the same key got the same
        answer
    :ivar until_counted: whether the reservations also end when their hosts
        count the instances
    """

    decision_id: str
    destinations: Sequence[Placed]
    revision: str
    replayed: bool = False
    ignored_fields: Sequence[str] = ()
    until_counted: bool = False

    @property
    def selected(self) -> Destination:
        """The chosen host of the first instance."""
        return self.destinations[0].selected

    @property
    def host(self) -> Host:
        """The chosen host of the first instance."""
        return self.selected.host

    @property
    def claims(self) -> Sequence[Claim]:
        """The claims of all instances."""
        found = [placed.selected.claim for placed in self.destinations]
        return tuple(claim for claim in found if claim is not None)


@dataclass(frozen=True)
class ReportResult:
    """The service's answer to a report.

    :ivar kind: ResourceStatsApplied, ResourceStatsStale (the service has a
        newer report) or ResourceStatsNeedFull
    :ivar last_sequence: the sequence of the last report that was applied
    :ivar ignored_fields: the paths of fields that this release does not know
    :ivar required: for each namespace, which fields need not be sent
    """

    kind: str
    last_sequence: int | None = None
    revision: str | None = None
    unchanged: bool = False
    ignored_fields: Sequence[str] = ()
    required: Sequence[Mapping[str, Any]] = ()
    claims_materialised: Sequence[Mapping[str, Any]] = ()

    @property
    def is_applied(self) -> bool:
        """Whether the report is in the log of the service."""
        return self.kind == "ResourceStatsApplied"

    @property
    def is_stale(self) -> bool:
        """Whether the service ignored the report for a newer one."""
        return self.kind == "ResourceStatsStale"


@dataclass(frozen=True)
class Capacity:
    """The amounts of one resource class on a host."""

    total: int
    reserved: int
    allocation_ratio: float
    capacity: int
    used: int
    claimed: int
    free: int


@dataclass(frozen=True)
class HostState:
    """The present state of a host.

    :ivar state: UP or DOWN, by the host's reports and heartbeats
    :ivar status: ENABLED, or what an operator set
    :ivar capacity: the amounts by resource class
    """

    name: str
    node: str
    availability_zone: str
    state: str
    state_reason: str | None
    status: str
    status_reason: str | None
    revision: str
    last_report_at: datetime | None
    last_sequence: int | None
    running_vms: int
    traits: Sequence[str]
    capacity: Mapping[str, Capacity]


@dataclass(frozen=True)
class HostPage:
    """One page of a list of hosts.

    :ivar as_of: the revision of the fleet that the page shows
    :ivar end_cursor: for ``after`` of the call for the next page
    """

    hosts: Sequence[HostState]
    total_count: int
    as_of: str
    has_next: bool
    end_cursor: str | None


@dataclass(frozen=True)
class Gap:
    """Events that a reader of a stream has missed."""

    missed_from: str
    resume_at: str


@dataclass(frozen=True)
class HostChange:
    """An event of the stream of changed hosts.

    :ivar revision: the revision of the change
    :ivar host: the host in its present state: name, node, status and
        availabilityZone; None if the event only reports a gap
    """

    revision: str
    host: Mapping[str, Any] | None
    gap: Gap | None


@dataclass(frozen=True)
class DecisionEvent:
    """An event of the stream of decisions.

    :ivar suppressed: how many decisions were left out before this event
    """

    revision: str
    decision: Mapping[str, Any] | None
    suppressed: int
    gap: Gap | None


def name_of(name: Name) -> dict[str, str]:
    """Return a name of a host as the API has it.

    :raises TypeError: if it is neither a str nor a pair
    """
    if isinstance(name, str):
        return {"host": name}
    if isinstance(name, (tuple, list)) and len(name) == 2:
        host, node = name
        if isinstance(host, str) and isinstance(node, str):
            return {"host": host, "node": node}
        if isinstance(host, str) and node is None:
            return {"host": host}
    raise TypeError(
        "name must be a str or a tuple (host, node) of str, and is a"
        f" {type(name).__name__}"
    )


def duration_of(duration: Duration) -> str:
    """Return a duration as an ISO 8601 text."""
    if isinstance(duration, timedelta):
        return f"PT{duration.total_seconds():.3f}S"
    return duration


def seconds_of(duration: Duration) -> float:
    """Return a duration in seconds.

    :raises ValueError: if it is not of days, hours, minutes and seconds
    """
    if isinstance(duration, timedelta):
        return duration.total_seconds()
    match = _DURATION.fullmatch(duration)
    if match is None or not any(match.groups()):
        raise ValueError(
            f"{duration!r} is not a duration; it must be like PT2M, PT0.5S"
            " or P1DT12H"
        )
    days, hours, minutes, seconds = (
        float(text or 0) for text in match.groups()
    )
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds

"""The scheduler library of OpenStack's Juno and Kilo, for this service."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Callable

from ganttclient import _retry, exceptions, models
from ganttclient._keys import KeySource
from ganttclient._reports import Reporter
from ganttclient._retry import Clock
from ganttclient._scheduler import documents
from ganttclient._scheduler.heartbeats import INTERVAL, Heartbeats
from ganttclient._scheduler.kilo import KiloCalls
from ganttclient._scheduler.notices import Notices
from ganttclient.client import Client
from ganttclient.hold import choose_or_abandon

#: Of how many instances a client remembers the reservations.
MAX_RESERVED = 10_000
#: The names that Nova's filters gave the limits.
_LIMITS = {"VCPU": "vcpu", "MEMORY_MB": "memory_mb", "DISK_GB": "disk_gb"}
#: What a caller should know while not every replica reads feature level 11.
_NOT_UNTIL_COUNTED = (
    "a replica of the service is below feature level 11, so reservations end"
    " only after their ttl: until then an instance that its host has counted"
    " is counted twice.  Upgrade the replicas, and start them without"
    " GANTT_FEATURE_LEVEL; until then a shorter ttl= wastes less"
)
#: Makes the name and the stats of update_resource_stats() optional.
_NOT_GIVEN: Any = object()


class SchedulerClient(KiloCalls):
    """The calls of ``nova.scheduler.client``, as Juno and Kilo had them.

    ::

        client = SchedulerClient(url="http://127.0.0.1:4400/graphql", key=KEY)
        hosts = client.select_destinations(
            context, request_spec, filter_properties)

    Nova of that time neither confirms claims nor reports which instances a
    host has.  A confirmed claim would therefore stay counted in addition to
    the reports.  So the resources are only reserved, for ``ttl``, or until
    the figures that Nova reports for the host count the instance.

    :param url: the URL of the GraphQL endpoint, or a list of URLs
    :param key: the API key, or a function that reads it
    :param ttl: how long resources stay reserved, PT1S to PT24H; as long as
        the service reserves by default if None
    :param claim: RESERVE, NONE to choose hosts without a claim, or CONFIRM
        if the caller releases the claims itself
    :param profile: the profile, as name or name@number; the service's
        profile ``default`` if None
    :param no_valid_host: the exception for a request that finds no host.  It
        is called with ``reason=``, as ``nova.exception.NoValidHost`` is
    :param deadline: the time limit of a call in seconds, with all attempts
    :param heartbeat: how often the client says that the hosts that it has
        reported are alive, in seconds, because Nova reports a host only when
        it has changed; None if something else watches the hosts
    """

    def __init__(
        self,
        url: str | Sequence[str],
        key: KeySource = None,
        *,
        ttl: models.Duration | None = None,
        claim: str = "RESERVE",
        profile: str | None = None,
        no_valid_host: Callable[..., Exception] | None = None,
        deadline: float = _retry.DEADLINE,
        attempt_timeout: float = _retry.ATTEMPT,
        hedge: bool = True,
        heartbeat: float | None = INTERVAL,
        ssl_context: ssl.SSLContext | None = None,
        clock: Clock | None = None,
    ) -> None:
        if ttl is not None:
            models.seconds_of(ttl)
        if claim not in ("RESERVE", "NONE", "CONFIRM"):
            raise ValueError(
                f"claim is {claim!r}; it must be RESERVE, NONE or CONFIRM"
            )
        self._client = Client(
            url,
            key,
            deadline=deadline,
            attempt_timeout=attempt_timeout,
            hedge=hedge,
            ssl_context=ssl_context,
            clock=clock,
        )
        self._ttl = ttl
        self._claim = claim
        self._profile = profile
        self._no_valid_host = no_valid_host
        self._notices = Notices()
        self._heartbeats = Heartbeats(self._client, heartbeat, self._notices)
        self._lock = threading.Lock()
        self._reporters: dict[tuple[str, ...], Reporter] = {}
        #: The last reservations, by instance.
        self._reserved: dict[str, list[models.Claim]] = {}
        _retry.watch_forks(self)

    def _after_fork(self) -> None:
        self._lock = threading.Lock()
        self._reserved = {}

    def __repr__(self) -> str:
        return repr(self._client).replace("<Client", "<SchedulerClient", 1)

    def close(self) -> None:
        """Close the open connections, and send no more heartbeats."""
        self._heartbeats.close()
        self._client.close()

    def select_destinations(
        self,
        context: Any,
        request_spec: Mapping[str, Any],
        filter_properties: Mapping[str, Any],
    ) -> list[dict[str, Any]]:
        """Return a list of resources based on request criteria.

        :param context: security context; it is not sent
        :param request_spec: specification of requested resources
        :param filter_properties: scheduler hints and instance spec
        :returns: for each instance a dictionary with ``host``, ``nodename``,
            ``limits`` and ``claim`` (id, fence, state, expires_at; None if
            nothing was claimed)
        :raises NoValidHost: if no host takes the instances.  The message
            states the cause
        """
        legacy = {
            "request_spec": documents.document(request_spec, "request_spec"),
            "filter_properties": documents.document(
                filter_properties, "filter_properties"
            ),
        }
        ttl = self._ttl if self._claim == "RESERVE" else None
        client = self._client

        def choose() -> models.Placement:
            return client.select(
                legacy=legacy,
                claim=self._claim,
                ttl=ttl,
                until_counted=self._claim == "RESERVE",
                profile=self._profile,
                alternates=0,
            )

        try:
            try:
                placement = choose_or_abandon(client, choose)
            except exceptions.InstanceTaken:
                if not self._give_back(documents.instances_of(request_spec)):
                    raise
                placement = choose_or_abandon(client, choose)
        except exceptions.NoValidHost as error:
            if self._no_valid_host is None:
                raise
            raise self._no_valid_host(reason=error.reason) from error
        if self._claim == "RESERVE":
            self._keep(placement)
        if "claim.untilCounted" in placement.ignored_fields:
            self._notices.give(_NOT_UNTIL_COUNTED)
        return [
            _destination(placed.selected) for placed in placement.destinations
        ]

    def update_resource_stats(
        self,
        context: Any,
        name: models.Name = _NOT_GIVEN,
        stats: Any = _NOT_GIVEN,
    ) -> None:
        """Update the scheduler's state for a set of resources.

        Callers of later releases pass only a ComputeNode object.

        :param context: security context; it is not sent
        :param name: name of the resource, as returned by
            select_destinations(): a str, or a tuple (host, node)
        :param stats: dictionary of stats, as a row of ``compute_nodes``, or
            a ComputeNode object
        :raises Invalid: if the report is refused.  The message names the
            field
        :raises Stale: if another program reports the same host at this time
        """
        if name is _NOT_GIVEN and documents.is_compute_node(context):
            node = context
            name, stats = (node.host, node.hypervisor_hostname), node
        if name is _NOT_GIVEN or stats is _NOT_GIVEN:
            raise TypeError(
                "update_resource_stats() takes context, name and stats, or"
                " only a ComputeNode object"
            )
        models.name_of(name)
        document = documents.primitive(stats, "stats")
        if not isinstance(document, dict):
            raise TypeError(
                "stats must be a dictionary as a row of compute_nodes or a"
                f" ComputeNode object, and is a {type(stats).__name__}"
            )
        reporter = self._reporter(name)
        result = reporter.report_nova(document)
        if result.is_stale:
            # Another program reported this host in the meantime.
            reporter.renew()
            result = reporter.report_nova(document)
        if result.is_stale:
            raise exceptions.Stale(
                f"the report of {name!r} was not applied: the service knows a"
                " later one of another reporter"
            )
        self._heartbeats.add(_known(name), name)

    def _keep(self, placement: models.Placement) -> None:
        """Keep the reservations, to give them back for a further choice."""
        with self._lock:
            for placed in placement.destinations:
                claim = placed.selected.claim
                if placed.instance_uuid is not None and claim is not None:
                    # Nova's retry leaves the claim of the failed host.
                    claims = self._reserved.setdefault(
                        placed.instance_uuid, []
                    )
                    claims.append(claim)
            while len(self._reserved) > MAX_RESERVED:
                del self._reserved[next(iter(self._reserved))]

    def _give_back(self, instances: Sequence[str]) -> bool:
        """Release reservations that this client made for instances.

        Callers choose again for the same instance, for example if a live
        migration finds that the first host does not suit.

        :returns: whether there were any
        """
        with self._lock:
            found = [self._reserved.pop(one, []) for one in instances]
        claims = [claim for several in found for claim in several]
        for claim in claims:
            try:
                self._client.release(claim, reason="another host is chosen")
            except exceptions.ServiceError as error:
                # Otherwise, the claim has ended already.
                if error.faults:
                    raise
        return bool(claims)

    def _reporter(self, name: models.Name) -> Reporter:
        known = _known(name)
        with self._lock:
            found = self._reporters.get(known)
            if found is None:
                found = self._client.reporter(name, _no_full_report)
                self._reporters[known] = found
            return found


def _known(name: models.Name) -> tuple[str, ...]:
    """Return what identifies a host: its name and that of its node."""
    return (name, name) if isinstance(name, str) else tuple(name)


def _no_full_report() -> Mapping[str, Any]:
    raise RuntimeError("reports in Nova's form are always full reports")


def _destination(selected: models.Destination) -> dict[str, Any]:
    claim = selected.claim
    held = None
    if claim is not None:
        held = {
            "id": claim.id,
            "fence": claim.fence,
            "state": claim.state,
            "expires_at": claim.expires_at,
        }
    limits = {
        _LIMITS[name]: limit
        for name, limit in selected.limits.items()
        if name in _LIMITS
    }
    return {
        "host": selected.host.name,
        "nodename": selected.host.node,
        "limits": limits,
        "claim": held,
    }

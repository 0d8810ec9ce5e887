"""The calls that choose hosts and change claims."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ganttclient import _documents, _readers, exceptions, faults, models
from ganttclient._keyed import KeyedCalls
from ganttclient._retry import Stop
from ganttclient.models import Claim, Duration, Name, Placement


class PlacementCalls(KeyedCalls):
    """Chooses hosts, and claims resources on them.

    A call that claims resources has an idempotency key.  If no answer comes,
    it is sent again with the same key, so nothing is claimed twice.
    """

    def select(
        self,
        spec: Mapping[str, Any] | None = None,
        *,
        nova: Any = None,
        legacy: Mapping[str, Any] | None = None,
        profile: str | None = None,
        claim: str = "RESERVE",
        ttl: Duration | None = None,
        until_counted: bool = False,
        intent: str | None = None,
        move_of: Claim | None = None,
        alternates: int | None = None,
        all_or_nothing: bool | None = None,
        min_revision: str | None = None,
        idempotency_key: str | None = None,
        wait_for_room: bool = False,
        deadline: float | None = None,
        stop: Stop | None = None,
    ) -> Placement:
        """Choose hosts for instances, and claim resources on them.

        Exactly one of ``spec``, ``nova`` and ``legacy`` is the request.

        :param spec: the request in Gantt's form (``docs/request-spec.md``)
        :param nova: a RequestSpec in Nova's serialised form
        :param legacy: the dictionaries of Juno to Liberty: ``request_spec``
            and ``filter_properties``
        :param profile: the profile, as name or name@number; the service's
            profile ``default`` if None
        :param claim: RESERVE, CONFIRM, or NONE to choose without a claim
        :param ttl: how long a reservation lasts, PT1S to PT24H; as long as
            the service reserves by default if None
        :param until_counted: whether a reservation also ends when its host,
            which does not list its instances, counts the instance
            (``docs/claims.md``)
        :param intent: CREATE (if None), UNSHELVE, RESIZE, LIVE_MIGRATE,
            COLD_MIGRATE, EVACUATE, REBUILD or PROBE
        :param move_of: the claim to move or rebuild
        :param alternates: how many further hosts to return, 0 to 10
        :param all_or_nothing: False to place as many instances as fit
        :param min_revision: the revision that the replica must have reached
        :param idempotency_key: the key of the call; drawn if None
        :param wait_for_room: whether to repeat the call until a host is
            found or the deadline has passed
        :param deadline: the time limit in seconds, retries included
        :param stop: ends the call from another thread
        :raises NoValidHost: if no host takes the instances
        :raises UnknownOutcome: if there is no answer, and resources may be
            claimed; abandon() releases them
        """
        given = {"gantt": spec, "nova": nova, "legacy": legacy}
        forms = {k: v for k, v in given.items() if v is not None}
        if len(forms) != 1:
            raise TypeError(
                "exactly one of spec, nova and legacy must be given, found"
                f" {len(forms)}"
            )
        if claim not in ("RESERVE", "CONFIRM", "NONE"):
            raise ValueError(
                f"claim is {claim!r}; it must be RESERVE, CONFIRM or NONE"
            )
        options: dict[str, Any] = {"mode": claim}
        if ttl is not None:
            options["ttl"] = models.duration_of(ttl)
        if until_counted:
            options["untilCounted"] = True
        inputs = {
            "profile": profile,
            "intent": intent,
            "moveOf": None if move_of is None else _ref(move_of),
            "alternatesPerInstance": alternates,
            "allOrNothing": all_or_nothing,
            "minRevision": min_revision,
        }
        inputs = {k: v for k, v in inputs.items() if v is not None}
        inputs.update(spec=forms, claim=options)

        query = _documents.SELECT
        if self._for_project:
            query = _documents.SELECT_FOR_PROJECT
        placement = self._place(
            "selectDestinations",
            query,
            inputs,
            idempotency_key,
            wait_for_room,
            deadline,
            stop,
        )
        is_ignored = "claim.untilCounted" in placement.ignored_fields
        return dataclasses.replace(
            placement, until_counted=until_counted and not is_ignored
        )

    def claim(
        self,
        decision_id: str,
        host: Name | models.Destination | models.Host,
        *,
        instance_uuid: str | None = None,
        mode: str | None = None,
        ttl: Duration | None = None,
        move_of: Claim | None = None,
        idempotency_key: str | None = None,
        deadline: float | None = None,
        stop: Stop | None = None,
    ) -> Placement:
        """Claim resources on a host of an earlier decision.

        :param decision_id: the decision whose request is placed
        :param host: usually an alternate of the decision
        :param instance_uuid: an instance of the request; the first if None
        :param mode: RESERVE (if None) or CONFIRM
        :param move_of: the claim to replace
        :raises NoValidHost: if the host does not take the instance any more
        """
        there = host.host if isinstance(host, models.Destination) else host
        if isinstance(there, models.Host):
            there = (there.name, there.node)
        inputs = {
            "instanceUuid": instance_uuid,
            "mode": mode,
            "ttl": None if ttl is None else models.duration_of(ttl),
            "moveOf": None if move_of is None else _ref(move_of),
        }
        inputs = {k: v for k, v in inputs.items() if v is not None}
        inputs.update(decisionId=decision_id, host=models.name_of(there))

        return self._place(
            "claimCreate",
            _documents.CLAIM,
            inputs,
            idempotency_key,
            False,
            deadline,
            stop,
        )

    def confirm(
        self,
        *claims: Claim,
        deadline: float | None = None,
        stop: Stop | None = None,
    ) -> Sequence[Claim]:
        """Confirm reservations: they no longer expire.

        :returns: the claims in their present state, in the same order
        :raises ClaimLost: if a claim has ended.  ``results`` of the
            exception has the claim or the exception for each claim
        """
        variables = {"claims": [_ref(claim) for claim in claims]}
        data = self._ask(_documents.CONFIRM, variables, deadline, stop)
        return _changed(data["claimConfirm"])

    def extend(
        self,
        *claims: Claim,
        ttl: Duration,
        deadline: float | None = None,
        stop: Stop | None = None,
    ) -> Sequence[Claim]:
        """Extend reservations, which then end after ``ttl`` from now.

        :raises ClaimLost: as confirm() does
        """
        variables = {
            "claims": [_ref(claim) for claim in claims],
            "ttl": models.duration_of(ttl),
        }
        data = self._ask(_documents.EXTEND, variables, deadline, stop)
        return _changed(data["claimExtend"])

    def release(
        self,
        *claims: Claim,
        reason: str | None = None,
        deadline: float | None = None,
        stop: Stop | None = None,
    ) -> Sequence[Claim]:
        """Release claims, whose resources are then free.

        The vCPUs, memory and disk of a reservation with ``until_counted`` can
        stay held for a while.

        :param reason: is recorded for later readers
        :raises ClaimLost: as confirm() does
        """
        variables = {
            "claims": [_ref(claim) for claim in claims],
            "reason": reason,
        }
        data = self._ask(_documents.RELEASE, variables, deadline, stop)
        return _changed(data["claimRelease"])

    def abandon(
        self,
        idempotency_key: str,
        *,
        deadline: float | None = None,
        stop: Stop | None = None,
    ) -> Sequence[Claim]:
        """Release all claims of an idempotency key.

        If the key has none, no later call with this key can claim any.

        :returns: the claims that were made with the key
        """
        variables = {"key": idempotency_key}
        data = self._ask(_documents.ABANDON, variables, deadline, stop)
        answer = data["claimAbandon"]
        if answer["__typename"] != "ClaimPayload":
            raise faults.of_answer(answer)
        return tuple(_readers.claim(claim) for claim in answer["claims"])


def _ref(claim: Claim) -> dict[str, Any]:
    return {"id": claim.id, "fence": claim.fence}


def _changed(answers: Sequence[Mapping[str, Any]]) -> Sequence[Claim]:
    """Return the claims, or raise the error of the first that failed."""
    results: list[Claim | exceptions.ServiceError] = []
    for answer in answers:
        if answer["__typename"] == "ClaimPayload":
            results.append(_readers.claim(answer["claim"]))
        else:
            results.append(faults.of_answer(answer))
    for result in results:
        if isinstance(result, exceptions.ServiceError):
            result.results = tuple(results)
            raise result
    return tuple(one for one in results if isinstance(one, Claim))

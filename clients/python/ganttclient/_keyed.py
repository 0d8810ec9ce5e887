"""Calls that have an idempotency key."""

from __future__ import annotations

import functools
import logging
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from ganttclient import _readers, exceptions, faults, models
from ganttclient._caller import Base, Verdict
from ganttclient._retry import Stop
from ganttclient.models import Claim, Placement

LOG = logging.getLogger(__name__)

#: The time limit for giving up the key of a call whose answer was lost.
ABANDON = 5.0

#: With ``wait_for_room``, the least pause before a request that found no host
#: is sent again, in seconds.
ROOM_PAUSE = 1.0

#: The answers that end a call with a key: nothing else can come of the key.
_FINAL = ("SelectDestinationsPayload", "IdempotencyConflict")


class KeyedCalls(Base):
    """Sends calls that claim resources under an idempotency key."""

    def abandon(
        self,
        idempotency_key: str,
        *,
        deadline: float | None = None,
        stop: Stop | None = None,
    ) -> Sequence[Claim]:
        """Release all claims of an idempotency key."""
        raise NotImplementedError

    def _place(
        self,
        field: str,
        query: str,
        inputs: dict[str, Any],
        given: str | None,
        wait_for_room: bool,
        deadline: float | None,
        stop: Stop | None,
    ) -> Placement:
        """Send a call, and read the placement in its answer.

        If the key was drawn here, and the caller does not learn it from an
        UnknownOutcome, nothing stays claimed under it.

        :param field: the field of the mutation that has the answer
        :param given: the idempotency key of the caller; drawn if None
        """
        key = given or str(uuid.uuid4())

        def judge(data: dict[str, Any]) -> Verdict:
            return _judge(data[field], wait_for_room)

        variables = {"input": {**inputs, "idempotencyKey": key}}
        try:
            data = self._ask_with_key(
                key, query, variables, judge, deadline, stop
            )
            return _placed(data[field])
        except exceptions.UnknownOutcome as error:
            cause = error.__cause__
            is_refused = (
                isinstance(cause, exceptions.ServiceError) and cause.answer
            )
            if given is None and is_refused and self._give_up(key):
                assert cause is not None
                raise cause from None
            raise
        except exceptions.GanttError:
            raise
        except BaseException:
            # For example, an interrupt of the user while the call runs.
            if given is None:
                self._give_up(key)
            raise

    def _give_up(self, key: str) -> bool:
        """Abandon a key; return whether the service has done so."""
        try:
            self.abandon(key, deadline=ABANDON)
        except exceptions.GanttError as failure:
            LOG.warning("a key was not abandoned: %s", failure)
            return False
        return True


def _judge(answer: Mapping[str, Any], wait_for_room: bool) -> Verdict:
    kind = answer["__typename"]
    error = None
    if kind not in _FINAL:
        error = functools.partial(faults.of_answer, answer)
    if "retryAfter" in answer:
        wait = models.seconds_of(answer["retryAfter"])
        return Verdict(False, wait, is_of_replica=True, error=error)
    pause = ROOM_PAUSE if wait_for_room and kind == "NoValidHost" else None
    return Verdict(kind in _FINAL, pause, error=error)


def _placed(answer: Mapping[str, Any]) -> Placement:
    if answer["__typename"] != "SelectDestinationsPayload":
        raise faults.of_answer(answer)
    return _readers.placement(answer)

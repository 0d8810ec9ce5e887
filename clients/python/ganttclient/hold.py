"""Holds a claim while a block of code runs."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

from ganttclient import exceptions, models
from ganttclient._keyed import ABANDON
from ganttclient._lease import Lease
from ganttclient._retry import Stop

if TYPE_CHECKING:
    from types import TracebackType

    from ganttclient.client import Client

LOG = logging.getLogger(__name__)

#: Without a ``ttl``, a reservation is extended by the time that it had, and
#: by at most this many seconds.
MAX_EXTENSION = 600.0


class Hold:
    """A context manager for a reservation: see ``Client.hold``.

    While the block runs, the reservation is extended each time a third of it
    has passed, and again soon if that fails.  If the block ends well, the
    claim is confirmed; if it raises, the claim is released.  If the claim
    ends before the block, :attr:`is_lost` becomes true, :meth:`check` raises
    RoomLost, and so does the end of the block.
    """

    def __init__(
        self,
        client: Client,
        choose: Callable[[], models.Placement],
        ttl: models.Duration | None,
        on_lost: Callable[[exceptions.RoomLost], None] | None = None,
        is_given: bool = False,
    ) -> None:
        self._client = client
        #: The claim was made before the block, by an earlier call.
        self._is_given = is_given
        #: When the claim was asked for.
        self._asked_at = 0.0
        self._choose = choose
        self._ttl = ttl
        self._on_lost = on_lost
        self._over = Stop()
        self._lost = threading.Event()
        self._why: exceptions.GanttError | None = None
        self._keeper: threading.Thread | None = None
        #: The process in which the block runs; a forked child is another.
        self._process = 0
        self._placement: models.Placement | None = None
        #: The claims after they were confirmed.
        self.confirmed: tuple[models.Claim, ...] = ()
        #: Why the claims could not be released, if the service did not
        #: answer.  They then end when they expire.
        self.not_released: exceptions.GanttError | None = None

    @property
    def placement(self) -> models.Placement:
        """The decision: hosts, alternates and claims.

        :raises RuntimeError: before the block has begun
        """
        if self._placement is None:
            raise RuntimeError("the block of hold() has not begun")
        return self._placement

    @property
    def host(self) -> models.Host:
        """The host of the first instance."""
        return self.placement.host

    @property
    def claim(self) -> models.Claim:
        """The claim of the first instance."""
        return self.placement.claims[0]

    @property
    def instance_uuid(self) -> str | None:
        """The first instance."""
        return self.placement.destinations[0].instance_uuid

    @property
    def is_lost(self) -> bool:
        """Whether the claim ended before the block."""
        return self._lost.is_set()

    @property
    def is_own(self) -> bool:
        """Whether the block began in this process, and not in its parent."""
        return os.getpid() == self._process

    def wait_lost(self, seconds: float | None = None) -> bool:
        """Wait until the claim is lost; return whether it is."""
        return self._lost.wait(seconds)

    def check(self) -> None:
        """Raise RoomLost if the claim ended before the block."""
        if self.is_lost:
            raise exceptions.RoomLost(
                f"the claim on {self.host.name} has ended: {self._why}"
            ) from self._why

    def __enter__(self) -> Hold:
        if self._process:
            raise RuntimeError(
                "a hold is for one block, and this one had its block; call"
                " hold() again"
            )
        self._process = os.getpid()
        self._asked_at = self._client.clock.now()
        self._placement = placement = self._choose()
        if len(placement.claims) != len(placement.destinations):
            self._release()
            raise exceptions.RoomLost("nothing was claimed for the block")
        for claim in placement.claims:
            if claim.is_ended:
                self._release()
                raise exceptions.RoomLost(
                    f"the claim on {self.host.name} is {claim.state}; it was"
                    " made by an earlier call with the same idempotency key"
                )
        if any(claim.state == "RESERVED" for claim in placement.claims):
            self._keeper = threading.Thread(
                target=self._keep, name="ganttclient-hold", daemon=True
            )
            self._keeper.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if not self.is_own:
            return
        self._over.set()
        if self._keeper is not None:
            self._keeper.join()
        if error is not None or self.is_lost:
            self._release()
            if error is None:
                self.check()
            return
        try:
            self.confirmed = tuple(self._client.confirm(*self._claims()))
        except exceptions.ServiceError as refused:
            if refused.faults:
                raise self._not_confirmed(refused) from refused
            self._lose(refused)
            self._release()
            self.check()
        except exceptions.GanttError as failure:
            raise self._not_confirmed(failure) from failure

    def _claims(self) -> tuple[models.Claim, ...]:
        return tuple(self.placement.claims)

    def _not_confirmed(self, error: Exception) -> exceptions.NotConfirmed:
        return exceptions.NotConfirmed(
            f"the claim on {self.host.name} was not confirmed: {error}"
        )

    def _seconds(self) -> float:
        if self._ttl is not None:
            return models.seconds_of(self._ttl)
        claim = self.claim
        if claim.expires_at is None or claim.created_at is None:
            return MAX_EXTENSION
        # Both times are of the service, so its clock may differ from ours.
        had = (claim.expires_at - claim.created_at).total_seconds()
        return min(had, MAX_EXTENSION)

    def _keep(self) -> None:
        """Extend the reservation until the block ends or the claim does."""
        clock = self._client.clock
        seconds = self._seconds()
        # The end of a claim of an earlier call is not known.
        is_earlier = self._is_given or self.placement.replayed
        lease = Lease(self._asked_at, seconds, is_earlier)
        failure: exceptions.GanttError = exceptions.RoomLost(
            "its time was over before it could be extended"
        )
        while not self._over.wait(lease.wait(clock.now())):
            sent_at = clock.now()
            if lease.is_over(sent_at):
                self._lose(failure)
                return
            try:
                self._client.extend(
                    *self._claims(),
                    ttl=f"PT{seconds:.3f}S",
                    deadline=lease.limit(sent_at),
                    stop=self._over,
                )
                lease.extended(sent_at)
            except exceptions.GanttError as error:
                if self._over.is_set():
                    return
                is_refused = (
                    isinstance(error, exceptions.ServiceError)
                    and not error.faults
                )
                if is_refused:
                    self._lose(error)
                    return
                # Without an answer the claim may still live until its end.
                failure = error
                lease.failed(clock.now())
                LOG.warning("a claim was not extended: %s", error)

    def _lose(self, error: exceptions.GanttError) -> None:
        self._why = error
        self._lost.set()
        if self._on_lost is None:
            return
        lost = exceptions.RoomLost(
            f"the claim on {self.host.name} has ended: {error}"
        )
        try:
            self._on_lost(lost)
        except Exception:
            # What the block and its end do must not depend on this.
            LOG.exception("on_lost of a claim has raised")

    def _release(self) -> None:
        if not self._claims():
            return
        try:
            self._client.release(
                *self._claims(),
                reason="the code that held the claim raised an error",
            )
        except exceptions.ServiceError as error:
            # The claim has ended already, unless the call itself failed.
            if error.faults:
                self._keep_failure(error)
        except exceptions.GanttError as error:
            self._keep_failure(error)

    def _keep_failure(self, error: exceptions.GanttError) -> None:
        self.not_released = error
        LOG.warning("a claim was not released, and will expire: %s", error)


def refuse_counted(
    spec: Mapping[str, Any] | models.Placement | None, until_counted: bool
) -> None:
    """Refuse to hold a reservation that its host may end.

    At its end the block would confirm a reservation that may have ended
    already, or count its instance twice.
    """
    is_made = isinstance(spec, models.Placement) and spec.until_counted
    if until_counted or is_made:
        raise ValueError(
            "hold() confirms the claim, and a reservation with until_counted"
            " is never confirmed: its host ends it by counting the instance."
            "  Leave out until_counted, or call select() without hold()"
        )


def choose_or_abandon(
    client: Any, choose: Callable[[], models.Placement]
) -> models.Placement:
    """Choose hosts; if the answer is lost, release what may be claimed.

    This is for callers that do not know the idempotency key of the call.

    :raises GanttError: the error that ended the call, or UnknownOutcome if
        the key could not be abandoned either
    """
    try:
        return choose()
    except exceptions.UnknownOutcome as error:
        try:
            client.abandon(error.idempotency_key, deadline=ABANDON)
        except exceptions.GanttError as failure:
            LOG.warning("a key was not abandoned: %s", failure)
            raise error from error.__cause__
        if error.__cause__ is None:
            raise
        raise error.__cause__ from None

"""Holds a claim while a block of code runs."""

from __future__ import annotations

import logging
import os
import threading
from typing import TYPE_CHECKING, Any, Callable

from ganttclient import exceptions, models
from ganttclient._retry import Stop

if TYPE_CHECKING:
    from types import TracebackType

    from ganttclient.client import Client

LOG = logging.getLogger(__name__)

#: Without a ``ttl``, a reservation is extended by the time that it had, and
#: by at most this many seconds.
MAX_EXTENSION = 600.0
#: The time limit for giving up the key of a call whose answer was lost.
ABANDON = 5.0


class Hold:
    """A context manager for a reservation: see ``Client.hold``.

    While the block runs, the reservation is extended each time a third of it
    has passed.  If the block ends well, the claim is confirmed; if it
    raises, the claim is released.  If the claim ends before the block,
    :attr:`is_lost` becomes true, :meth:`check` raises RoomLost, and so does
    the end of the block.
    """

    def __init__(
        self,
        client: Client,
        choose: Callable[[], models.Placement],
        ttl: models.Duration | None,
        on_lost: Callable[[exceptions.RoomLost], None] | None = None,
    ) -> None:
        self._client = client
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
        every = seconds / 3
        # After an earlier call with the same key, some time has passed.
        wait = 0.0 if self.placement.replayed else every
        good_until = clock.now() + seconds
        while not self._over.wait(wait):
            wait = every
            sent_at = clock.now()
            try:
                self._client.extend(
                    *self._claims(),
                    ttl=f"PT{seconds:.3f}S",
                    deadline=every,
                    stop=self._over,
                )
                good_until = sent_at + seconds
            except exceptions.GanttError as error:
                if self._over.is_set():
                    return
                is_refused = (
                    isinstance(error, exceptions.ServiceError)
                    and not error.faults
                )
                # Without an answer the claim may still live until its end.
                if is_refused or clock.now() >= good_until:
                    self._lose(error)
                    return
                LOG.warning("a claim was not extended: %s", error)

    def _lose(self, error: exceptions.GanttError) -> None:
        self._why = error
        self._lost.set()
        if self._on_lost is not None:
            lost = exceptions.RoomLost(
                f"the claim on {self.host.name} has ended: {error}"
            )
            self._on_lost(lost)

    def _release(self) -> None:
        if not self._claims():
            return
        try:
            self._client.release(
                *self._claims(), reason="the block that held it has failed"
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
            raise error from failure
        if error.__cause__ is None:
            raise
        raise error.__cause__ from None

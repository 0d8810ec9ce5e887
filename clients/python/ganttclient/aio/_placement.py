"""The calls of the asyncio client that choose hosts and change claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Callable

from ganttclient import exceptions, models
from ganttclient.aio._base import AsyncBase
from ganttclient.aio._blocks import AsyncHold
from ganttclient.hold import refuse_counted
from ganttclient.models import Claim, Duration, Name, Placement


class AsyncPlacementCalls(AsyncBase):
    """The calls of Client that claim resources, as coroutines."""

    async def select(
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
    ) -> Placement:
        """Choose hosts, as Client.select() does."""
        return await self._keyed(
            self.client.select,
            idempotency_key,
            spec,
            nova=nova,
            legacy=legacy,
            profile=profile,
            claim=claim,
            ttl=ttl,
            until_counted=until_counted,
            intent=intent,
            move_of=move_of,
            alternates=alternates,
            all_or_nothing=all_or_nothing,
            min_revision=min_revision,
            wait_for_room=wait_for_room,
            deadline=deadline,
        )

    async def claim(
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
    ) -> Placement:
        """Claim resources on a host, as Client.claim() does."""
        return await self._keyed(
            self.client.claim,
            idempotency_key,
            decision_id,
            host,
            instance_uuid=instance_uuid,
            mode=mode,
            ttl=ttl,
            move_of=move_of,
            deadline=deadline,
        )

    async def confirm(
        self, *claims: Claim, deadline: float | None = None
    ) -> Sequence[Claim]:
        """Confirm reservations, as Client.confirm() does."""
        return await self.run(self.client.confirm, *claims, deadline=deadline)

    async def extend(
        self, *claims: Claim, ttl: Duration, deadline: float | None = None
    ) -> Sequence[Claim]:
        """Extend reservations, as Client.extend() does."""
        extend = self.client.extend
        return await self.run(extend, *claims, ttl=ttl, deadline=deadline)

    async def release(
        self,
        *claims: Claim,
        reason: str | None = None,
        deadline: float | None = None,
    ) -> Sequence[Claim]:
        """Release claims, as Client.release() does."""
        release = self.client.release
        return await self.run(
            release, *claims, reason=reason, deadline=deadline
        )

    async def abandon(
        self, idempotency_key: str, *, deadline: float | None = None
    ) -> Sequence[Claim]:
        """Release all claims of a key, as Client.abandon() does."""
        abandon = self.client.abandon
        return await self.run(abandon, idempotency_key, deadline=deadline)

    def hold(
        self,
        spec: Mapping[str, Any] | Placement | None = None,
        *,
        nova: Any = None,
        legacy: Mapping[str, Any] | None = None,
        profile: str | None = None,
        claim: str = "RESERVE",
        ttl: Duration | None = None,
        until_counted: bool = False,
        on_lost: Callable[[exceptions.RoomLost], None] | None = None,
        intent: str | None = None,
        move_of: Claim | None = None,
        alternates: int | None = None,
        all_or_nothing: bool | None = None,
        min_revision: str | None = None,
        idempotency_key: str | None = None,
        wait_for_room: bool = False,
        deadline: float | None = None,
    ) -> AsyncHold:
        """Hold a claim while a block runs, as Client.hold() does.

        If the room is lost, the block is cancelled, and RoomLost is raised.
        """
        refuse_counted(spec, until_counted)
        options = {
            "nova": nova,
            "legacy": legacy,
            "profile": profile,
            "claim": claim,
            "ttl": ttl,
            "on_lost": on_lost,
            "intent": intent,
            "move_of": move_of,
            "alternates": alternates,
            "all_or_nothing": all_or_nothing,
            "min_revision": min_revision,
            "idempotency_key": idempotency_key,
            "wait_for_room": wait_for_room,
            "deadline": deadline,
        }
        return AsyncHold(self.client, self._pool, spec, options)

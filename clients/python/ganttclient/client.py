"""The client of today's API."""

from __future__ import annotations

import ssl
from collections.abc import Mapping, Sequence
from typing import Any, Callable

from ganttclient import _retry, exceptions
from ganttclient._caller import Caller
from ganttclient._fleet import FleetCalls
from ganttclient._keys import KeySource
from ganttclient._placement import PlacementCalls
from ganttclient._reports import ReportCalls
from ganttclient._retry import Clock, Stop
from ganttclient.hold import Hold, choose_or_abandon, refuse_counted
from ganttclient.models import Claim, Duration, Placement


class Client(PlacementCalls, ReportCalls, FleetCalls):
    """A client of a Gantt service.

    It is safe for threads, keeps connections open, and never shows the API
    key in a message or a repr.  Calls that are safe to repeat are repeated
    until they are answered or their deadline has passed.

    :param url: the URL of the GraphQL endpoint, such as
        ``http://127.0.0.1:4400/graphql``, or a list with the URL of each
        replica, in the order of preference
    :param key: the API key, or a function that reads it, for example from a
        file.  The function is called again when the service refuses the key
    :param deadline: the time limit of a call in seconds, with all attempts
    :param attempt_timeout: the time limit of one attempt in seconds
    :param for_project: True if the key is bound to a project.  The client
        then asks only for what such a key may read: alternates and limits
        are empty, and zones and weights are None
    :param hedge: whether a slow call with an idempotency key is sent once
        more to another replica, for at most one call in twenty
    :param ssl_context: how certificates are checked; the system's way if
        None
    :param clock: the source of time and randomness, for tests
    :raises ValueError: if a URL is not an http or https address
    """

    def __init__(
        self,
        url: str | Sequence[str],
        key: KeySource = None,
        *,
        deadline: float = _retry.DEADLINE,
        attempt_timeout: float = _retry.ATTEMPT,
        for_project: bool = False,
        hedge: bool = True,
        ssl_context: ssl.SSLContext | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.clock = clock or Clock()
        self._caller = Caller(url, key, ssl_context, hedge, self.clock)
        self._deadline = deadline
        self._attempt_timeout = attempt_timeout
        self._for_project = for_project

    def __repr__(self) -> str:
        urls = ", ".join(self._caller.urls)
        return f"<{type(self).__name__} {urls}>"

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the open connections.  A later call opens new ones."""
        self._caller.endpoints.close()

    def request(
        self,
        query: str,
        variables: Mapping[str, Any] | None = None,
        *,
        deadline: float | None = None,
        stop: Stop | None = None,
    ) -> Mapping[str, Any]:
        """Send any GraphQL operation once, and return its data.

        :param deadline: the time limit in seconds
        :raises ServiceError: for top-level errors of the answer
        """
        limit = self._deadline if deadline is None else deadline
        options = _retry.CallOptions(limit, limit, stop or Stop())
        return self._caller.request(query, variables or {}, options)

    def query(
        self,
        query: str,
        variables: Mapping[str, Any] | None = None,
        *,
        deadline: float | None = None,
        stop: Stop | None = None,
    ) -> Mapping[str, Any]:
        """Send any query, which is repeated until it is answered.

        Do not use it for mutations, which can take effect twice.
        """
        return self._ask(query, variables or {}, deadline, stop)

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
        stop: Stop | None = None,
    ) -> Hold:
        """Choose hosts, and hold their claims while a block runs.

        ::

            with client.hold({"flavor": {...}}) as held:
                start_on(held.host.name)
                held.check()

        The claims are extended while the block runs, confirmed when it ends
        well, and released when it raises.  If the room is lost before,
        ``held.check()`` and the end of the block raise RoomLost.

        :param spec: a request in Gantt's form, or a placement whose claims
            are reserved, such as one from claim()
        :param ttl: how long the reservation lasts without an extension
        :param until_counted: must be False, because the end of the block
            confirms the claim
        :param on_lost: called from another thread when the claim is lost
        :param idempotency_key: the key of the call.  If the caller draws
            none, and no answer comes, what was claimed is released
        :raises NoValidHost: if no host takes the instance
        :raises ValueError: if the reservation ends when its host counts it

        The other arguments are those of select(), and have no effect on a
        placement.
        """
        refuse_counted(spec, until_counted)
        if isinstance(spec, Placement):
            placement = spec
            return Hold(self, lambda: placement, ttl, on_lost, True)
        request = spec

        def choose() -> Placement:
            return self.select(
                request,
                nova=nova,
                legacy=legacy,
                profile=profile,
                claim=claim,
                ttl=ttl,
                intent=intent,
                move_of=move_of,
                alternates=alternates,
                all_or_nothing=all_or_nothing,
                min_revision=min_revision,
                idempotency_key=idempotency_key,
                wait_for_room=wait_for_room,
                deadline=deadline,
                stop=stop,
            )

        if idempotency_key is not None:
            return Hold(self, choose, ttl, on_lost)
        return Hold(
            self, lambda: choose_or_abandon(self, choose), ttl, on_lost
        )

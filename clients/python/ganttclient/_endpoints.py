"""The endpoints of a service, and which of them gets the next call."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Sequence

from ganttclient import _retry, exceptions, faults
from ganttclient._connection import Endpoint
from ganttclient._retry import Clock

#: For how many seconds an endpoint that failed is avoided.  The time doubles
#: with each further failure in a row.
AVOIDED = 5.0
MAX_AVOIDED = 60.0
#: HTTP statuses of a proxy that got no answer from the endpoint.
_NO_SERVICE = frozenset((408, 502, 503, 504))


class _State:
    """What is known about an endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        #: How often the endpoint failed in a row.
        self.failures = 0
        #: When the endpoint failed last, and until when it is avoided.
        self.failed_at = float("-inf")
        self.avoided_until = float("-inf")
        #: The endpoint stated that it must not be called before this time.
        self.stated = float("-inf")


class Endpoints:
    """The endpoints of a service, in the order of preference.

    An endpoint that failed is avoided for a time, and so is an endpoint that
    stated a time before which it must not be called.  The class is safe for
    threads.

    :param url: the address of an endpoint, or several
    """

    def __init__(
        self,
        url: str | Sequence[str],
        context: ssl.SSLContext | None,
        clock: Clock,
    ) -> None:
        urls = [url] if isinstance(url, str) else list(url)
        if not urls:
            raise ValueError("url is an empty list; it must name an endpoint")
        for one in urls:
            if urls.count(one) > 1:
                raise ValueError(
                    f"url has {one} twice; each endpoint must be listed once"
                )
        self._clock = clock
        self._lock = threading.Lock()
        self._states = [_State(Endpoint(one, context)) for one in urls]
        _retry.watch_forks(self)

    @property
    def all(self) -> list[Endpoint]:
        """The endpoints, in the order of preference."""
        return [state.endpoint for state in self._states]

    def answered(self, endpoint: Endpoint, began: float) -> None:
        """Take note that an endpoint answered a call.

        :param began: when the call began
        """
        with self._lock:
            self._answered(self._of(endpoint), began)

    def failed(
        self, endpoint: Endpoint, began: float, error: BaseException
    ) -> None:
        """Take note of the error with which a call ended."""
        with self._lock:
            state = self._of(endpoint)
            now = self._clock.now()
            if not _is_failure(error):
                if isinstance(error, exceptions.ServiceError):
                    self._answered(state, began)
            # Of calls that were in progress together, only one counts.
            elif began >= state.failed_at:
                wait = AVOIDED * 2.0 ** min(state.failures, 10)
                state.avoided_until = now + min(MAX_AVOIDED, wait)
                state.failures += 1
                state.failed_at = now
            pause = _retry.retry_after(error)
            if pause:
                state.stated = max(state.stated, now + pause)
                state.failed_at = now

    def close(self) -> None:
        """Close the idle connections."""
        for endpoint in self.all:
            endpoint.close()

    def _after_fork(self) -> None:
        self._lock = threading.Lock()

    def _answered(self, state: _State, began: float) -> None:
        if began >= state.failed_at:
            state.failures = 0
            state.avoided_until = float("-inf")
            state.stated = float("-inf")

    def _of(self, endpoint: Endpoint) -> _State:
        return self._states[self.all.index(endpoint)]


class Choice:
    """The endpoints for the attempts of one call."""

    def __init__(self, endpoints: Endpoints, clock: Clock) -> None:
        self._endpoints = endpoints
        self._clock = clock
        count = len(endpoints.all)
        self._tried = [0] * count
        #: Before these times the endpoints do not suit this call.
        self._behind = [float("-inf")] * count

    def avoid(self, endpoint: Endpoint, pause: float) -> None:
        """Avoid an endpoint for this call only."""
        at = self._endpoints.all.index(endpoint)
        until = self._clock.now() + pause
        self._behind[at] = max(self._behind[at], until)

    def failed(self, endpoint: Endpoint, error: BaseException) -> None:
        """Have this call wait for the time that its error states, if any."""
        pause = _retry.retry_after(error)
        if pause:
            self.avoid(endpoint, pause)

    def next(self) -> Endpoint:
        """Return the endpoint for the next attempt, and count it."""
        at = self._best()
        self._tried[at] += 1
        return self._endpoints.all[at]

    def other(self, first: Endpoint) -> Endpoint | None:
        """Return an endpoint for a second copy of an attempt, if any.

        :meth:`count` counts it when the copy is sent.
        """
        now = self._clock.now()
        for at, endpoint in enumerate(self._endpoints.all):
            if endpoint is not first and self._avoided_until(at) <= now:
                return endpoint
        return None

    def count(self, endpoint: Endpoint) -> None:
        """Count that an attempt is sent to an endpoint."""
        self._tried[self._endpoints.all.index(endpoint)] += 1

    def ready_in(self) -> float:
        """Return after how many seconds the next attempt may begin.

        Times that were stated to other calls only decide which endpoint is
        next; this call does not wait for them.
        """
        return max(0.0, self._behind[self._best()] - self._clock.now())

    def _best(self) -> int:
        now = self._clock.now()

        def rank(at: int) -> tuple[float, ...]:
            if self._avoided_until(at) <= now:
                return (0, self._tried[at], at)
            stated = max(now, self._stated(at))
            return (1, stated, self._tried[at], self._avoided_until(at), at)

        return min(range(len(self._tried)), key=rank)

    def _stated(self, at: int) -> float:
        return max(self._endpoints._states[at].stated, self._behind[at])

    def _avoided_until(self, at: int) -> float:
        state = self._endpoints._states[at]
        return max(state.avoided_until, self._stated(at))


def _is_failure(error: BaseException) -> bool:
    """Return whether an error means that the endpoint does not work."""
    if isinstance(error, exceptions.ProtocolError):
        return error.status in _NO_SERVICE
    return isinstance(
        error,
        (
            exceptions.UnreachableError,
            faults.Unavailable,
            faults.DeadlineExceeded,
        ),
    )

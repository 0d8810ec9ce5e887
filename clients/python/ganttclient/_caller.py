"""Calls of the service, with retries that are safe."""

from __future__ import annotations

import ssl
from collections.abc import Mapping, Sequence
from typing import (
    Any,
    Callable,
)

from ganttclient import _retry, _transport, exceptions
from ganttclient._connection import Endpoint
from ganttclient._endpoints import Choice, Endpoints
from ganttclient._hedge import Hedging, Race
from ganttclient._keys import Keyring, KeySource
from ganttclient._retry import AskAgain, CallOptions, Clock, Stop

Data = dict[str, Any]


class Verdict:
    """What an answer means for the call that it answers.

    :ivar is_success: whether the answer is what the call was for
    :ivar pause: the least pause before a retry in seconds; None if the
        answer requires no retry
    :ivar is_of_replica: whether another replica may be asked at once
    :ivar error: returns the exception for a refusal
    """

    def __init__(
        self,
        is_success: bool,
        pause: float | None = None,
        is_of_replica: bool = False,
        error: Callable[[], exceptions.GanttError] | None = None,
    ) -> None:
        self.is_success = is_success
        self.pause = pause
        self.is_of_replica = is_of_replica
        self.error = error


class Caller:
    """Sends calls to the endpoints of one service.

    :param url: the address of an endpoint, or several
    :param key: the API key, or a function that reads it
    :param hedge: whether slow calls with a key are sent twice
    """

    def __init__(
        self,
        url: str | Sequence[str],
        key: KeySource,
        ssl_context: ssl.SSLContext | None,
        hedge: bool,
        clock: Clock,
    ) -> None:
        self.endpoints = Endpoints(url, ssl_context, clock)
        self.keys = Keyring(key)
        self.clock = clock
        self.hedging: Hedging | None = None
        if hedge and len(self.endpoints.all) > 1:
            self.hedging = Hedging()

    @property
    def urls(self) -> list[str]:
        """The addresses of the endpoints."""
        return [endpoint.url for endpoint in self.endpoints.all]

    def request(
        self, query: str, variables: Mapping[str, Any], options: CallOptions
    ) -> Data:
        """Send a call once, without retries, and return its data."""
        body = _transport.body_of(query, variables)
        limit = min(options.deadline, options.attempt_timeout)
        endpoint = Choice(self.endpoints, self.clock).next()
        return self.send(endpoint, body, limit, options.stop)

    def ask(
        self, query: str, variables: Mapping[str, Any], options: CallOptions
    ) -> Data:
        """Send a call that can be repeated, and return its data."""
        body = _transport.body_of(query, variables)
        choice = Choice(self.endpoints, self.clock)

        def attempt(limit: float) -> Data:
            endpoint = choice.next()
            return self.send(endpoint, body, limit, options.stop, choice)

        return _retry.repeat(
            attempt, self.clock, options, choice.ready_in, lambda error: None
        )

    def ask_with_key(
        self,
        key: str,
        query: str,
        variables: Mapping[str, Any],
        options: CallOptions,
        judge: Callable[[Data], Verdict],
    ) -> Data:
        """Send a call that can be repeated because it has a key.

        :param key: the idempotency key
        :param judge: says what an answer means
        :raises UnknownOutcome: if the call failed or was refused, and one of
            its attempts may have taken effect or may still do so
        """
        call = _KeyedCall(self, query, variables, options.stop, judge)
        uncertain = []

        def on_failure(error: BaseException) -> None:
            if _retry.may_have_happened(error):
                uncertain.append(error)

        def attempt(limit: float) -> Data | AskAgain[Data]:
            return call.attempt(limit, on_failure)

        try:
            data = _retry.repeat(
                attempt, self.clock, options, call.choice.ready_in, on_failure
            )
        except exceptions.GanttError as error:
            if uncertain:
                raise exceptions.UnknownOutcome(error, key) from error
            raise
        refusal = judge(data).error
        if uncertain and refusal is not None:
            # The attempt without an answer may claim after this refusal.
            cause = refusal()
            raise exceptions.UnknownOutcome(cause, key) from cause
        return data

    def send(
        self,
        endpoint: Endpoint,
        body: bytes,
        limit: float,
        stop: Stop,
        choice: Choice | None = None,
    ) -> Data:
        """Send a call once to an endpoint.

        :param choice: takes note of a time that the answer states
        """
        began = self.clock.now()
        try:
            data = _transport.send(endpoint, self.keys, body, limit, stop)
        except exceptions.GanttError as error:
            self.endpoints.failed(endpoint, began, error)
            if choice is not None:
                choice.failed(endpoint, error)
            raise
        self.endpoints.answered(endpoint, began)
        return data


class _KeyedCall:
    """The attempts of one call that has an idempotency key."""

    def __init__(
        self,
        caller: Caller,
        query: str,
        variables: Mapping[str, Any],
        stop: Stop,
        judge: Callable[[Data], Verdict],
    ) -> None:
        self._caller = caller
        self._body = _transport.body_of(query, variables)
        self._stop = stop
        self._judge = judge
        self._query = query
        self._hedging = caller.hedging
        #: After how many seconds the call is sent again, at most once.
        self._slow: float | None = None
        if self._hedging is not None:
            self._slow = self._hedging.begin(query)
        self.choice = Choice(caller.endpoints, caller.clock)

    def attempt(
        self, limit: float, on_failure: Callable[[BaseException], None]
    ) -> Data | AskAgain[Data]:
        """Send the call, and judge the answer."""
        first = self.choice.next()
        slow = self._slow
        clock = self._caller.clock
        start = clock.now()
        if slow is None or slow >= limit:
            data = self._send(first, limit, self._stop)
        else:
            data = self._race(first, limit, slow, on_failure)
        if self._hedging is not None:
            self._hedging.add(self._query, clock.now() - start)
        verdict = self._judge(data)
        if verdict.pause is None:
            return data
        return AskAgain(data, 0.0 if verdict.is_of_replica else verdict.pause)

    def _race(
        self,
        first: Endpoint,
        limit: float,
        slow: float,
        on_failure: Callable[[BaseException], None],
    ) -> Data:
        def second() -> Callable[[Stop], Data] | None:
            other = self.choice.other(first)
            if other is None or self._hedging is None:
                return None
            if not self._hedging.may_hedge():
                return None
            self._slow = None
            endpoint = other
            self.choice.count(endpoint)
            return lambda stop: self._send(endpoint, limit - slow, stop)

        race = Race(self._stop, lambda data: self._judge(data).is_success)
        return race.run(
            lambda stop: self._send(first, limit, stop),
            slow,
            second,
            on_failure,
        )

    def _send(self, endpoint: Endpoint, limit: float, stop: Stop) -> Data:
        data = self._caller.send(
            endpoint, self._body, limit, stop, self.choice
        )
        verdict = self._judge(data)
        if verdict.pause is not None and verdict.is_of_replica:
            self.choice.avoid(endpoint, verdict.pause)
        return data


class Base:
    """Sends calls with the time limits of the client."""

    _caller: Caller
    _deadline: float
    _attempt_timeout: float
    _for_project: bool

    def _options(
        self, deadline: float | None, stop: Stop | None
    ) -> CallOptions:
        return CallOptions(
            self._deadline if deadline is None else deadline,
            self._attempt_timeout,
            Stop() if stop is None else stop,
        )

    def _ask(
        self,
        query: str,
        variables: Mapping[str, Any],
        deadline: float | None,
        stop: Stop | None,
    ) -> Data:
        options = self._options(deadline, stop)
        return self._caller.ask(query, variables, options)

    def _ask_with_key(
        self,
        key: str,
        query: str,
        variables: Mapping[str, Any],
        judge: Callable[[Data], Verdict],
        deadline: float | None,
        stop: Stop | None,
    ) -> Data:
        options = self._options(deadline, stop)
        return self._caller.ask_with_key(key, query, variables, options, judge)

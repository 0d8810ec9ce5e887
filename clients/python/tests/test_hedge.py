"""Tests which times of attempts decide when a call is sent twice."""

from __future__ import annotations

import unittest

import ganttclient
from ganttclient import exceptions
from tests import scripted_server as script
from tests.test_transport import SPEC, ScriptedTest

PLACED = script.data(**script.placed())
REFUSED = script.data(
    selectDestinations={
        "__typename": "NoValidHost",
        "code": "NO_VALID_HOST",
        "message": "all hosts are full",
        "reasons": [],
    }
)


class HandClock(ganttclient.Clock):
    """A clock whose time the test sets; its pauses pass at once."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.time

    def random(self) -> float:
        return 0.0

    def wait(self, seconds: float, stop: ganttclient.Stop) -> None:
        self.time += seconds


class DurationTest(ScriptedTest):
    def times(
        self, first: script.ScriptedServer, second: script.ScriptedServer
    ) -> list[float]:
        """Return the times that the 21st call adds, which is sent twice."""
        clock = HandClock()
        client = ganttclient.Client([first.url, second.url], clock=clock)
        self.addCleanup(client.close)
        for _ in range(20):
            client.select(SPEC)
        hedging = client._caller.hedging
        assert hedging is not None
        added: list[float] = []

        def may_hedge() -> bool:
            # It is called after the first copy is sent, before the second.
            clock.time += 3.0
            return True

        def add(_operation: str, duration: float) -> None:
            added.append(duration)

        vars(hedging).update(may_hedge=may_hedge, add=add)
        client.select(SPEC)
        return added

    def test_the_time_of_an_attempt_begins_with_its_first_copy(self) -> None:
        first = self.serve(*[PLACED] * 20, script.never)
        self.assertEqual(self.times(first, self.serve(PLACED)), [3.0])

    def test_an_attempt_with_two_answers_has_one_time(self) -> None:
        def later(handler: script.Handler) -> None:
            handler.server.go_on.wait()
            PLACED(handler)

        def refusing(handler: script.Handler) -> None:
            REFUSED(handler)
            first.go_on.set()

        first = self.serve(*[PLACED] * 20, later)
        self.assertEqual(self.times(first, self.serve(refusing)), [3.0])

    def test_a_failed_attempt_has_no_time(self) -> None:
        server = self.serve(script.fault("FORBIDDEN", 403))
        client = ganttclient.Client([server.url, "http://127.0.0.1:1/"])
        self.addCleanup(client.close)
        with self.assertRaises(exceptions.Forbidden):
            client.select(SPEC)
        hedging = client._caller.hedging
        assert hedging is not None
        self.assertEqual(hedging._durations, {})


if __name__ == "__main__":
    unittest.main()

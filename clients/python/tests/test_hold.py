"""Tests how a claim is held while a block runs."""

from __future__ import annotations

import threading
import unittest
from datetime import timedelta
from typing import Any, Callable

import ganttclient
from ganttclient import exceptions, models
from tests import scripted_server as script
from tests.test_transport import SPEC, ScriptedTest


class StepClock(ganttclient.Clock):
    """A clock that goes on by ``step`` seconds each time it is read."""

    def __init__(self) -> None:
        self._now = 0.0
        self.step = 0.0

    def now(self) -> float:
        self._now += self.step
        return self._now


class HoldTest(ScriptedTest):
    def test_a_block_that_ends_well_confirms(self) -> None:
        server = self.serve(
            script.data(**script.placed()),
            script.changed("claimConfirm", "CONFIRMED"),
        )
        with self.open(server).hold(SPEC, ttl=timedelta(minutes=5)) as held:
            self.assertEqual(held.host.name, "a")
            self.assertFalse(held.is_lost)
        self.assertEqual(held.confirmed[0].state, "CONFIRMED")
        claim = server.calls[0]["variables"]["input"]["claim"]
        self.assertEqual(claim, {"mode": "RESERVE", "ttl": "PT300.000S"})
        self.assertEqual(
            server.operations(), ["SelectDestinations", "ClaimConfirm"]
        )

    def test_a_block_that_raises_releases(self) -> None:
        server = self.serve(
            script.data(**script.placed()),
            script.changed("claimRelease", "RELEASED"),
        )
        hold = self.open(server).hold(SPEC)
        with self.assertRaises(KeyboardInterrupt), hold:
            raise KeyboardInterrupt
        self.assertEqual(
            server.operations(), ["SelectDestinations", "ClaimRelease"]
        )

    def test_a_release_that_fails_does_not_hide_the_error(self) -> None:
        server = self.serve(
            script.data(**script.placed()), script.fault("INTERNAL", 500)
        )
        hold = self.open(server).hold(SPEC)
        with self.assertLogs("ganttclient.hold", "WARNING"):
            with self.assertRaises(ZeroDivisionError), hold:
                raise ZeroDivisionError
        self.assertIsNotNone(hold.not_released)

    def test_the_claim_is_extended_until_the_service_refuses(self) -> None:
        server = self.serve(
            script.data(**script.placed()),
            script.changed("claimExtend", "RESERVED"),
            script.refused("claimExtend", "ClaimLost", "CLAIM_LOST"),
            script.refused("claimRelease", "ClaimLost", "CLAIM_LOST"),
        )
        seen: list[exceptions.RoomLost] = []
        hold = self.open(server).hold(SPEC, ttl="PT3S", on_lost=seen.append)
        with self.assertRaisesRegex(exceptions.RoomLost, "ClaimLost it is"):
            with hold as held:
                self.assertTrue(held.wait_lost(60))
        self.assertEqual(len(seen), 1)
        self.assertEqual(server.operations()[1:3], ["ClaimExtend"] * 2)
        ttl = server.calls[1]["variables"]["ttl"]
        self.assertEqual(ttl, "PT3.000S")

    def test_without_answers_the_claim_is_lost_when_its_time_is_over(
        self,
    ) -> None:
        server = self.serve(script.data(**script.placed()), script.lost)
        clock = StepClock()
        client = self.open(server, clock=clock, deadline=1)
        with self.assertLogs("ganttclient.hold", "WARNING"):
            with self.assertRaises(exceptions.RoomLost):
                with client.hold(SPEC, ttl="PT0.3S") as held:
                    clock.step = 10
                    self.assertTrue(held.wait_lost(60))

    def test_an_extension_that_fails_is_soon_tried_again(self) -> None:
        broken = script.fault("INTERNAL", 500)
        server = self.serve(script.data(**script.placed()), broken)
        client = self.open(server)
        with self.assertLogs("ganttclient.hold", "WARNING"):
            # The last extensions have too little time for an answer.
            with self.assertRaises(exceptions.RoomLost):
                with client.hold(SPEC, ttl="PT3S") as held:
                    self.assertTrue(held.wait_lost(60))
        # After each third of the duration, there would be only two.
        self.assertGreater(server.operations().count("ClaimExtend"), 3)

    def test_an_on_lost_that_raises_changes_nothing_else(self) -> None:
        server = self.serve(
            script.data(**script.placed()),
            script.refused("claimConfirm", "ClaimLost", "CLAIM_LOST"),
            script.refused("claimRelease", "ClaimLost", "CLAIM_LOST"),
        )

        def on_lost(lost: exceptions.RoomLost) -> None:
            raise ZeroDivisionError

        with self.assertLogs("ganttclient.hold", "ERROR") as logs:
            with self.assertRaises(exceptions.RoomLost):
                with self.open(server).hold(SPEC, on_lost=on_lost):
                    pass
        self.assertIn("ZeroDivisionError", logs.output[0])
        self.assertEqual(server.operations()[-1], "ClaimRelease")

    def test_a_confirmation_that_is_refused(self) -> None:
        server = self.serve(
            script.data(**script.placed()),
            script.refused("claimConfirm", "ClaimLost", "CLAIM_LOST"),
            script.refused("claimRelease", "ClaimLost", "CLAIM_LOST"),
        )
        with self.assertRaises(exceptions.RoomLost) as caught:
            with self.open(server).hold(SPEC):
                pass
        self.assertIsInstance(caught.exception.__cause__, exceptions.ClaimLost)

    def test_a_confirmation_without_an_answer(self) -> None:
        server = self.serve(script.data(**script.placed()), script.lost)
        client = self.open(server, deadline=1)
        with self.assertRaises(exceptions.NotConfirmed) as caught:
            with client.hold(SPEC):
                pass
        self.assertIn("confirm()", caught.exception.remedy)

    def test_an_ended_claim_is_not_held(self) -> None:
        server = self.serve(
            script.data(**script.placed(state="EXPIRED")),
            script.refused("claimRelease", "ClaimLost", "CLAIM_LOST"),
        )
        with self.assertRaisesRegex(exceptions.RoomLost, "EXPIRED"):
            with self.open(server).hold(SPEC, idempotency_key="k"):
                self.fail("the block must not run")

    def test_without_a_claim_the_block_does_not_run(self) -> None:
        answer = script.placed()
        destination = answer["selectDestinations"]["destinations"][0]
        destination["selected"]["claim"] = None
        server = self.serve(script.data(**answer))
        with self.assertRaisesRegex(exceptions.RoomLost, "nothing"):
            with self.open(server).hold(SPEC, claim="NONE"):
                self.fail("the block must not run")

    def test_a_placement_is_held(self) -> None:
        extended = threading.Event()

        def extend(handler: script.Handler) -> None:
            script.changed("claimExtend", "RESERVED")(handler)
            extended.set()

        server = self.serve(
            script.data(**script.placed()),
            extend,
            script.changed("claimConfirm", "CONFIRMED"),
        )
        client = self.open(server)
        # Nobody knows how old the claim is, so it is extended at once.
        with client.hold(client.select(SPEC)) as held:
            self.assertEqual(held.claim.id, "c-1")
            self.assertTrue(extended.wait(60))
        self.assertEqual(len(server.calls), 3)

    def test_a_reservation_until_its_host_counts_it_is_not_held(self) -> None:
        server = self.serve(script.data(**script.placed()))
        client = self.open(server)
        aio = ganttclient.AsyncClient(server.url)
        self.addCleanup(aio.client.close)
        placement = client.select(SPEC, until_counted=True)
        holds: list[Callable[[], object]] = [
            lambda: client.hold(SPEC, until_counted=True),
            lambda: client.hold(placement),
            lambda: aio.hold(SPEC, until_counted=True),
            lambda: aio.hold(placement),
        ]
        for hold in holds:
            with self.assertRaisesRegex(ValueError, "call select"):
                hold()
        self.assertEqual(len(server.calls), 1)

    def test_a_reservation_that_only_its_time_ends_is_held(self) -> None:
        answer = script.placed()
        # The fleet is below the feature level.
        ignored = ["claim.untilCounted"]
        answer["selectDestinations"]["ignoredFields"] = ignored
        client = self.open(self.serve(script.data(**answer)))
        placement = client.select(SPEC, until_counted=True)
        self.assertFalse(placement.until_counted)
        self.assertIsInstance(client.hold(placement), ganttclient.Hold)

    def test_a_hold_is_for_one_block(self) -> None:
        server = self.serve(
            script.data(**script.placed()),
            script.changed("claimConfirm", "CONFIRMED"),
        )
        hold = self.open(server).hold(SPEC)
        with hold:
            pass
        with self.assertRaisesRegex(RuntimeError, "one block"):
            hold.__enter__()
        self.assertEqual(len(server.calls), 2)

    def test_a_lost_answer_without_a_key_is_abandoned(self) -> None:
        ended = {
            "__typename": "ClaimPayload",
            "replayed": False,
            "fleetRevision": "2",
            "claims": [],
        }
        answered = threading.Event()

        def answer(handler: script.Handler) -> None:
            if "claimAbandon" in handler.server.calls[-1]["query"]:
                answered.set()
                script.data(claimAbandon=ended)(handler)
            else:
                script.lost(handler)

        server = self.serve(answer)
        client = self.open(server, deadline=1)
        with self.assertRaises(exceptions.UnreachableError):
            client.hold(SPEC).__enter__()
        self.assertTrue(answered.is_set())
        keys = {_key_of(call["variables"]) for call in server.calls}
        self.assertEqual(len(keys), 1)
        answered.clear()
        with self.assertRaises(exceptions.UnknownOutcome):
            client.hold(SPEC, idempotency_key="mine").__enter__()
        self.assertFalse(answered.is_set())


def _key_of(variables: dict[str, Any]) -> Any:
    return variables.get("key") or variables["input"]["idempotencyKey"]


class DurationTest(unittest.TestCase):
    def test_durations(self) -> None:
        rows: list[tuple[models.Duration, float]] = [
            ("PT2M", 120),
            ("PT0.5S", 0.5),
            ("P1DT12H", 129600),
            (timedelta(hours=1), 3600),
        ]
        for text, seconds in rows:
            self.assertEqual(models.seconds_of(text), seconds)
        for wrong in ("", "P", "PT", "2M", "PT2M ", "P1W"):
            with self.assertRaises(ValueError):
                models.seconds_of(wrong)


if __name__ == "__main__":
    unittest.main()

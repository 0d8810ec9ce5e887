"""Tests that nothing stays claimed under a key that nobody knows."""

from __future__ import annotations

import asyncio
import threading
import unittest
from collections.abc import Sequence
from typing import Any

import ganttclient
from ganttclient import exceptions, models
from tests import scripted_server as script
from tests.recorded_clock import RecordedClock
from tests.test_transport import SPEC, ScriptedTest

REFUSED = {
    "selectDestinations": {
        "__typename": "NoValidHost",
        "code": "NO_VALID_HOST",
        "message": "all hosts are full",
        "reasons": [],
    }
}
ABANDONED = {
    "claimAbandon": {
        "__typename": "ClaimPayload",
        "replayed": False,
        "fleetRevision": "2",
        "claims": [],
    }
}


class InterruptedClock(RecordedClock):
    """A clock whose first wait is interrupted by the user."""

    def wait(self, seconds: float, stop: ganttclient.Stop) -> None:
        if not self.waits:
            self.waits.append(seconds)
            raise KeyboardInterrupt
        super().wait(seconds, stop)


def keys_of(server: script.ScriptedServer) -> set[Any]:
    return {
        variables.get("key") or variables["input"]["idempotencyKey"]
        for variables in (call["variables"] for call in server.calls)
    }


class KeysGivenUpTest(ScriptedTest):
    def test_a_refusal_after_a_lost_answer(self) -> None:
        server = self.serve(
            script.lost, script.data(**REFUSED), script.data(**ABANDONED)
        )
        with self.assertRaisesRegex(exceptions.NoValidHost, "full"):
            self.open(server).select(SPEC, claim="CONFIRM")
        self.assertEqual(
            server.operations(),
            ["SelectDestinations", "SelectDestinations", "ClaimAbandon"],
        )
        self.assertEqual(len(keys_of(server)), 1)

    def test_a_refusal_after_a_lost_answer_with_the_key_of_the_caller(
        self,
    ) -> None:
        server = self.serve(script.lost, script.data(**REFUSED))
        with self.assertRaises(exceptions.UnknownOutcome) as caught:
            self.open(server).select(SPEC, idempotency_key="mine")
        self.assertEqual(caught.exception.idempotency_key, "mine")
        self.assertIsInstance(
            caught.exception.__cause__, exceptions.NoValidHost
        )
        self.assertEqual(len(server.calls), 2)

    def test_a_refusal_alone_abandons_nothing(self) -> None:
        server = self.serve(script.data(**REFUSED))
        with self.assertRaises(exceptions.NoValidHost):
            self.open(server).select(SPEC)
        self.assertEqual(server.operations(), ["SelectDestinations"])

    def test_a_refused_key_that_cannot_be_abandoned(self) -> None:
        server = self.serve(
            script.lost,
            script.data(**REFUSED),
            script.fault("FORBIDDEN", 403),
        )
        with self.assertLogs("ganttclient", "WARNING"):
            with self.assertRaises(exceptions.UnknownOutcome):
                self.open(server).select(SPEC)

    def test_an_interrupt_of_the_user(self) -> None:
        for call in ("select", "hold", "juno"):
            server = self.serve(script.lost, script.data(**ABANDONED))
            client = self.open(server, clock=InterruptedClock())
            juno = ganttclient.SchedulerClient(
                server.url, claim="CONFIRM", clock=InterruptedClock()
            )
            self.addCleanup(juno.close)
            with self.assertRaises(KeyboardInterrupt):
                if call == "select":
                    client.select(SPEC, claim="CONFIRM")
                elif call == "hold":
                    client.hold(SPEC).__enter__()
                else:
                    juno.select_destinations(None, {}, {})
            self.assertEqual(
                server.operations(), ["SelectDestinations", "ClaimAbandon"]
            )
            self.assertEqual(len(keys_of(server)), 1)

    def test_the_cause_stays_if_a_key_is_not_abandoned(self) -> None:
        server = self.serve(script.lost, script.fault("FORBIDDEN", 403))
        clock = RecordedClock()
        client = self.open(server, clock=clock, deadline=0.001)
        with self.assertLogs("ganttclient", "WARNING"):
            with self.assertRaises(exceptions.UnknownOutcome) as caught:
                client.hold(SPEC).__enter__()
        self.assertIsInstance(
            caught.exception.__cause__, exceptions.UnreachableError
        )


class CancelledTest(unittest.IsolatedAsyncioTestCase):
    async def test_the_loop_does_not_wait_for_a_key_to_be_given_up(
        self,
    ) -> None:
        aio = ganttclient.AsyncClient("http://127.0.0.1:1/", threads=1)
        threads: list[threading.Thread] = []

        def select(*_args: Any, **_more: Any) -> Any:
            return None

        def abandon(key: str, **_more: Any) -> Sequence[models.Claim]:
            threads.append(threading.current_thread())
            return ()

        vars(aio.client).update(select=select, abandon=abandon)
        call = asyncio.create_task(aio.select(SPEC))
        await asyncio.sleep(0)
        # The call has ended, and its task has not noticed that yet.
        aio._pool.submit(int).result()
        call.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await call
        await aio.close()
        self.assertEqual(len(threads), 1)
        self.assertIsNot(threads[0], threading.current_thread())


if __name__ == "__main__":
    unittest.main()

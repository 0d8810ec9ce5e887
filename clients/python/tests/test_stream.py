"""Tests streams with a server that a test controls."""

from __future__ import annotations

import asyncio
import unittest
from typing import Any

import ganttclient
from ganttclient import exceptions, faults
from tests import scripted_server as script
from tests.test_transport import SPEC, ScriptedTest


def change(revision: int, host: str) -> dict[str, Any]:
    """Return the data of an event."""
    found = {"name": host, "node": host, "status": "ENABLED"}
    return {
        "hostChanged": {
            "revision": str(revision),
            "gap": None,
            "host": {**found, "availabilityZone": "nova"},
        }
    }


class StreamTest(ScriptedTest):
    def names(self, stream: Any, count: int) -> list[str]:
        with stream:
            return [next(stream).host["name"] for _ in range(count)]

    def afters(self, server: script.ScriptedServer) -> list[str | None]:
        return [call["variables"]["after"] for call in server.calls]

    def test_a_broken_stream_continues_where_it_broke(self) -> None:
        server = self.serve(
            script.events(change(5, "a"), change(7, "b")),
            script.events(change(7, "b"), change(7, "c"), change(8, "b")),
        )
        broken: list[Exception] = []
        stream = self.open(server).host_changes(
            "az:az1", after="4", on_break=broken.append
        )
        self.assertEqual(self.names(stream, 4), ["a", "b", "c", "b"])
        self.assertEqual(self.afters(server), ["4", "6"])
        self.assertIsInstance(broken[0], exceptions.UnreachableError)
        self.assertEqual(server.calls[1]["variables"]["query"], "az:az1")

    def test_a_replica_that_is_behind_repeats_nothing(self) -> None:
        server = self.serve(
            script.events(change(7, "a")),
            script.events(change(5, "a"), change(7, "a"), change(8, "b")),
            script.events(change(9, "c")),
        )
        stream = self.open(server).host_changes()
        self.assertEqual(self.names(stream, 3), ["a", "b", "c"])
        self.assertEqual(self.afters(server), [None, "6", "7"])

    def test_a_stream_that_breaks_before_its_first_event(self) -> None:
        server = self.serve(
            script.events(), script.events(), script.events(change(4, "a"))
        )
        stream = self.open(server).host_changes()
        self.assertEqual(self.names(stream, 1), ["a"])
        self.assertEqual(self.afters(server), [None, "3", "3"])

    def test_a_gap_before_the_first_decision(self) -> None:
        gap = {"missedFrom": "3", "resumeAt": "5"}
        event = {"revision": "5", "suppressed": 0, "gap": gap}
        server = self.serve(
            script.events(),
            script.events({"decisions": {**event, "decision": None}}),
        )
        with self.open(server).decisions() as stream:
            found = next(stream)
        assert found.gap is not None
        self.assertEqual(found.gap.missed_from, "3")
        self.assertEqual(self.afters(server), [None, "3"])

    def test_a_silent_stream_is_opened_again(self) -> None:
        server = self.serve(
            script.events(change(5, "a"), then=script.never),
            script.events(change(6, "b")),
        )
        stream = self.open(server).host_changes(silent=0.2)
        self.assertEqual(self.names(stream, 2), ["a", "b"])

    def test_a_gap_is_delivered(self) -> None:
        event = change(9, "a")
        event["hostChanged"]["host"] = None
        event["hostChanged"]["gap"] = {"missedFrom": "1", "resumeAt": "9"}
        server = self.serve(script.events(event))
        with self.open(server).host_changes(after="1") as stream:
            found = next(stream)
        assert found.gap is not None
        self.assertEqual(found.gap.resume_at, "9")

    def test_an_error_that_would_recur_is_raised(self) -> None:
        server = self.serve(script.fault("FORBIDDEN", 403))
        with self.assertRaises(exceptions.Forbidden):
            next(self.open(server).host_changes())
        self.assertEqual(len(server.calls), 1)

    def test_an_error_that_passes_is_not_raised(self) -> None:
        server = self.serve(
            script.fault("UNAVAILABLE", 503, retryable=True),
            script.events(change(1, "a")),
        )
        self.assertEqual(
            self.names(self.open(server).host_changes(), 1), ["a"]
        )

    def test_a_rotated_key_is_read_again(self) -> None:
        server = self.serve(
            script.fault("UNAUTHENTICATED", 401),
            script.events(change(1, "a")),
        )
        keys = ["old", "new"]
        client = self.open(server, lambda: keys.pop(0))
        self.assertEqual(self.names(client.host_changes(), 1), ["a"])
        with self.assertRaises(faults.Unauthenticated):
            refusing = self.serve(script.fault("UNAUTHENTICATED", 401))
            next(self.open(refusing).host_changes())


class AsyncTest(ScriptedTest, unittest.IsolatedAsyncioTestCase):
    async def test_a_cancelled_call_leaves_nothing_claimed(self) -> None:
        ended = {
            "__typename": "ClaimPayload",
            "replayed": False,
            "fleetRevision": "2",
            "claims": [],
        }
        loop = asyncio.get_running_loop()
        selecting, abandoned = asyncio.Event(), asyncio.Event()

        def answer(handler: script.Handler) -> None:
            if "claimAbandon" in handler.server.calls[-1]["query"]:
                script.data(claimAbandon=ended)(handler)
                loop.call_soon_threadsafe(abandoned.set)
            else:
                loop.call_soon_threadsafe(selecting.set)
                script.never(handler)

        server = self.serve(answer)
        async with ganttclient.AsyncClient(server.url, "key-1") as client:
            self.assertNotIn("key-1", repr(client))
            call = asyncio.ensure_future(client.select(SPEC))
            await selecting.wait()
            call.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await call
            await abandoned.wait()
        key = server.calls[0]["variables"]["input"]["idempotencyKey"]
        self.assertEqual(server.calls[1]["variables"], {"key": key})

    async def test_a_cancelled_block_is_released(self) -> None:
        server = self.serve(
            script.data(**script.placed()),
            script.changed("claimRelease", "RELEASED"),
        )
        begun = asyncio.Event()

        async def block(client: ganttclient.AsyncClient) -> None:
            async with client.hold(SPEC):
                begun.set()
                await asyncio.Event().wait()

        async with ganttclient.AsyncClient(server.url) as client:
            task = asyncio.ensure_future(block(client))
            await begun.wait()
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
        self.assertEqual(server.operations()[-1], "ClaimRelease")

    async def test_a_room_that_is_lost_at_the_end_of_the_block(self) -> None:
        def answer(handler: script.Handler) -> None:
            query = handler.server.calls[-1]["query"]
            if "claimExtend" in query:
                kind = "ClaimLost"
                script.refused("claimExtend", kind, "CLAIM_LOST")(handler)
            elif "claimRelease" in query:
                script.changed("claimRelease", "RELEASED")(handler)
            else:
                script.data(**script.placed())(handler)

        server = self.serve(answer)
        async with ganttclient.AsyncClient(server.url) as client:
            with self.assertRaises(exceptions.RoomLost):
                async with client.hold(SPEC, ttl="PT0.3S") as held:
                    # The loop gets no turn before the block ends.
                    held.wait_lost(60)
            await asyncio.sleep(0)
        self.assertEqual(server.operations()[-1], "ClaimRelease")

    async def test_an_on_lost_that_raises_does_not_keep_the_block(
        self,
    ) -> None:
        server = self.serve(
            script.data(**script.placed()),
            script.refused("claimExtend", "ClaimLost", "CLAIM_LOST"),
            script.refused("claimRelease", "ClaimLost", "CLAIM_LOST"),
        )

        def on_lost(lost: exceptions.RoomLost) -> None:
            raise ZeroDivisionError

        async with ganttclient.AsyncClient(server.url) as client:
            with self.assertLogs("ganttclient.hold", "ERROR"):
                with self.assertRaises(exceptions.RoomLost):
                    async with client.hold(
                        SPEC, ttl="PT0.3S", on_lost=on_lost
                    ):
                        await asyncio.wait_for(asyncio.Event().wait(), 10)

    async def test_events_that_are_not_of_the_service(self) -> None:
        for answer in (
            '{"errors": "no"}',
            '{"errors": ["no"]}',
            '{"data": 1}',
        ):
            event = f"event: next\ndata: {answer}\n\n"
            kind = "text/event-stream"
            server = self.serve(script.text(event, 200, kind))
            async with ganttclient.AsyncClient(server.url) as client:
                with self.assertRaises(exceptions.ProtocolError):
                    await client.host_changes().__anext__()

    async def test_a_stream_is_read_and_closed(self) -> None:
        server = self.serve(
            script.events(change(1, "a"), change(2, "b"), then=script.never)
        )
        async with ganttclient.AsyncClient(server.url) as client:
            found = []
            async with client.host_changes() as stream:
                async for event in stream:
                    found.append(event.revision)
                    if len(found) == 2:
                        break
            self.assertEqual(found, ["1", "2"])
            waiting = client.host_changes()
            loop = asyncio.get_running_loop()
            found = []
            async for event in waiting:
                found.append(event.revision)
                if len(found) == 2:
                    # The loop closes it while the next event is awaited.
                    loop.call_soon(waiting.close)
            self.assertEqual(found, ["1", "2"])

    async def test_a_time_limit_of_the_reader_loses_no_event(self) -> None:
        def later(handler: script.Handler) -> None:
            handler.server.go_on.wait()
            script.event_to(handler, change(1, "a"))
            script.never(handler)

        server = self.serve(script.events(then=later))
        async with ganttclient.AsyncClient(server.url) as client:
            stream = client.host_changes()
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(stream.__anext__(), 0.05)
            server.go_on.set()
            self.assertEqual((await stream.__anext__()).revision, "1")
        # The client has closed it.
        with self.assertRaises(StopAsyncIteration):
            await stream.__anext__()

    async def test_a_closed_stream_has_no_more_events(self) -> None:
        server = self.serve(
            script.events(change(1, "a"), change(2, "b"), then=script.never)
        )
        async with ganttclient.AsyncClient(server.url) as client:
            begun = client.host_changes()
            self.assertEqual((await begun.__anext__()).revision, "1")
            for stream in (begun, client.host_changes()):
                stream.close()
                with self.assertRaises(StopAsyncIteration):
                    await asyncio.wait_for(stream.__anext__(), 60)


if __name__ == "__main__":
    unittest.main()

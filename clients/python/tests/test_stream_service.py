"""Runs streams and the asyncio client against a real service."""

from __future__ import annotations

import asyncio
import threading
import unittest

import ganttclient
from ganttclient import exceptions
from tests.test_service import KEY, MACHINE, SKIP, URL, ServiceTest, name


@unittest.skipUnless(URL and KEY, SKIP)
class StreamTest(ServiceTest):
    def test_changes_are_resumed_where_the_reader_was(self) -> None:
        host = self.machine()
        state = self.client.host(host)
        assert state is not None
        seen = []
        after = str(int(state.revision) - 1)
        with self.client.host_changes(f"name:{host}", after=after) as stream:
            seen.append(next(stream))
        assert seen[0].host is not None
        self.assertEqual(seen[0].host["name"], host)
        self.client.reporter(host, lambda: {**MACHINE, "vcpus": 4}).report()
        resumed = self.client.host_changes(
            f"name:{host}", after=seen[0].revision
        )
        with resumed:
            change = next(resumed)
        self.assertGreater(int(change.revision), int(seen[0].revision))

    def test_another_thread_closes_a_stream(self) -> None:
        stream = self.client.decisions(f"host:{name()}")
        threading.Timer(0.2, stream.close).start()
        self.assertEqual(list(stream), [])

    def test_a_wrong_filter_is_raised(self) -> None:
        with self.assertRaises(exceptions.ServiceError):
            next(self.client.host_changes("no_such_key:1"))


@unittest.skipUnless(URL and KEY, SKIP)
class AsyncTest(ServiceTest, unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.aio = ganttclient.AsyncClient(URL, KEY)

    async def asyncTearDown(self) -> None:
        await self.aio.close()

    async def test_calls_at_the_same_time(self) -> None:
        host = self.machine()
        calls = [self.aio.select(self.spec(host)) for _ in range(4)]
        placements = await asyncio.gather(*calls)
        claims = [one.claims[0] for one in placements]
        confirmed = await self.aio.confirm(*claims)
        self.assertEqual({one.state for one in confirmed}, {"CONFIRMED"})
        await self.aio.release(*claims)
        found = [one.name async for one in self.aio.hosts(f"name:{host}")]
        self.assertEqual(found, [host])

    async def test_a_hold_confirms(self) -> None:
        async with self.aio.hold(self.spec(self.machine())) as held:
            await asyncio.sleep(0)
        self.assertEqual(held.confirmed[0].state, "CONFIRMED")

    async def test_a_lost_room_cancels_the_block(self) -> None:
        spec = self.spec(self.machine())
        with self.assertRaises(exceptions.RoomLost):
            async with self.aio.hold(spec, ttl="PT15S") as held:
                await self.aio.release(held.claim)
                await asyncio.sleep(600)

    async def test_a_stream_ends_when_it_is_closed(self) -> None:
        host = self.machine()
        state = await self.aio.host(host)
        assert state is not None
        after = str(int(state.revision) - 1)
        async with self.aio.host_changes(after=after) as stream:
            async for event in stream:
                if event.host is not None and event.host["name"] == host:
                    break


if __name__ == "__main__":
    unittest.main()

"""Tests a client that several processes or threads use."""

from __future__ import annotations

import os
import threading
import traceback
import unittest
import warnings
from collections.abc import Generator
from concurrent import futures
from typing import Any, Callable

from tests import scripted_server as script
from tests.test_stream import change
from tests.test_transport import SPEC, ScriptedTest


def answer(handler: script.Handler) -> None:
    """Answer a choice with a claim that has the key as its id."""
    variables = handler.server.calls[-1]["variables"]
    if "input" not in variables:
        script.data(live=True)(handler)
        return
    key = variables["input"].get("idempotencyKey", "none")
    script.data(**script.placed(claim=f"of-{key}"))(handler)


class StreamThreadsTest(ScriptedTest):
    def test_a_reader_comes_while_another_thread_closes(self) -> None:
        stream = self.open(self.serve(script.events())).host_changes()
        entered, go_on = threading.Event(), threading.Event()

        def slow_to_end() -> Generator[Any, None, None]:
            try:
                yield "first"
            finally:
                entered.set()
                go_on.wait(60)

        stream._events = slow_to_end()
        self.assertEqual(next(stream), "first")
        with futures.ThreadPoolExecutor() as threads:
            closed = threads.submit(stream.close)
            self.assertTrue(entered.wait(60))
            rest = threads.submit(lambda: list(stream))
            # A reader that fails does so at once.
            futures.wait([rest], 0.2)
            go_on.set()
            self.assertEqual(rest.result(60), [])
            closed.result(60)


@unittest.skipUnless(hasattr(os, "fork"), "this system has no fork()")
class ForkTest(ScriptedTest):
    def in_child(self, run: Callable[[], None]) -> None:
        """Run a function in a forked child, which must succeed."""
        with warnings.catch_warnings():
            # Later releases warn, because the server has a thread.
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            code = 1
            try:
                run()
                code = 0
            # Nothing may go on in the child as if it were the parent.
            except BaseException:  # noqa: BLE001
                traceback.print_exc()
            finally:
                os._exit(code)
        (_, status) = os.waitpid(child, 0)
        self.assertEqual(status, 0, "the child failed")

    def test_a_child_opens_a_connection_of_its_own(self) -> None:
        server = self.serve(answer)
        client = self.open(server)
        client.query("{ live }")

        def choose() -> None:
            placement = client.select(SPEC, idempotency_key="child")
            self.assertEqual(placement.claims[0].id, "of-child")

        self.in_child(choose)
        placement = client.select(SPEC, idempotency_key="parent")
        self.assertEqual(placement.claims[0].id, "of-parent")
        used = [call["connection"] for call in server.calls]
        self.assertEqual(used[0], used[2])
        self.assertNotEqual(used[0], used[1])

    def test_a_child_waits_for_no_lock_of_its_parent(self) -> None:
        server = self.serve(answer)
        client = self.open(server)
        endpoints = client._caller.endpoints
        keys = client._caller.keys
        (endpoint,) = endpoints.all
        reporter = client.reporter("a", dict)
        # A thread of the parent can hold each of them at the fork.
        locks = [
            endpoints._lock,
            keys._lock,
            endpoint._lock,
            reporter._lock,
        ]
        for lock in locks:
            lock.acquire()

        def ask() -> None:
            client.query("{ live }")
            with reporter._lock:
                pass

        self.in_child(ask)
        for lock in locks:
            lock.release()

    def test_a_child_leaves_the_claim_of_a_block_alone(self) -> None:
        server = self.serve(
            script.data(**script.placed()),
            script.changed("claimConfirm", "CONFIRMED"),
        )
        with self.open(server).hold(SPEC) as held:

            def leave() -> None:
                self.assertFalse(held.is_own)
                held.__exit__(SystemExit, SystemExit(0), None)

            self.in_child(leave)
        self.assertEqual(
            server.operations(), ["SelectDestinations", "ClaimConfirm"]
        )

    def test_a_child_does_not_end_the_stream_of_its_parent(self) -> None:
        def later(handler: script.Handler) -> None:
            handler.server.go_on.wait()
            script.event_to(handler, change(2, "b"))
            script.never(handler)

        server = self.serve(script.events(change(1, "a"), then=later))
        with self.open(server).host_changes() as stream:
            self.assertEqual(next(stream).revision, "1")
            self.in_child(stream.close)
            server.go_on.set()
            self.assertEqual(next(stream).revision, "2")
        self.assertEqual(len(server.calls), 1)

    def test_a_child_reports_as_another_incarnation(self) -> None:
        client = self.open(self.serve(answer))
        reporter = client.reporter("a", dict)
        parent = reporter.incarnation

        def compare() -> None:
            self.assertNotEqual(reporter.incarnation, parent)

        self.in_child(compare)
        self.assertEqual(reporter.incarnation, parent)


if __name__ == "__main__":
    unittest.main()

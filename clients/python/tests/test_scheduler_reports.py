"""Tests how the scheduler client reports hosts."""

from __future__ import annotations

import gc
import threading
import unittest
import weakref
from typing import Any

import ganttclient
from ganttclient import exceptions, models
from tests import scripted_server as script
from tests.scheduler_case import APPLIED, SchedulerCase


class ReportTest(SchedulerCase):
    def test_a_host_that_does_not_change_stays_alive(self) -> None:
        beats = threading.Semaphore(0)

        def answer(handler: script.Handler) -> None:
            if "hostHeartbeat" not in handler.server.calls[-1]["query"]:
                script.data(**APPLIED)(handler)
                return
            script.data(hostHeartbeat={"heard": 2, "unknown": []})(handler)
            beats.release()

        server = self.serve(answer)
        client = self.open(server, heartbeat=0.01)
        client.update_resource_stats(None, ("h", "n"), {"vcpus": 8})
        client.update_resource_stats(None, "h", {"vcpus": 8})
        for _ in range(3):
            self.assertTrue(beats.acquire(timeout=60))
        last = server.calls[-1]["variables"]["hosts"]
        self.assertEqual(last, [{"host": "h", "node": "n"}, {"host": "h"}])
        client.close()

    def test_heartbeats_that_fail_are_said_once(self) -> None:
        server = self.serve(
            script.data(**APPLIED), script.fault("FORBIDDEN", 403)
        )
        client = self.open(server, heartbeat=3600)
        client.update_resource_stats(None, "h", {"vcpus": 8})
        with self.assertLogs("ganttclient", "WARNING") as logs:
            for _ in range(2):
                client._heartbeats.send()
        self.assertEqual(len(logs.output), 1, logs.output)
        self.assertIn("heartbeats of hosts fail", logs.output[0])

    def test_a_client_that_is_forgotten_sends_no_heartbeats(self) -> None:
        server = self.serve(script.data(**APPLIED))
        client = ganttclient.SchedulerClient(
            url=server.url, key="key-1", heartbeat=0.01
        )
        ended = threading.Event()
        weakref.finalize(client._heartbeats, ended.set)
        client.update_resource_stats(None, "h", {"vcpus": 8})
        del client
        gc.collect()
        self.assertTrue(ended.wait(60))

    def test_no_heartbeats_without_a_report_or_if_switched_off(self) -> None:
        server = self.serve(script.data(**APPLIED))
        self.open(server)._heartbeats.send()
        client = self.open(server, heartbeat=None)
        client.update_resource_stats(None, "h", {"vcpus": 8})
        client._heartbeats.send()
        self.assertEqual(server.operations(), ["UpdateResourceStats"])
        for wrong in (0, -1.0):
            with self.assertRaisesRegex(ValueError, "above 0"):
                self.open(server, heartbeat=wrong)

    def test_reports_of_a_host_are_numbered(self) -> None:
        server = self.serve(script.data(**APPLIED))
        client = self.open(server)
        names: tuple[Any, ...] = (("h", "n"), ["h", "n"], "h")
        for name in names:
            client.update_resource_stats(None, name, {"vcpus": 8})
        updates = [
            call["variables"]["input"]["updates"][0] for call in server.calls
        ]
        self.assertEqual(
            [one["name"] for one in updates],
            [{"host": "h", "node": "n"}] * 2 + [{"host": "h"}],
        )
        self.assertEqual(
            [one["reporter"]["sequence"] for one in updates], [1, 2, 1]
        )
        self.assertEqual(updates[0]["report"], {"nova": {"vcpus": 8}})

    def test_a_report_after_that_of_another_program(self) -> None:
        def stats(kind: str, last: int) -> script.Answer:
            result = {"__typename": kind, "lastSequence": last}
            return script.data(updateResourceStats={"results": [result]})

        applied = stats("ResourceStatsApplied", 1)
        stale = stats("ResourceStatsStale", 9)
        server = self.serve(applied, stale, applied, stale)
        client = self.open(server)
        names: list[models.Name] = ["h", ("h", "h")]
        for name in names:
            client.update_resource_stats(None, name, {"vcpus": 8})
        sent = [
            call["variables"]["input"]["updates"][0]["reporter"]
            for call in server.calls
        ]
        self.assertEqual([one["sequence"] for one in sent], [1, 2, 1])
        self.assertEqual(sent[0]["incarnation"], sent[1]["incarnation"])
        self.assertNotEqual(sent[0]["incarnation"], sent[2]["incarnation"])
        with self.assertRaisesRegex(exceptions.Stale, "another reporter"):
            client.update_resource_stats(None, "h", {"vcpus": 8})

    def test_another_program_with_the_same_sequence(self) -> None:
        def stats(kind: str) -> script.Answer:
            result = {"__typename": kind, "lastSequence": 1}
            return script.data(updateResourceStats={"results": [result]})

        stale = stats("ResourceStatsStale")
        server = self.serve(stale, stale, stats("ResourceStatsApplied"))
        self.open(server).update_resource_stats(None, "h", {"vcpus": 8})
        sent = [
            call["variables"]["input"]["updates"][0] for call in server.calls
        ]
        self.assertEqual(
            [one["reporter"]["sequence"] for one in sent], [1, 2, 1]
        )
        incarnations = [one["reporter"]["incarnation"] for one in sent]
        self.assertEqual(incarnations[0], incarnations[1])
        self.assertNotEqual(incarnations[0], incarnations[2])
        self.assertEqual(sent[2]["report"], {"nova": {"vcpus": 8}})


if __name__ == "__main__":
    unittest.main()

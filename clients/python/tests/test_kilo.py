"""Tests the further calls of Kilo with a server that a test controls."""

from __future__ import annotations

import unittest
from typing import Any

from ganttclient import exceptions
from tests import scripted_server as script
from tests.scheduler_case import SchedulerCase


class Aggregate:
    """Nova's Aggregate object of Kilo, which has no uuid."""

    def obj_to_primitive(self) -> dict[str, Any]:
        return {
            "nova_object.name": "Aggregate",
            "nova_object.namespace": "nova",
            "nova_object.version": "1.1",
            "nova_object.data": {
                "id": 7,
                "name": "ssd",
                "hosts": ["a"],
                "metadata": {"disk": "ssd"},
                "created_at": None,
            },
            "nova_object.changes": ["hosts"],
        }


class AggregateList:
    """Nova's list of objects."""

    objects = [Aggregate(), Aggregate()]


def outcome(field: str, kind: str, **fields: Any) -> script.Answer:
    return script.data(**{field: {"__typename": kind, **fields}})


DONE = outcome("aggregateImport", "AggregatePayload")


class KiloTest(SchedulerCase):
    def test_aggregates_are_sent_with_hosts_and_metadata(self) -> None:
        server = self.serve(DONE)
        client = self.open(server)
        client.update_aggregates(None, Aggregate())
        client.update_aggregates(None, AggregateList())
        number = "5b2c5d0e-0f3a-4c4f-9a39-3f2b1a0c9d8e"
        client.update_aggregates(
            None, [{"uuid": number, "name": "fast", "hosts": []}]
        )
        sent = [call["variables"]["document"] for call in server.calls]
        self.assertEqual(len(sent), 4)
        self.assertEqual(
            {name: sent[0][name] for name in ("name", "hosts", "metadata")},
            {"name": "ssd", "hosts": ["a"], "metadata": {"disk": "ssd"}},
        )
        # The same id is the same aggregate in every process.
        self.assertEqual({one["uuid"] for one in sent[:3]}, {sent[0]["uuid"]})
        self.assertEqual(
            sent[3], {"uuid": number, "name": "fast", "hosts": []}
        )

    def test_an_aggregate_that_is_refused(self) -> None:
        issue = {"path": ["document", "hosts", "0"], "message": "no host b"}
        wrong = {"code": "INVALID", "message": "wrong", "issues": [issue]}
        server = self.serve(outcome("aggregateImport", "Invalid", **wrong))
        with self.assertRaisesRegex(exceptions.Invalid, "no host b"):
            self.open(server).update_aggregates(None, Aggregate())

    def test_an_aggregate_is_deleted_in_its_present_version(self) -> None:
        conflict = outcome("aggregateDelete", "VersionConflict", actual=3)
        later = outcome("aggregateDelete", "VersionConflict", actual=4)
        done = outcome("aggregateDelete", "AggregatePayload")
        server = self.serve(conflict, later, done)
        client = self.open(server)
        client.delete_aggregate(None, Aggregate())
        sent = [call["variables"]["version"] for call in server.calls]
        self.assertEqual(sent, [0, 3, 4])

    def test_an_aggregate_that_is_gone_is_deleted(self) -> None:
        lost = outcome("aggregateDelete", "NotFound", code="NOT_FOUND")
        server = self.serve(lost)
        self.open(server).delete_aggregate(None, {"id": 7})
        self.assertEqual(len(server.calls), 1)

    def test_an_aggregate_that_cannot_be_deleted(self) -> None:
        conflict = {"code": "CONFLICT", "message": "edited", "actual": 1}
        server = self.serve(
            outcome("aggregateDelete", "VersionConflict", **conflict)
        )
        with self.assertRaisesRegex(exceptions.Conflict, "edited"):
            self.open(server).delete_aggregate(None, {"id": 7})
        server = self.serve(script.fault("FORBIDDEN", 403))
        with self.assertRaises(exceptions.Forbidden):
            self.open(server).delete_aggregate(None, {"id": 7})

    def test_reports_of_instances_are_said_to_have_no_effect(
        self,
    ) -> None:
        server = self.serve(script.lost)
        client = self.open(server)
        with self.assertLogs("ganttclient", "WARNING") as logs:
            for _ in range(2):
                client.update_instance_info(None, "a", AggregateList())
                client.delete_instance_info(None, "a", "i-1")
                client.sync_instance_info(None, "a", ["i-2"])
        self.assertEqual(len(logs.output), 3, logs.output)
        for line in logs.output:
            self.assertIn("does not use", line)
        self.assertEqual(server.calls, [])

    def test_arguments_that_are_refused(self) -> None:
        client = self.open(self.serve(script.lost))
        with self.assertRaisesRegex(TypeError, "aggregate must be"):
            client.update_aggregates(None, "ssd")
        with self.assertRaisesRegex(ValueError, "uuid or an id"):
            client.delete_aggregate(None, {"name": "ssd"})


if __name__ == "__main__":
    unittest.main()

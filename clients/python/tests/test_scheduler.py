"""Tests the blueprint's face with a server that a test controls."""

from __future__ import annotations

import datetime
import json
import unittest
import uuid
from collections import UserDict
from typing import Any

from ganttclient import exceptions
from tests import scripted_server as script
from tests.scheduler_case import SchedulerCase

SECRET = "token-of-a-user"


class Context:
    """Has to_dict(), as Nova's RequestContext does."""

    def to_dict(self) -> dict[str, str]:
        return {"auth_token": SECRET}


class NumaTopology:
    """A versioned object of Nova."""

    def obj_to_primitive(self) -> dict[str, Any]:
        return {"nova_object.name": "InstanceNUMATopology", "cells": (1, 2)}


class Row(UserDict[str, Any]):
    """Behaves as a row of SQLAlchemy does."""


class OldRow:
    """A model of Juno's database."""

    def iteritems(self) -> Any:
        return iter([("vcpus", 8)])


class SchedulerTest(SchedulerCase):
    def test_the_answer_has_the_form_of_nova(self) -> None:
        server = self.serve(script.data(**script.placed()))
        found = self.open(server).select_destinations(None, {"a": 1}, {})
        (host,) = found
        self.assertEqual(
            (host["host"], host["nodename"], host["limits"]),
            ("a", "a1", {"vcpu": 8}),
        )
        self.assertEqual(host["claim"]["fence"], 7)
        sent = server.calls[0]["variables"]["input"]
        self.assertEqual(
            sent["claim"], {"mode": "RESERVE", "untilCounted": True}
        )
        self.assertEqual(
            sent["spec"],
            {"legacy": {"request_spec": {"a": 1}, "filter_properties": {}}},
        )

    def test_a_fleet_below_the_feature_level_is_said_once(self) -> None:
        answer = script.placed()
        ignored = ["claim.untilCounted"]
        answer["selectDestinations"]["ignoredFields"] = ignored
        client = self.open(self.serve(script.data(**answer)))
        with self.assertLogs("ganttclient", "WARNING") as logs:
            for _ in range(2):
                client.select_destinations(None, {}, {})
        self.assertEqual(len(logs.output), 1, logs.output)
        self.assertIn("feature level 11", logs.output[0])

    def test_objects_are_sent_in_their_serialised_form(self) -> None:
        server = self.serve(script.data(**script.placed()))
        when = datetime.datetime(2015, 1, 26, 13, 28)
        number = uuid.UUID(int=7)
        spec = {
            "numa": NumaTopology(),
            "when": when,
            "uuid": number,
            "hosts": {"b", "a"},
            "row": Row(vcpus=8),
            "old": OldRow(),
            "pair": ("a", "b"),
        }
        self.open(server).select_destinations(None, spec, {})
        sent = server.calls[0]["variables"]["input"]["spec"]["legacy"]
        self.assertEqual(
            sent["request_spec"],
            {
                "numa": {
                    "nova_object.name": "InstanceNUMATopology",
                    "cells": [1, 2],
                },
                "when": "2015-01-26T13:28:00",
                "uuid": str(number),
                "hosts": ["a", "b"],
                "row": {"vcpus": 8},
                "old": {"vcpus": 8},
                "pair": ["a", "b"],
            },
        )

    def test_the_security_context_is_not_sent(self) -> None:
        server = self.serve(script.data(**script.placed()))
        hints = {"context": "of a user"}
        properties = {"context": Context(), "scheduler_hints": hints}
        self.open(server).select_destinations(Context(), {}, properties)
        self.assertNotIn(SECRET, json.dumps(server.calls[0]["variables"]))
        self.assertIn("context", properties)
        sent = server.calls[0]["variables"]["input"]["spec"]["legacy"]
        self.assertEqual(sent["filter_properties"], {"scheduler_hints": hints})

    def test_a_value_without_a_form_is_named(self) -> None:
        client = self.open(self.serve(script.lost))
        for value, kind in ((object(), TypeError), (float("nan"), ValueError)):
            with self.assertRaisesRegex(kind, r"request_spec\.a\.1\.b"):
                client.select_destinations(None, {"a": [0, {"b": value}]}, {})

    def test_ttl_and_claim_are_chosen(self) -> None:
        server = self.serve(script.data(**script.placed()))
        self.open(server, ttl="PT10M").select_destinations(None, {}, {})
        self.open(server, claim="CONFIRM").select_destinations(None, {}, {})
        self.open(server, claim="NONE").select_destinations(None, {}, {})
        self.assertEqual(
            [call["variables"]["input"]["claim"] for call in server.calls],
            [
                {"mode": "RESERVE", "ttl": "PT10M", "untilCounted": True},
                {"mode": "CONFIRM"},
                {"mode": "NONE"},
            ],
        )
        with self.assertRaises(ValueError):
            self.open(server, claim="MAYBE")
        with self.assertRaises(ValueError):
            self.open(server, ttl="2 minutes")

    def test_no_message_and_no_repr_shows_the_key(self) -> None:
        server = self.serve(script.text("key-1", 403, "text/html"))
        client = self.open(server)
        with self.assertRaises(exceptions.ProtocolError) as caught:
            client.select_destinations(None, {}, {})
        self.assertNotIn("key-1", f"{caught.exception!r} {client!r}")

    def test_a_lost_answer_leaves_nothing_claimed(self) -> None:
        ended = {
            "__typename": "ClaimPayload",
            "replayed": False,
            "fleetRevision": "2",
            "claims": [],
        }

        def answer(handler: script.Handler) -> None:
            if "claimAbandon" in handler.server.calls[-1]["query"]:
                script.data(claimAbandon=ended)(handler)
            else:
                script.lost(handler)

        server = self.serve(answer)
        with self.assertRaises(exceptions.UnreachableError):
            self.open(server, deadline=1).select_destinations(None, {}, {})
        first = server.calls[0]["variables"]["input"]["idempotencyKey"]
        self.assertEqual(server.calls[-1]["variables"], {"key": first})

    def test_a_key_that_cannot_be_abandoned_is_in_the_error(self) -> None:
        server = self.serve(script.fault("INTERNAL", 500))
        with self.assertLogs("ganttclient.hold", "WARNING"):
            with self.assertRaises(exceptions.UnknownOutcome) as caught:
                self.open(server).select_destinations(None, {}, {})
        first = server.calls[0]["variables"]["input"]["idempotencyKey"]
        self.assertEqual(caught.exception.idempotency_key, first)

    def test_a_further_choice_gives_the_own_reservation_back(self) -> None:
        answer = script.placed()
        chosen = answer["selectDestinations"]["destinations"][0]
        chosen["instanceUuid"] = "i-1"
        taken = {
            "__typename": "InstanceTaken",
            "code": "INSTANCE_TAKEN",
            "message": "it has a claim",
        }
        server = self.serve(
            script.data(**answer),
            script.data(selectDestinations=taken),
            script.changed("claimRelease", "RELEASED"),
            script.data(**answer),
            script.data(selectDestinations=taken),
        )
        client = self.open(server)
        spec: dict[str, Any] = {"instance_properties": {"uuid": "i-1"}}
        client.select_destinations(None, spec, {})
        client.select_destinations(None, spec, {"ignore_hosts": ["a"]})
        self.assertEqual(
            server.operations()[1:],
            ["SelectDestinations", "ClaimRelease", "SelectDestinations"],
        )
        released = server.calls[2]["variables"]["claims"]
        self.assertEqual(released, [{"id": "c-1", "fence": 7}])
        # Another program made the claim of this instance.
        spec = {"instance_uuids": ["i-2"]}
        with self.assertRaises(exceptions.InstanceTaken):
            client.select_destinations(None, spec, {})

    def test_arguments_that_are_refused(self) -> None:
        client = self.open(self.serve(script.lost))
        # The wrong types are what this test is about.
        with self.assertRaisesRegex(TypeError, "request_spec must be"):
            client.select_destinations(None, [], {})  # type: ignore[arg-type]
        with self.assertRaisesRegex(TypeError, "name must be"):
            client.update_resource_stats(None, 7, {})  # type: ignore[arg-type]
        with self.assertRaisesRegex(TypeError, "stats must be"):
            client.update_resource_stats(None, "h", [1])
        with self.assertRaisesRegex(TypeError, "ComputeNode"):
            client.update_resource_stats(None)


if __name__ == "__main__":
    unittest.main()

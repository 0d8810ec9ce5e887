"""Runs the clients against a real service.

GANTT_URL and GANTT_KEY name the service; the key has the scope ADMIN.  The
tests are skipped, and say so, if they are not set.
"""

from __future__ import annotations

import os
import unittest
import uuid
from typing import Any

import ganttclient
from ganttclient import exceptions, faults

URL = os.environ.get("GANTT_URL", "")
KEY = os.environ.get("GANTT_KEY", "")
SKIP = "GANTT_URL and GANTT_KEY name no service"

MACHINE = {
    "vcpus": 16,
    "vcpusUsed": 0,
    "memoryMb": 65536,
    "memoryMbUsed": 0,
    "localGb": 1000,
    "localGbUsed": 0,
    "instances": [],
}
CREATE_KEY = """mutation ($input: ApiKeyCreateInput!) {
  apiKeyCreate(input: $input) { ... on ApiKeyPayload { secret } }
}"""


def name() -> str:
    return f"py-{uuid.uuid4().hex[:8]}"


class ServiceTest(unittest.TestCase):
    def setUp(self) -> None:
        self.client = ganttclient.Client(URL, KEY)
        self.addCleanup(self.client.close)

    def machine(self, **fields: Any) -> str:
        host = name()
        self.client.reporter(host, lambda: {**MACHINE, **fields}).report()
        return host

    def spec(self, *hosts: str, **fields: Any) -> dict[str, Any]:
        return {
            "flavor": {"vcpus": 2, "memoryMb": 4096},
            "instanceUuids": [str(uuid.uuid4())],
            "forceHosts": list(hosts),
            **fields,
        }


@unittest.skipUnless(URL and KEY, SKIP)
class PlacementTest(ServiceTest):
    def test_select_confirm_and_release(self) -> None:
        host, other = self.machine(), self.machine()
        placement = self.client.select(self.spec(host, other), ttl="PT1H")
        (placed,) = placement.destinations
        self.assertIn(placed.selected.host.name, (host, other))
        self.assertEqual(len(placed.alternates), 1)
        self.assertEqual(placed.selected.limits["VCPU"], 16)
        (claim,) = placement.claims
        self.assertEqual(claim.state, "RESERVED")
        (longer,) = self.client.extend(claim, ttl="PT2H")
        assert longer.expires_at is not None and claim.expires_at is not None
        self.assertGreater(longer.expires_at, claim.expires_at)
        (confirmed,) = self.client.confirm(claim)
        self.assertEqual(confirmed.state, "CONFIRMED")
        (released,) = self.client.release(claim, reason="a test")
        self.assertEqual(released.state, "RELEASED")
        with self.assertRaises(exceptions.ClaimLost) as caught:
            self.client.confirm(claim)
        self.assertIs(caught.exception.results[0], caught.exception)

    def test_an_alternate_is_claimed(self) -> None:
        hosts = self.machine(), self.machine()
        placement = self.client.select(self.spec(*hosts), ttl="PT1H")
        self.client.release(*placement.claims)
        (alternate,) = placement.destinations[0].alternates
        again = self.client.claim(placement.decision_id, alternate)
        self.assertEqual(again.host.name, alternate.host.name)
        self.client.release(*again.claims)

    def test_one_key_one_claim_and_abandon(self) -> None:
        spec, key = self.spec(self.machine()), name()
        first = self.client.select(spec, idempotency_key=key)
        second = self.client.select(spec, idempotency_key=key)
        self.assertEqual(first.claims[0].id, second.claims[0].id)
        self.assertTrue(second.replayed)
        with self.assertRaises(exceptions.IdempotencyConflict):
            self.client.select(self.spec(), idempotency_key=key)
        (ended,) = self.client.abandon(key)
        self.assertEqual(ended.state, "RELEASED")

    def test_no_valid_host_states_the_true_cause(self) -> None:
        host = self.machine(vcpus=1)
        with self.assertRaises(exceptions.NoValidHost) as caught:
            self.client.select(self.spec(host))
        error = caught.exception
        self.assertRegex(str(error), "^No valid host was found. .*CPU")
        self.assertEqual(error.rule, "cpu.too_few")
        self.assertRegex(error.remedy, "smaller flavor")
        assert error.decision_id is not None
        self.assertIn(
            "CPU", self.client.explain(error.decision_id)["headline"]
        )
        why = self.client.why_not(host, decision_id=error.decision_id)
        self.assertFalse(why["wouldPassNow"])
        self.assertFalse(
            self.client.why_not(host, spec=self.spec())["wouldPassNow"]
        )

    def test_a_body_that_is_too_large_is_refused_once(self) -> None:
        names = ["x" * 1000] * 8000
        with self.assertRaises(faults.GraphqlValidationFailed) as caught:
            self.client.query("query ($x: [String!]) { live }", {"x": names})
        self.assertEqual(caught.exception.rule, "limit.body")

    def test_a_wrong_field_is_named(self) -> None:
        with self.assertRaises(faults.GraphqlValidationFailed) as unknown:
            self.client.select(self.spec(minimum=3))
        self.assertIn("minimum", str(unknown.exception))
        with self.assertRaises(exceptions.Invalid) as wrong:
            self.client.select(self.spec(numInstances=2))
        self.assertIn("numInstances", str(wrong.exception))

    def test_a_key_that_is_bound_to_a_project(self) -> None:
        host = self.machine()
        project = name()
        fields = {"name": project, "account": project, "project": project}
        created = self.client.request(
            CREATE_KEY,
            {"input": {**fields, "scopes": ["READ", "SCHEDULE", "CLAIM"]}},
        )
        client = ganttclient.Client(
            URL, created["apiKeyCreate"]["secret"], for_project=True
        )
        self.addCleanup(client.close)
        spec: dict[str, Any] = {
            "flavor": {"vcpus": 1, "memoryMb": 512},
            "projectId": project,
        }
        placement = client.select(spec)
        self.assertTrue(placement.host.name)
        self.assertIsNone(placement.host.availability_zone)
        client.release(*placement.claims)
        huge = {**spec, "flavor": {"vcpus": 9999, "memoryMb": 512}}
        with self.assertRaises(exceptions.NoValidHost) as caught:
            client.select(huge)
        self.assertNotIn(host, str(caught.exception))

    def test_a_taken_instance(self) -> None:
        spec = self.spec(self.machine())
        self.client.select(spec)
        with self.assertRaises(exceptions.InstanceTaken) as caught:
            self.client.select(spec)
        self.assertEqual(caught.exception.rule, "claim.instance_taken")

    def test_an_unknown_key_is_not_shown(self) -> None:
        secret = "gantt_not-a-key"
        client = ganttclient.Client(URL, secret)
        self.addCleanup(client.close)
        with self.assertRaises(faults.Unauthenticated) as caught:
            client.select(self.spec())
        self.assertNotIn(secret, f"{caught.exception} {client!r}")

    def test_a_hold_confirms(self) -> None:
        with self.client.hold(self.spec(self.machine())) as held:
            held.check()
        self.assertEqual(held.confirmed[0].state, "CONFIRMED")

    def test_a_hold_gives_back(self) -> None:
        hold = self.client.hold(self.spec(self.machine()))
        with self.assertRaises(ZeroDivisionError), hold as held:
            raise ZeroDivisionError
        with self.assertRaises(exceptions.ClaimLost):
            self.client.confirm(held.claim)

    def test_a_hold_says_that_the_room_is_lost(self) -> None:
        seen: list[exceptions.RoomLost] = []
        spec = self.spec(self.machine())
        with (
            self.assertRaises(exceptions.RoomLost),
            self.client.hold(spec, ttl="PT15S", on_lost=seen.append) as held,
        ):
            self.client.release(held.claim)
            self.assertTrue(held.wait_lost(60))
            with self.assertRaises(exceptions.RoomLost):
                held.check()
        self.assertEqual(len(seen), 1)

    def test_a_hold_is_extended_while_the_block_runs(self) -> None:
        query = "query ($id: ID!) { claim(id: $id) { expiresAt } }"
        with self.client.hold(self.spec(self.machine()), ttl="PT15S") as held:
            variables = {"id": held.claim.id}
            first = self.client.query(query, variables)
            while self.client.query(query, variables) == first:
                self.assertFalse(held.wait_lost(0.5))
        self.assertEqual(held.confirmed[0].state, "CONFIRMED")


@unittest.skipUnless(URL and KEY, SKIP)
class ReportTest(ServiceTest):
    def test_full_delta_and_heartbeat(self) -> None:
        host = name()
        reporter = self.client.reporter((host, host), lambda: MACHINE)
        self.assertTrue(reporter.change({"vcpusUsed": 1}).is_applied)
        self.assertTrue(reporter.change({"vcpusUsed": 3}).is_applied)
        self.assertEqual(reporter.sequence, 2)
        self.assertTrue(reporter.heartbeat())
        self.assertEqual(self.client.heartbeat(host, name()), 1)
        state = self.client.host(host)
        assert state is not None
        self.assertEqual(state.capacity["VCPU"].used, 3)
        self.assertIsNone(self.client.host(name()))

    def test_a_delta_without_its_base_becomes_a_full_report(self) -> None:
        host = name()
        reporter = self.client.reporter(host, lambda: MACHINE)
        # After a report in Nova's form the service takes no delta.
        row = {
            "vcpus": 4,
            "memory_mb": 1024,
            "local_gb": 10,
            "free_disk_gb": 10,
        }
        used = {"vcpus_used": 0, "memory_mb_used": 0, "local_gb_used": 0}
        self.assertTrue(reporter.report_nova({**row, **used}).is_applied)
        self.assertTrue(reporter.change({"vcpusUsed": 1}).is_applied)
        self.assertEqual(reporter.sequence, 3)
        state = self.client.host(host)
        assert state is not None
        self.assertEqual(state.capacity["VCPU"].total, 16)

    def test_a_report_of_an_earlier_start_is_stale(self) -> None:
        host = name()
        reporter = self.client.reporter(host, lambda: MACHINE)
        reporter.report()
        self.client.reporter(host, lambda: MACHINE).report()
        self.assertEqual(reporter.report().kind, "ResourceStatsStale")

    def test_a_refused_report_names_its_field(self) -> None:
        with self.assertRaises(exceptions.Invalid) as caught:
            self.machine(vcpus=-1)
        self.assertIn("vcpus", str(caught.exception))

    def test_pages_of_hosts(self) -> None:
        mine = sorted(self.machine() for _ in range(5))
        page = self.client.host_page("name:py-*", first=2)
        self.assertEqual(len(page.hosts), 2)
        self.assertTrue(page.has_next)
        every = list(self.client.hosts("name:py-*", page_size=2))
        self.assertLessEqual(set(mine), {host.name for host in every})
        self.assertEqual(page.total_count, len(every))


if __name__ == "__main__":
    unittest.main()

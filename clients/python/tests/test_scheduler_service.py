"""Runs the two calls of Juno's scheduler library against a real service."""

from __future__ import annotations

import copy
import unittest
import uuid
from typing import Any

import ganttclient
from ganttclient import exceptions
from tests.test_service import CREATE_KEY, KEY, SKIP, URL, name

SECRET = "token-of-a-user"


class Context:
    """A security context of Nova, which has the token of the user."""

    auth_token = SECRET


class ComputeNode:
    """A ComputeNode object, as Nova passed it after Kilo."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.host = row["host"]
        self.hypervisor_hostname = row["hypervisor_hostname"]
        self._row = row

    def obj_to_primitive(self) -> dict[str, Any]:
        return {
            "nova_object.name": "ComputeNode",
            "nova_object.namespace": "nova",
            "nova_object.version": "1.14",
            "nova_object.data": dict(self._row),
            "nova_object.changes": ["vcpus"],
        }


class NovaNoValidHost(Exception):
    """Has the constructor of nova.exception.NoValidHost."""

    def __init__(self, message: str | None = None, **kwargs: Any) -> None:
        super().__init__(message or f"No valid host: {kwargs['reason']}")


def row(host: str, node: str, **fields: Any) -> dict[str, Any]:
    """Return a row of compute_nodes, as Kilo's resource tracker sent it."""
    return {
        "id": 7,
        "service_id": 3,
        "host": host,
        "hypervisor_hostname": node,
        "vcpus": 8,
        "vcpus_used": 0,
        "memory_mb": 16384,
        "memory_mb_used": 512,
        "free_ram_mb": 15872,
        "local_gb": 100,
        "local_gb_used": 0,
        "free_disk_gb": 100,
        "disk_available_least": None,
        "hypervisor_type": "QEMU",
        "hypervisor_version": 2000000,
        "cpu_info": "{}",
        "stats": '{"num_instances": 0}',
        "supported_instances": '[["x86_64", "kvm", "hvm"]]',
        "pci_stats": "[]",
        "metrics": "[]",
        "numa_topology": None,
        **fields,
    }


def dictionaries(
    host: str, vcpus: int = 1, count: int = 1
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return request_spec and filter_properties, as Juno built them."""
    flavor = {
        "id": 1,
        "name": "m1.tiny",
        "flavorid": "1",
        "vcpus": vcpus,
        "memory_mb": 512,
        "root_gb": 1,
        "ephemeral_gb": 0,
        "swap": 0,
        "extra_specs": {},
    }
    request_spec = {
        "image": {},
        "num_instances": count,
        "instance_type": flavor,
        "instance_properties": {
            "uuid": str(uuid.uuid4()),
            "project_id": "juno",
            "os_type": None,
        },
    }
    if count > 1:
        uuids = [str(uuid.uuid4()) for _ in range(count)]
        request_spec["instance_uuids"] = uuids
    filter_properties = {
        "context": Context(),
        "instance_type": flavor,
        "scheduler_hints": None,
        "force_hosts": [host],
        "retry": {"num_attempts": 1, "hosts": []},
    }
    return request_spec, filter_properties


@unittest.skipUnless(URL and KEY, SKIP)
class SchedulerTest(unittest.TestCase):
    def setUp(self) -> None:
        self.client = self.open()
        self.host = name()
        self.node = f"{self.host}.example.org"

    def open(self, **options: Any) -> ganttclient.SchedulerClient:
        client = ganttclient.SchedulerClient(url=URL, key=KEY, **options)
        self.addCleanup(client.close)
        return client

    def report(self, **fields: Any) -> None:
        stats = row(self.host, self.node, **fields)
        self.client.update_resource_stats(
            Context(), (self.host, self.node), stats
        )

    def test_the_two_calls_of_juno(self) -> None:
        self.report()
        request_spec, filter_properties = dictionaries(self.host)
        before = copy.deepcopy((request_spec, dict(filter_properties)))
        (found,) = self.client.select_destinations(
            Context(), request_spec, filter_properties
        )
        self.assertEqual(found["host"], self.host)
        self.assertEqual(found["nodename"], self.node)
        self.assertEqual(
            set(found["limits"]), {"vcpu", "memory_mb", "disk_gb"}
        )
        self.assertEqual(found["claim"]["state"], "RESERVED")
        self.assertEqual(before[0], request_spec)
        self.assertEqual(set(before[1]), set(filter_properties))

    def test_a_key_with_the_scopes_of_nova(self) -> None:
        self.report()
        admin = ganttclient.Client(URL, KEY)
        self.addCleanup(admin.close)
        scopes = ["SCHEDULE", "REPORT", "CLAIM"]
        created = admin.request(
            CREATE_KEY,
            {"input": {"name": "nova", "account": "nova", "scopes": scopes}},
        )
        client = ganttclient.SchedulerClient(
            url=URL, key=created["apiKeyCreate"]["secret"]
        )
        self.addCleanup(client.close)
        stats = row(self.host, self.node, vcpus_used=1)
        client.update_resource_stats(None, (self.host, self.node), stats)
        client.select_destinations(None, *dictionaries(self.host))
        with self.assertRaisesRegex(exceptions.NoValidHost, "99"):
            client.select_destinations(None, *dictionaries(self.host, 99))

    def test_several_instances(self) -> None:
        self.report()
        found = self.client.select_destinations(
            None, *dictionaries(self.host, count=3)
        )
        self.assertEqual([one["host"] for one in found], [self.host] * 3)

    def test_a_further_attempt_after_a_host_has_failed(self) -> None:
        self.report()
        other = name()
        self.client.update_resource_stats(None, other, row(other, other))
        scheduler = self.open(profile="nova-compat")
        request_spec, properties = dictionaries(self.host)
        properties["force_hosts"] = [self.host, other]
        (first,) = scheduler.select_destinations(
            None, request_spec, properties
        )
        tried = [first["host"], first["nodename"]]
        properties["retry"] = {"num_attempts": 2, "hosts": [tried]}
        (second,) = scheduler.select_destinations(
            None, request_spec, properties
        )
        self.assertNotEqual(second["host"], first["host"])
        properties["retry"] = {"num_attempts": 1, "hosts": []}
        with self.assertRaises(exceptions.InstanceTaken):
            self.client.select_destinations(None, request_spec, properties)
        # As a live migration does after a host that does not suit.
        properties["ignore_hosts"] = [second["host"]]
        (third,) = scheduler.select_destinations(
            None, request_spec, properties
        )
        self.assertEqual(third["host"], first["host"])

    def test_each_call_draws_its_own_key(self) -> None:
        self.report()
        claims = [
            self.client.select_destinations(None, *dictionaries(self.host))
            for _ in range(2)
        ]
        first, second = (one[0]["claim"]["id"] for one in claims)
        self.assertNotEqual(first, second)

    def test_the_reservation_ends_after_two_minutes(self) -> None:
        self.report()
        (found,) = self.client.select_destinations(
            None, *dictionaries(self.host)
        )
        client = ganttclient.Client(URL, KEY)
        self.addCleanup(client.close)
        data = client.query(
            "query ($id: ID!) { claim(id: $id) { createdAt expiresAt } }",
            {"id": found["claim"]["id"]},
        )
        created = data["claim"]["createdAt"]
        self.assertNotEqual(data["claim"]["expiresAt"], created)
        (extended,) = client.extend(
            ganttclient.Claim(
                found["claim"]["id"], found["claim"]["fence"], "RESERVED"
            ),
            ttl="PT2M",
        )
        assert extended.created_at is not None
        seconds = (
            found["claim"]["expires_at"] - extended.created_at
        ).total_seconds()
        self.assertEqual(round(seconds), 120)

    def test_the_reservation_ends_when_the_figures_count_it(self) -> None:
        self.report()
        reader = ganttclient.Client(URL, KEY)
        self.addCleanup(reader.close)
        self.client.select_destinations(None, *dictionaries(self.host))
        state = reader.host((self.host, self.node))
        assert state is not None
        free = state.capacity["VCPU"].free
        # The program of the compute service is another one.
        compute = self.open()
        used = {"vcpus_used": 1, "memory_mb_used": 1024, "local_gb_used": 1}
        stats = {"stats": '{"num_instances": 1}'}
        figures = row(self.host, self.node, **used, **stats)
        compute.update_resource_stats(None, (self.host, self.node), figures)
        state = reader.host((self.host, self.node))
        assert state is not None
        self.assertEqual(state.capacity["VCPU"].free, free)

    def test_claim_none_and_confirm(self) -> None:
        self.report()
        spec = dictionaries(self.host)
        chosen = self.open(claim="NONE").select_destinations(None, *spec)
        self.assertIsNone(chosen[0]["claim"])
        held = self.open(claim="CONFIRM").select_destinations(None, *spec)
        self.assertEqual(held[0]["claim"]["state"], "CONFIRMED")

    def test_no_valid_host_states_the_true_cause(self) -> None:
        self.report()
        spec = dictionaries(self.host, vcpus=99)
        with self.assertRaises(exceptions.NoValidHost) as caught:
            self.client.select_destinations(None, *spec)
        self.assertRegex(str(caught.exception), "99 (v?CPUs|vCPUs)")
        client = self.open(no_valid_host=NovaNoValidHost)
        with self.assertRaisesRegex(NovaNoValidHost, "No valid host: .*99"):
            client.select_destinations(None, *spec)

    def test_a_refused_report_names_its_field(self) -> None:
        with self.assertRaises(exceptions.Invalid) as caught:
            self.report(vcpus=-1)
        self.assertIn("vcpus", str(caught.exception))
        self.assertNotIn(KEY, f"{caught.exception} {self.client!r}")

    def test_a_name_that_is_a_text(self) -> None:
        self.client.update_resource_stats(
            None, self.host, row(self.host, self.host)
        )
        found = self.client.select_destinations(None, *dictionaries(self.host))
        self.assertEqual(found[0]["host"], self.host)

    def test_a_compute_node_object(self) -> None:
        objects = {"stats": {"num_instances": "0"}, "metrics": None}
        fields = row(self.host, self.node, **objects)
        for column in ("pci_stats", "supported_instances"):
            del fields[column]
        node = ComputeNode(fields)
        self.client.update_resource_stats(None, (self.host, self.node), node)
        self.client.update_resource_stats(node)
        found = self.client.select_destinations(None, *dictionaries(self.host))
        self.assertEqual(found[0]["nodename"], self.node)


if __name__ == "__main__":
    unittest.main()

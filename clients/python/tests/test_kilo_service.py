"""Runs the further calls of Kilo against a real service."""

from __future__ import annotations

import unittest
from typing import Any

import ganttclient
from ganttclient import exceptions
from tests.test_scheduler_service import row
from tests.test_service import KEY, SKIP, URL, name

AGGREGATES = """query ($query: String) {
  aggregates(first: 10, query: $query) {
    nodes { name hostNames metadata { key value } }
  }
}"""


@unittest.skipUnless(URL and KEY, SKIP)
class KiloTest(unittest.TestCase):
    def setUp(self) -> None:
        self.client = ganttclient.SchedulerClient(url=URL, key=KEY)
        self.addCleanup(self.client.close)
        self.reader = ganttclient.Client(URL, KEY)
        self.addCleanup(self.reader.close)
        self.host = name()
        self.client.update_resource_stats(
            None, self.host, row(self.host, self.host)
        )

    def find(self, aggregate: str) -> list[dict[str, Any]]:
        data = self.reader.query(AGGREGATES, {"query": f"name:{aggregate}"})
        found: list[dict[str, Any]] = data["aggregates"]["nodes"]
        return found

    def test_an_aggregate_is_made_changed_and_deleted(self) -> None:
        number = int(self.host[3:], 16)
        known: dict[str, Any] = {"id": number, "name": self.host}
        known["hosts"] = [self.host]
        self.client.update_aggregates(
            None, [{**known, "metadata": {"availability_zone": self.host}}]
        )
        (found,) = self.find(self.host)
        self.assertEqual(found["hostNames"], [self.host])
        state = self.reader.host(self.host)
        assert state is not None
        self.assertEqual(state.availability_zone, self.host)
        changed = {**known, "hosts": [], "metadata": {"disk": "ssd"}}
        self.client.update_aggregates(None, changed)
        (found,) = self.find(self.host)
        self.assertEqual(found["hostNames"], [])
        self.assertEqual(found["metadata"], [{"key": "disk", "value": "ssd"}])
        self.client.delete_aggregate(None, {"id": number})
        self.assertEqual(self.find(self.host), [])
        self.client.delete_aggregate(None, {"id": number})

    def test_an_aggregate_of_an_unknown_host(self) -> None:
        known = {"id": 1, "name": "of nobody", "hosts": [name()]}
        with self.assertRaisesRegex(exceptions.Invalid, "hosts"):
            self.client.update_aggregates(None, known)


if __name__ == "__main__":
    unittest.main()

"""A scheduler client with a server that a test controls."""

from __future__ import annotations

import unittest
from typing import Any

import ganttclient
from tests import scripted_server as script
from tests.recorded_clock import RecordedClock

#: The answer to a report.
APPLIED = {
    "updateResourceStats": {
        "appliedCount": 1,
        "fleetRevision": "1",
        "results": [
            {
                "__typename": "ResourceStatsApplied",
                "lastSequence": 1,
                "revision": "1",
                "unchanged": False,
                "ignoredFields": [],
                "claimsMaterialised": [],
            }
        ],
    }
}


class SchedulerCase(unittest.TestCase):
    def serve(self, *answers: script.Answer) -> script.ScriptedServer:
        server = script.ScriptedServer(answers)
        self.addCleanup(server.end)
        return server

    def open(
        self, server: script.ScriptedServer, **options: Any
    ) -> ganttclient.SchedulerClient:
        client = ganttclient.SchedulerClient(
            url=server.url, key="key-1", clock=RecordedClock(), **options
        )
        self.addCleanup(client.close)
        return client

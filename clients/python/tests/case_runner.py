"""Plays cases of the table that all clients of the service share.

The server that plays a case is a program for Node.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import traceback
import unittest
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

import ganttclient
from ganttclient import exceptions
from tests.recorded_clock import RecordedClock

CASES = Path(__file__).resolve().parents[2] / "cases"
NODE = shutil.which("node")
#: The time limits of a case that states none (cases/README.md).
LIMIT_MS = 600_000

#: The kinds of errors of the table, by the classes of this client.
ERRORS = {
    "UNREACHABLE": exceptions.UnreachableError,
    "PROTOCOL": exceptions.ProtocolError,
    "FAULT": exceptions.ServiceError,
    "UNKNOWN_OUTCOME": exceptions.UnknownOutcome,
}


def read_table() -> dict[str, Any]:
    """Return the table."""
    text = (CASES / "cases.json").read_text(encoding="utf-8")
    table: dict[str, Any] = json.loads(text)
    return table


#: A program for Node that plays the cases whose names it reads.
PLAYER = """
import { createInterface } from 'node:readline'
const { playCase, readTable } = await import(process.argv[1])
const table = readTable()
let playing
for await (const name of createInterface({ input: process.stdin })) {
  await playing?.close()
  playing = await playCase(table, name)
  console.log(JSON.stringify(playing))
}
await playing?.close()
"""


class CasePlayer:
    """The server of the cases, as a process of its own."""

    def __init__(self) -> None:
        server = (CASES / "server.mjs").as_uri()
        self._process = subprocess.Popen(
            [str(NODE), "--input-type=module", "-e", PLAYER, server],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.urls: list[str] = []
        self._control = ""

    def play(self, name: str) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(name + "\n")
        self._process.stdin.flush()
        addresses = json.loads(self._process.stdout.readline())
        self.urls = addresses["urls"]
        self._control = addresses["control"]

    def records(self) -> list[dict[str, Any]]:
        records: list[dict[str, Any]] = self._get("/records")["records"]
        return records

    def wait(self, endpoint: int, call: int, event: str) -> None:
        query = {"endpoint": endpoint, "call": call, "event": event}
        self._get("/wait?" + urllib.parse.urlencode(query))

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def _get(self, path: str) -> Any:
        # The server answers each call within 60 s.
        url = self._control + path
        with urllib.request.urlopen(url, timeout=120) as answer:
            return json.load(answer)


class Outcome:
    """How a call ended, in the words of the table."""

    def __init__(self) -> None:
        self.answer: str | None = None
        self.claim: str | None = None
        self.replayed: bool | None = None
        self.error: Exception | None = None


class CaseTest(unittest.TestCase):
    """Plays cases, and checks each outcome and what the endpoints got."""

    player: CasePlayer

    @classmethod
    def setUpClass(cls) -> None:
        if NODE is None:
            return
        cls.player = CasePlayer()
        cls.addClassCleanup(cls.player.close)

    def play(self, table: dict[str, Any], case: dict[str, Any]) -> None:
        player = self.player
        player.play(case["name"])
        settings = case.get("client", {})
        keys = settings.get("keys", ["key-1"])
        clock = RecordedClock()
        client = ganttclient.Client(
            player.urls,
            self.key_source(keys),
            deadline=settings.get("deadlineMs", LIMIT_MS) / 1000,
            attempt_timeout=settings.get("attemptMs", LIMIT_MS) / 1000,
            hedge=settings.get("isHedging", True),
            clock=clock,
        )
        self.addCleanup(client.close)
        seen = 0
        drawn: set[str] = set()
        for call in case["calls"]:
            for _ in range(call.get("times", 1)):
                clock.waits.clear()
                outcome = self.make(client, call, table["inputs"])
                expected = call["expect"]
                for endpoint, number in expected.get("closedByClient", []):
                    player.wait(endpoint, number, "closed")
                records = player.records()
                closed = [
                    [one["endpoint"], one["call"]]
                    for one in records
                    if one.get("closedByClient")
                ]
                for one in expected.get("closedByClient", []):
                    self.assertIn(one, closed)
                added = records[seen:]
                seen = len(records)
                self.compare(expected, outcome, added)
                if outcome.error is not None:
                    self.check_hidden(outcome.error, keys)
                self.check_pauses(expected, clock.waits)
                self.check_records(call, added, drawn)

    def key_source(self, keys: list[str]) -> Any:
        left = list(keys)
        return lambda: left.pop(0) if len(left) > 1 else left[0]

    def make(
        self, client: ganttclient.Client, call: Any, inputs: Any
    ) -> Outcome:
        outcome = Outcome()
        given = inputs[call["operation"]]
        key = call.get("idempotencyKey")
        try:
            if call["operation"] == "select":
                spec = dict(given["spec"]["gantt"])
                if "paddingBytes" in call:
                    spec["projectId"] = "x" * call["paddingBytes"]
                self.placed(outcome, client.select(spec, idempotency_key=key))
            elif call["operation"] == "claim":
                host = (given["host"]["host"], given["host"]["node"])
                self.placed(
                    outcome,
                    client.claim(
                        given["decisionId"],
                        host,
                        instance_uuid=given["instanceUuid"],
                        idempotency_key=key,
                    ),
                )
            elif call["operation"] == "confirm":
                claims = [
                    ganttclient.Claim(one["id"], one["fence"], "RESERVED")
                    for one in given["claims"]
                ]
                (confirmed,) = client.confirm(*claims)
                outcome.answer = "ClaimPayload"
                outcome.claim = confirmed.id
            else:
                full: dict[str, Any] = given["full"]
                reporter = client.reporter(given["name"]["host"], lambda: full)
                outcome.answer = reporter.report().kind
        except exceptions.GanttError as error:
            outcome.error = error
            is_answer = (
                isinstance(error, exceptions.ServiceError) and error.answer
            )
            if is_answer:
                outcome.answer = type(error).__name__
        return outcome

    def placed(
        self, outcome: Outcome, placement: ganttclient.Placement
    ) -> None:
        outcome.answer = "SelectDestinationsPayload"
        outcome.claim = placement.claims[0].id
        outcome.replayed = placement.replayed

    def compare(
        self, expected: Any, outcome: Outcome, added: list[Any]
    ) -> None:
        if "answer" in expected:
            self.assertEqual(outcome.answer, expected["answer"], outcome.error)
        for field in ("claim", "replayed"):
            if field in expected:
                self.assertEqual(getattr(outcome, field), expected[field])
        if "error" in expected:
            self.compare_error(expected, outcome.error)
        if "order" in expected:
            order = [record["endpoint"] for record in added]
            self.assertEqual(order, expected["order"])
        if "receivedBy" in expected:
            by = sorted(record["endpoint"] for record in added)
            self.assertEqual(by, expected["receivedBy"])
        for endpoint, least in enumerate(expected.get("atLeast", [])):
            received = [one for one in added if one["endpoint"] == endpoint]
            self.assertGreaterEqual(len(received), least)
        if "total" in expected:
            self.assertEqual(len(added), expected["total"])
        if "authorization" in expected:
            keys = [record["authorization"] for record in added]
            self.assertEqual(keys, expected["authorization"])

    def compare_error(self, expected: Any, error: Any) -> None:
        if "answer" in expected:
            self.assertEqual(type(error).__name__, expected["answer"])
            return
        self.assertIsInstance(error, ERRORS[expected["error"]])
        if expected["error"] == "FAULT":
            self.assertTrue(error.faults, error)
        if "code" in expected:
            self.assertEqual(error.code, expected["code"])
        if "status" in expected:
            self.assertEqual(error.status, expected["status"])
        if "idempotencyKey" in expected:
            self.assertEqual(error.idempotency_key, expected["idempotencyKey"])
        if "cause" in expected:
            self.compare_error(expected["cause"], error.__cause__)

    def check_hidden(self, error: BaseException, keys: list[str]) -> None:
        lines = traceback.format_exception(
            type(error), error, error.__traceback__
        )
        shown = repr(error) + repr(vars(error)) + "".join(lines)
        for key in keys:
            self.assertNotIn(key, shown)

    def check_pauses(self, expected: Any, waits: list[float]) -> None:
        for at, pause in enumerate(expected.get("pauses", [])):
            ms = waits[at] * 1000
            self.assertGreaterEqual(ms, pause.get("atLeastMs", 0) - 20)
            self.assertLess(ms, pause.get("lessThanMs", float("inf")))

    def check_records(
        self, call: Any, added: list[Any], drawn: set[str]
    ) -> None:
        known = [record for record in added if "operation" in record]
        for record in added:
            self.assertTrue(record["isExpected"], record)
        if call["operation"] in ("select", "claim") and known:
            keys = {record["idempotencyKey"] for record in known}
            self.assertEqual(len(keys), 1)
            (key,) = keys
            if "idempotencyKey" in call:
                self.assertEqual(key, call["idempotencyKey"])
            else:
                self.assertNotIn(key, drawn)
                drawn.add(key)
        if call["operation"] == "report":
            reporters = [record["reporter"] for record in known]
            incarnations = {one["incarnation"] for one in reporters}
            self.assertEqual(len(incarnations), 1)
            self.assertEqual(
                [one["sequence"] for one in reporters],
                call["expect"].get("sequences", [1] * len(reporters)),
            )

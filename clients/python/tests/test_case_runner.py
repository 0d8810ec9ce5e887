"""Tests that a case fails if its outcome is not the expected one."""

from __future__ import annotations

import copy
import unittest
from typing import Any
from unittest import mock

from ganttclient import _retry, exceptions
from tests.case_runner import CASES, NODE, CaseTest, read_table

#: For each field of an expectation: a value other than the right one.
WRONG: dict[str, Any] = {
    "answer": lambda right: "OtherAnswer",
    "error": lambda right: "PROTOCOL" if right == "FAULT" else "FAULT",
    "claim": lambda right: "c-other",
    "replayed": lambda right: not right,
    "code": lambda right: "OTHER",
    "status": lambda right: right + 1,
    "idempotencyKey": lambda right: "other",
    "cause": lambda right: {"error": "FAULT", "code": "OTHER"},
    "order": lambda right: [*right, 0],
    "receivedBy": lambda right: [*right, 2],
    "atLeast": lambda right: [times + 1000 for times in right],
    "total": lambda right: right + 1,
    "authorization": lambda right: ["key-other" for _ in right],
    "sequences": lambda right: [one + 1 for one in right],
    "pauses": lambda right: [{"atLeastMs": 1e9}],
    "closedByClient": lambda right: [[1 - one, 1] for one, _ in right],
}
RECEIVED = {"operation": "SelectDestinations", "isExpected": True}


def is_stated(case: dict[str, Any]) -> bool:
    """Return whether a case is about a pause that an answer states."""
    return any(
        pause.get("atLeastMs", 0) > 0
        for call in case["calls"]
        for pause in call["expect"].get("pauses", [])
    )


@unittest.skipIf(NODE is None, "there is no program node")
@unittest.skipUnless(CASES.exists(), f"there is no table in {CASES}")
class RunnerTest(CaseTest):
    def fails(self, case: dict[str, Any], name: str) -> None:
        with self.subTest(name), self.assertRaises(AssertionError):
            self.play(read_table(), case)

    def test_an_outcome_that_differs(self) -> None:
        for field, wrongly in WRONG.items():
            case = next(
                one
                for one in read_table()["cases"]
                if any(field in call["expect"] for call in one["calls"])
            )
            wrong = copy.deepcopy(case)
            for call in wrong["calls"]:
                if field in call["expect"]:
                    right = call["expect"][field]
                    call["expect"][field] = wrongly(right)
            self.fails(wrong, field)

    def test_a_pause_that_is_too_long(self) -> None:
        case = next(
            one
            for one in read_table()["cases"]
            if "lessThanMs" in str(one["calls"][0]["expect"].get("pauses"))
        )
        del case["calls"][1:]
        case["calls"][0]["expect"]["pauses"] = [{"lessThanMs": 1}]
        self.fails(case, "lessThanMs")

    def test_records_that_differ(self) -> None:
        rows: list[list[dict[str, Any]]] = [
            [{"idempotencyKey": "k-1", "isExpected": False}],
            [{"idempotencyKey": "k-1"}, {"idempotencyKey": "k-2"}],
            [{"idempotencyKey": "drawn before"}],
        ]
        for row in rows:
            records: list[dict[str, Any]] = [
                {**RECEIVED, **record} for record in row
            ]
            with self.subTest(row), self.assertRaises(AssertionError):
                call = {"operation": "select", "expect": {}}
                self.check_records(call, records, {"drawn before"})

    def test_reports_that_differ(self) -> None:
        first: dict[str, Any] = {"incarnation": "i-1", "sequence": 1}
        for field, value in (("incarnation", "i-2"), ("sequence", 2)):
            second: dict[str, Any] = {**first, field: value}
            records: list[dict[str, Any]] = [
                {**RECEIVED, "reporter": reporter}
                for reporter in (first, second)
            ]
            with self.subTest(field), self.assertRaises(AssertionError):
                call = {"operation": "report", "expect": {}}
                self.check_records(call, records, set())

    def test_an_error_that_shows_a_key(self) -> None:
        error = exceptions.UnreachableError("the key is key-1")
        with self.assertRaises(AssertionError):
            self.check_hidden(error, ["key-0", "key-1"])
        self.check_hidden(error, ["key-0"])

    def test_a_client_that_ignores_stated_pauses(self) -> None:
        known = _retry.retry_after

        def ignoring(error: BaseException) -> float | None:
            return None if known(error) is None else 0.0

        stated = [one for one in read_table()["cases"] if is_stated(one)]
        self.assertGreater(len(stated), 4)
        with mock.patch.object(_retry, "retry_after", ignoring):
            for case in stated:
                self.fails(case, case["name"])


if __name__ == "__main__":
    unittest.main()

"""Tests the exceptions, and what the package says about itself."""

from __future__ import annotations

import json
import pickle
import unittest
from pathlib import Path
from typing import Any

import ganttclient
from ganttclient import exceptions, faults

ROOT = Path(ganttclient.__file__).resolve().parents[3]
PACKAGE = ROOT / "packages" / "client" / "package.json"


class CodesTest(unittest.TestCase):
    def test_each_code_has_a_class_with_a_remedy(self) -> None:
        self.assertGreater(len(faults.ERRORS), 20)
        for code, kind in faults.ERRORS.items():
            self.assertEqual(kind.code, code)
            self.assertIs(faults.error_of_code(code), kind)
            self.assertTrue(kind.__doc__, kind)
            remedy = kind("it failed").remedy
            self.assertRegex(remedy, r"\w+ .*\w", kind)
            self.assertNotEqual(remedy, exceptions.GanttError.advice, kind)

    def test_each_error_of_the_client_has_a_remedy(self) -> None:
        for kind in exceptions.GanttError.__subclasses__():
            if kind is not exceptions.ServiceError:
                self.assertIn("advice", vars(kind), kind)

    def test_an_error_goes_to_another_process(self) -> None:
        cause = exceptions.ProtocolError("a page", 502, retry_after=3)
        errors: list[exceptions.GanttError] = [
            cause,
            exceptions.UnknownOutcome(cause, "key"),
            exceptions.UnreachableError("nothing there", sent=False),
            faults.of_answer(
                {
                    "__typename": "NoValidHost",
                    "code": "NO_VALID_HOST",
                    "message": "full",
                }
            ),
        ]
        for error in errors:
            found = pickle.loads(pickle.dumps(error))
            self.assertIs(type(found), type(error))
            self.assertEqual(str(found), str(error))
            self.assertEqual(vars(found), vars(error))

    def test_all_issues_of_an_input_are_in_the_message(self) -> None:
        error = faults.of_answer(
            {
                "__typename": "ValidationError",
                "code": "INVALID",
                "message": "the input is wrong",
                "issues": [
                    {"path": ["input", "a"], "message": "input.a is 1"},
                    {"path": ["input", "b"], "message": "must be a text"},
                ],
            }
        )
        self.assertIsInstance(error, exceptions.Invalid)
        self.assertEqual(str(error), "input.a is 1; input.b: must be a text")

    def test_no_valid_host_has_the_message_of_nova(self) -> None:
        answer: dict[str, Any] = {
            "__typename": "NoValidHost",
            "code": "NO_VALID_HOST",
            "message": "nobody knows",
            "cause": {"code": "memory.short", "text": "4 MiB free."},
            "reasons": [{"code": "cpu.short", "hosts": 1}],
            "decision": {"id": "d-1"},
        }
        error = faults.of_answer(answer)
        assert isinstance(error, exceptions.NoValidHost)
        self.assertEqual(str(error), "No valid host was found. 4 MiB free.")
        self.assertEqual(error.rule, "memory.short")
        self.assertEqual(error.decision_id, "d-1")
        self.assertIn("ramAllocationRatio", error.remedy)
        answer["cause"] = None
        self.assertEqual(faults.of_answer(answer).rule, "cpu.short")


class PackageTest(unittest.TestCase):
    def test_the_version_is_that_of_the_other_packages(self) -> None:
        if not PACKAGE.exists():
            self.skipTest("this is not a checkout of the repository")
        version = json.loads(PACKAGE.read_text(encoding="utf-8"))["version"]
        self.assertEqual(ganttclient.__version__, version)

    def test_the_licence_is_that_of_the_repository(self) -> None:
        if not PACKAGE.exists():
            self.skipTest("this is not a checkout of the repository")
        mine = ROOT / "clients" / "python" / "LICENSE"
        self.assertEqual(mine.read_bytes(), (ROOT / "LICENSE").read_bytes())

    def test_each_file_has_at_most_300_lines(self) -> None:
        # The parent folder of an installed package is not searched,
        # because it contains other packages.
        package = Path(ganttclient.__file__).resolve().parent
        for folder in (package, Path(__file__).resolve().parent):
            files = list(folder.rglob("*.py"))
            self.assertGreater(len(files), 10, folder)
            for file in files:
                lines = file.read_text(encoding="utf-8").count("\n")
                self.assertLessEqual(lines, 300, file)


if __name__ == "__main__":
    unittest.main()

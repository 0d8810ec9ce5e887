"""Runs the table of cases that all clients of the service share.

Without Node the tests are skipped, and say so.
"""

from __future__ import annotations

import unittest
from typing import Any

from tests.case_runner import CASES, NODE, CaseTest, read_table


class CasesTest(CaseTest):
    """Each case of the table is one test; see the end of this file."""


def _test_of(table: Any, case: Any) -> Any:
    def test(self: CasesTest) -> None:
        self.play(table, case)

    test.__doc__ = case["name"]
    return test


def _add_tests() -> None:
    file = CASES / "cases.json"
    if not file.exists():
        why = f"there is no table {file}, as in the repository"
        test = unittest.skip(why)(CasesTest.play)
        setattr(CasesTest, f"test_{0:02}", test)
        return
    table = read_table()
    for number, case in enumerate(table["cases"], 1):
        test = _test_of(table, case)
        if NODE is None:
            test = unittest.skip("there is no program node")(test)
        setattr(CasesTest, f"test_{number:02}", test)


_add_tests()

if __name__ == "__main__":
    unittest.main()

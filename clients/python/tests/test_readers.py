"""Answers of the service become objects."""

from __future__ import annotations

import unittest

from ganttclient import _readers
from tests import scripted_server as script


class ReadersTest(unittest.TestCase):
    """What the objects say of an answer."""

    def test_a_placement_names_the_fields_without_effect(self) -> None:
        """Those that no document locates are named apart."""
        answer = script.placed()["selectDestinations"]
        answer["ignoredFields"] = ["hints.a", "hints.b"]
        answer["unlocatedFields"] = ["hints.b"]
        placement = _readers.placement(answer)
        self.assertEqual(placement.ignored_fields, ("hints.a", "hints.b"))
        self.assertEqual(placement.unlocated_fields, ("hints.b",))


if __name__ == "__main__":
    unittest.main()

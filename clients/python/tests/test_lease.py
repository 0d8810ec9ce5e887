"""Tests when a reservation is extended while a block holds it."""

from __future__ import annotations

import unittest

from ganttclient._lease import Lease


def attempts(lease: Lease, now: float, takes: float) -> list[float]:
    """Return when extensions begin that all fail, and then the end.

    :param takes: after how many seconds each fails, at most its time limit
    """
    found: list[float] = []
    while True:
        now += lease.wait(now)
        if lease.is_over(now):
            return [*found, now]
        found.append(now)
        now += min(takes, lease.limit(now))
        lease.failed(now)


class LeaseTest(unittest.TestCase):
    def test_each_third_of_the_duration_it_is_extended(self) -> None:
        lease = Lease(10.0, 120.0)
        self.assertEqual(lease.wait(10.0), 40.0)
        lease.extended(50.0)
        self.assertEqual(lease.wait(51.0), 39.0)
        self.assertFalse(lease.is_over(169.9))
        self.assertTrue(lease.is_over(170.0))

    def test_a_reservation_of_an_earlier_call_is_extended_at_once(
        self,
    ) -> None:
        self.assertEqual(Lease(10.0, 120.0, is_earlier=True).wait(10.0), 0.0)

    def test_an_extension_that_fails_is_repeated_several_times(self) -> None:
        for takes in (0.0, 5.0, 1000.0):
            *found, end = attempts(Lease(0.0, 120.0), 0.0, takes)
            with self.subTest(takes):
                self.assertEqual(found[0], 40.0)
                self.assertGreaterEqual(len(found), 5)
                self.assertLess(len(found), 40)
                self.assertAlmostEqual(end, 120.0)

    def test_no_extension_takes_longer_than_the_reservation(self) -> None:
        lease = Lease(0.0, 120.0)
        for now in (40.0, 100.0, 119.5):
            self.assertLessEqual(now + lease.limit(now), 120.0)


if __name__ == "__main__":
    unittest.main()

"""When a reservation is extended, and until when it lasts."""

from __future__ import annotations


class Lease:
    """The times of a reservation that is held while a block runs.

    It is extended each time a third of its duration has passed.  If an
    extension fails, the next one follows after a sixth of the time that is
    left, and takes at most a third of it.  So there are several before the
    end, even if none of them is answered.

    :param begin: when the reservation was asked for, by the client's clock
    :param seconds: how long it lasts from each extension on
    :param is_earlier: whether an earlier call made it.  It may end soon, so
        it is extended at once
    """

    def __init__(
        self, begin: float, seconds: float, is_earlier: bool = False
    ) -> None:
        self._seconds = seconds
        #: The least pause and the least time limit.
        self._least = seconds / 60
        self._end = begin + seconds
        self._next = begin if is_earlier else begin + seconds / 3

    def wait(self, now: float) -> float:
        """Return the seconds until the next extension, or the end."""
        return max(0.0, self._next - now)

    def limit(self, now: float) -> float:
        """Return the time limit of an extension that begins now."""
        return self._part(now, 3)

    def is_over(self, now: float) -> bool:
        """Return whether the reservation has ended."""
        return now >= self._end

    def extended(self, sent_at: float) -> None:
        """Take note of an extension that was asked for at this time."""
        self._end = sent_at + self._seconds
        self._next = sent_at + self._seconds / 3

    def failed(self, now: float) -> None:
        """Take note that an extension failed."""
        self._next = now + self._part(now, 6)

    def _part(self, now: float, parts: int) -> float:
        left = max(0.0, self._end - now)
        return min(left, max(left / parts, self._least))

"""Keeps what two processes must not share apart after a fork."""

from __future__ import annotations

import os
import weakref
from typing import Protocol


class Forked(Protocol):
    """An object whose state belongs to one process."""

    def _after_fork(self) -> None:
        """Forget the state of the parent.  Called in the child."""


_known: weakref.WeakSet[Forked] = weakref.WeakSet()


def watch(one: Forked) -> None:
    """Have the method ``_after_fork`` called in each forked child.

    No thread of the parent runs in the child, so a lock that such a thread
    held is never released there: the method must replace locks.
    """
    _known.add(one)


def _in_child() -> None:
    for one in list(_known):
        one._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)

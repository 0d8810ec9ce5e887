"""Warnings that a client gives once, however often their cause occurs."""

from __future__ import annotations

import logging

LOG = logging.getLogger(__name__)


class Notices:
    """Gives each warning once."""

    def __init__(self) -> None:
        self._given: set[str] = set()

    def give(self, text: str) -> None:
        """Log a warning, unless it was given before."""
        if text not in self._given:
            self._given.add(text)
            LOG.warning("%s", text)

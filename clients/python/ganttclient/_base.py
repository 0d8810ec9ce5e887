"""The part of the client that all its calls share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

from ganttclient._retry import CallOptions, Stop

if TYPE_CHECKING:
    from ganttclient._caller import Caller, Verdict

Data = dict[str, Any]


class Base:
    """Sends calls with the time limits of the client."""

    _caller: Caller
    _deadline: float
    _attempt_timeout: float
    _for_project: bool

    def _options(
        self, deadline: float | None, stop: Stop | None
    ) -> CallOptions:
        return CallOptions(
            self._deadline if deadline is None else deadline,
            self._attempt_timeout,
            Stop() if stop is None else stop,
        )

    def _ask(
        self,
        query: str,
        variables: Mapping[str, Any],
        deadline: float | None,
        stop: Stop | None,
    ) -> Data:
        options = self._options(deadline, stop)
        return self._caller.ask(query, variables, options)

    def _ask_with_key(
        self,
        key: str,
        query: str,
        variables: Mapping[str, Any],
        judge: Callable[[Data], Verdict],
        deadline: float | None,
        stop: Stop | None,
    ) -> Data:
        options = self._options(deadline, stop)
        return self._caller.ask_with_key(key, query, variables, options, judge)

"""Tests that the asyncio client has the typed calls of the client."""

from __future__ import annotations

import inspect
import unittest
from typing import Any

import ganttclient
from ganttclient.aio._fleet import AsyncReporter

#: What a call of asyncio returns in place of a result.
RETURNS = {
    "Hold": "AsyncHold",
    "Iterator[HostState]": "AsyncIterator[HostState]",
    "Reporter": "AsyncReporter",
    "Stream[DecisionEvent]": "AsyncStream[DecisionEvent]",
    "Stream[HostChange]": "AsyncStream[HostChange]",
}
#: The calls that only the client has: run() makes them.
ONLY_SYNC = {"query", "request"}
#: Calls for Nova's form, which SchedulerClient uses.
ONLY_SCHEDULER = {"renew", "report_nova"}


def calls_of(kind: type[object]) -> dict[str, Any]:
    """Return the public methods of a class by name."""
    found = inspect.getmembers(kind, inspect.isfunction)
    return {name: call for name, call in found if name[0] != "_"}


def parameters(call: Any) -> list[inspect.Parameter]:
    """Return the parameters of a call of the client without ``stop``."""
    found = inspect.signature(call).parameters.values()
    return [one for one in found if one.name != "stop"]


class SignatureTest(unittest.TestCase):
    def compare(self, sync: dict[str, Any], of_asyncio: Any) -> None:
        for name, call in sync.items():
            with self.subTest(name):
                other = getattr(of_asyncio, name)
                self.assertEqual(parameters(call), parameters(other))
                result = inspect.signature(call).return_annotation
                self.assertEqual(
                    inspect.signature(other).return_annotation,
                    RETURNS.get(result, result),
                )
                is_awaited = inspect.iscoroutinefunction(other)
                self.assertEqual(is_awaited, result not in RETURNS)

    def test_calls(self) -> None:
        sync = calls_of(ganttclient.Client)
        for name in (*ONLY_SYNC, "close"):
            del sync[name]
        self.assertGreater(len(sync), 15)
        self.compare(sync, ganttclient.AsyncClient)
        others = set(calls_of(ganttclient.AsyncClient)) - set(sync)
        self.assertEqual(others, {"close", "run"})

    def test_calls_of_a_reporter(self) -> None:
        sync = calls_of(ganttclient.Reporter)
        for name in ONLY_SCHEDULER:
            del sync[name]
        self.compare(sync, AsyncReporter)
        self.assertEqual(set(sync), set(calls_of(AsyncReporter)))

    def test_arguments_of_the_client(self) -> None:
        sync = parameters(ganttclient.Client)
        of_asyncio = parameters(ganttclient.AsyncClient)
        self.assertEqual(sync, of_asyncio[:-1])
        self.assertEqual(of_asyncio[-1].name, "threads")

    def test_no_call_takes_arguments_without_a_type(self) -> None:
        for kind in (ganttclient.Client, ganttclient.AsyncClient):
            for name, call in calls_of(kind).items():
                for one in parameters(call):
                    is_open = one.kind is inspect.Parameter.VAR_KEYWORD
                    self.assertTrue(name == "run" or not is_open, name)


if __name__ == "__main__":
    unittest.main()

"""Places many instances, and prints a line of JSON for each.

This is no test.  A test of the repository stops a replica in the middle of
its calls: ``packages/proofs/src/client-failover/failover.ts`` describes what
such a program gets and prints.
"""

from __future__ import annotations

import json
import os
import threading
import uuid

import ganttclient

SPEC = {"flavor": {"vcpus": 1, "memoryMb": 64}}


def main() -> None:
    client = ganttclient.Client(
        os.environ["GANTT_URLS"].split(","),
        os.environ["GANTT_KEY"],
        deadline=float(os.environ["GANTT_DEADLINE_MS"]) / 1000,
        attempt_timeout=float(os.environ["GANTT_ATTEMPT_MS"]) / 1000,
    )
    calls = iter(range(int(os.environ["GANTT_CALLS"])))
    lock = threading.Lock()

    def take() -> bool:
        with lock:
            return next(calls, None) is not None

    def show(**line: str | None) -> None:
        with lock:
            print(json.dumps(line), flush=True)

    def place_until_done() -> None:
        while take():
            key = str(uuid.uuid4())
            try:
                placement = client.select(
                    SPEC, claim="CONFIRM", idempotency_key=key
                )
            except ganttclient.GanttError as error:
                show(key=key, error=f"{type(error).__name__}: {error}")
            else:
                show(key=key, claim=placement.claims[0].id)

    count = int(os.environ["GANTT_CALLS_AT_ONCE"])
    threads = [threading.Thread(target=place_until_done) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    client.close()


if __name__ == "__main__":
    main()

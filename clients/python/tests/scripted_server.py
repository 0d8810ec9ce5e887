"""A server that answers calls as a test says, on the loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable

JSON = "application/graphql-response+json"

#: Answers a call.  It may also write to the connection by itself.
Answer = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """One connection; its calls are answered in order."""

    protocol_version = "HTTP/1.1"
    server: ScriptedServer

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        call = json.loads(self.rfile.read(length))
        answer = self.server.begin(self, call)
        try:
            answer(self)
        except OSError:
            # The client has closed the connection.
            self.close_connection = True

    def log_message(self, *_args: object) -> None:
        return


class ScriptedServer(ThreadingHTTPServer):
    """Answers with the items of a script, and then always with the last."""

    daemon_threads = True

    def __init__(self, script: Iterable[Answer]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self._script = list(script)
        self._lock = threading.Lock()
        #: The revision at which streams without ``after`` begin.
        self.revision = "3"
        #: The other calls: query, variables, headers and connection.
        self.calls: list[dict[str, Any]] = []
        #: A test sets it to let answers with wait_for() go on.
        self.go_on = threading.Event()
        self._thread = threading.Thread(
            target=self.serve_forever, args=(0.01,)
        )
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/graphql"

    def begin(self, handler: Handler, call: dict[str, Any]) -> Answer:
        if "StreamStart" in call["query"]:
            return data(health={"revision": self.revision})
        with self._lock:
            call["headers"] = handler.headers
            call["connection"] = handler.client_address
            self.calls.append(call)
            if len(self._script) > 1:
                return self._script.pop(0)
            return self._script[0]

    def operations(self) -> list[str]:
        """The names of the operations that were called."""
        return [call["query"].split("(")[0].split()[1] for call in self.calls]

    def end(self) -> None:
        self.go_on.set()
        self.shutdown()
        self._thread.join()
        self.server_close()


def text(
    body: str, status: int = 200, kind: str = JSON, **headers: str
) -> Answer:
    """Answer with a text."""

    def answer(handler: Handler) -> None:
        whole = body.encode("utf-8")
        handler.send_response(status)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(whole)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(whole)

    return answer


def data(**fields: Any) -> Answer:
    """Answer with data."""
    return text(json.dumps({"data": fields}))


def fault(code: str, status: int, **extensions: Any) -> Answer:
    """Answer with a top-level error."""
    known = {"code": code, **extensions}
    error = {"message": "it failed", "extensions": known}
    return text(json.dumps({"errors": [error]}), status)


def lost(handler: Handler) -> None:
    """Close the connection without an answer."""
    handler.close_connection = True
    handler.connection.close()


def raw(answer: bytes) -> Answer:
    """Answer with bytes that need not be HTTP."""

    def send(handler: Handler) -> None:
        handler.close_connection = True
        handler.wfile.write(answer)

    return send


def never(handler: Handler) -> None:
    """Answer only when the test ends."""
    handler.server.go_on.wait()
    handler.close_connection = True


def event_to(handler: Handler, item: dict[str, Any]) -> None:
    """Send an event of a stream."""
    event = json.dumps({"data": item})
    block = f"event: next\ndata: {event}\n\n"
    handler.wfile.write(block.encode("utf-8"))


def events(*items: dict[str, Any], then: Answer = lost) -> Answer:
    """Answer with a stream of events, and then do something else."""

    def answer(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.end_headers()
        handler.close_connection = True
        handler.wfile.write(b":\n\n")
        for item in items:
            event_to(handler, item)
        handler.wfile.flush()
        if then is not lost:
            then(handler)

    return answer


def placed(claim: str = "c-1", state: str = "RESERVED") -> dict[str, Any]:
    """The answer to selectDestinations for one instance."""
    return {
        "selectDestinations": {
            "__typename": "SelectDestinationsPayload",
            "replayed": False,
            "fleetRevision": "1",
            "ignoredFields": [],
            "decision": {"id": "d-1"},
            "destinations": [
                {
                    "instanceUuid": None,
                    "selected": {
                        "weight": 1.5,
                        "host": {"name": "a", "node": "a1"},
                        "limits": [
                            {"resource": "VCPU", "limit": 8},
                            {"resource": "CUSTOM_X", "limit": 1},
                        ],
                        "claim": claim_of(claim, state),
                    },
                    "alternates": [],
                }
            ],
        }
    }


def claim_of(claim: str, state: str) -> dict[str, Any]:
    """Return a claim as the API shows it."""
    return {
        "id": claim,
        "fence": 7,
        "state": state,
        "instanceUuid": None,
        "createdAt": "2020-01-01T00:00:00.000Z",
        "expiresAt": "2020-01-01T00:02:00.000Z",
        "confirmedAt": None,
    }


def changed(field: str, state: str) -> Answer:
    """Answer that a claim has a state now."""
    answer = {
        "__typename": "ClaimPayload",
        "replayed": False,
        "fleetRevision": "2",
        "claim": claim_of("c-1", state),
    }
    return data(**{field: [answer]})


def refused(field: str, kind: str, code: str) -> Answer:
    """Answer that a change of a claim was refused."""
    answer = {"__typename": kind, "code": code, "message": f"{kind} it is"}
    return data(**{field: [answer]})

"""Tests how calls are sent, with a server that a test controls."""

from __future__ import annotations

import json
import selectors
import traceback
import unittest
from typing import Any

import ganttclient
from ganttclient import exceptions, faults
from tests import scripted_server as script
from tests.recorded_clock import RecordedClock

SPEC = {"flavor": {"vcpus": 1, "memoryMb": 512}}


class ScriptedTest(unittest.TestCase):
    def serve(self, *answers: script.Answer) -> script.ScriptedServer:
        server = script.ScriptedServer(answers)
        self.addCleanup(server.end)
        return server

    def open(
        self, server: script.ScriptedServer, key: Any = "key-1", **options: Any
    ) -> ganttclient.Client:
        options.setdefault("clock", RecordedClock())
        client = ganttclient.Client(server.url, key, **options)
        self.addCleanup(client.close)
        return client


class KeyTest(ScriptedTest):
    def test_a_key_that_cannot_be_sent_is_not_sent_and_not_shown(self) -> None:
        server = self.serve(script.data(live=True))
        for key in ("gantt_1\ngantt_2", "gantt_\u2713"):
            with self.assertRaises(exceptions.KeySourceError) as caught:
                self.open(server, key).query("{ live }")
            self.assertNotIn("gantt_", str(caught.exception))
        self.assertEqual(server.calls, [])

    def test_a_source_that_fails_or_returns_no_text(self) -> None:
        server = self.serve(script.data(live=True))

        def fails() -> str:
            raise OSError("the vault is closed")

        with self.assertRaisesRegex(exceptions.KeySourceError, "vault"):
            self.open(server, fails).select(SPEC)
        with self.assertRaisesRegex(exceptions.KeySourceError, "int"):
            self.open(server, lambda: 7).select(SPEC)

    def test_a_source_whose_error_has_a_key_in_it(self) -> None:
        used = "key-1"
        new = f"gantt_{'Ab-_' * 8}"

        class Failure(Exception):
            document = f"{used} {new}"

        def read() -> str:
            if reads:
                raise Failure(f"{used} is not {new}")
            reads.append(used)
            return used

        reads: list[str] = []
        client = self.open(self.serve(script.fault("X", 401)), read)
        with self.assertRaisesRegex(
            exceptions.KeySourceError, r"Failure: \*\*\* is not \*\*\*"
        ) as caught:
            client.query("{ live }")
        error: BaseException | None = caught.exception
        while error is not None:
            self.assertNotIn(used, f"{error!r} {vars(type(error))}")
            self.assertNotIn(new, f"{error!r} {vars(type(error))}")
            error = error.__cause__ or error.__context__

    def test_names_in_errors_are_shown_without_the_key(self) -> None:
        extensions = {"key-1": 1}
        server = self.serve(script.fault("X", 400, **extensions))
        with self.assertRaises(exceptions.ServiceError) as caught:
            self.open(server).query("{ live }")
        self.assertNotIn("key-1", repr(caught.exception.faults))

    def test_a_line_break_at_the_end_is_left_out(self) -> None:
        server = self.serve(script.data(live=True))
        self.open(server, "key-1\n").query("{ live }")
        sent = server.calls[0]["headers"]["Authorization"]
        self.assertEqual(sent, "Bearer key-1")

    def test_a_page_that_repeats_the_key_is_shown_without_it(self) -> None:
        page = "<html>Authorization: Bearer key-1</html>"
        server = self.serve(script.text(page, 404, "text/html"))
        with self.assertRaises(exceptions.ProtocolError) as caught:
            self.open(server).query("{ live }")
        self.assertNotIn("key-1", str(caught.exception))
        self.assertEqual(caught.exception.status, 404)

    def test_no_error_shows_a_key_that_was_used(self) -> None:
        message = {"message": "unknown keys key-1 and key-2"}
        answers = [
            script.text(json.dumps({"errors": [message]}), 401),
            script.text("<html>key-1 key-2</html>", 404, "text/html"),
            script.raw(b"HTTP/1.1 no key-1 key-2\r\n\r\n"),
        ]
        for answer in answers:
            refused = script.fault("UNAUTHENTICATED", 401)
            server = self.serve(refused, answer)
            keys = ["key-1", "key-2"]
            client = self.open(server, lambda keys=keys: keys.pop(0))
            with self.assertRaises(exceptions.GanttError) as caught:
                client.request("{ live }")
            error = caught.exception
            lines = traceback.format_exception(
                type(error), error, error.__traceback__
            )
            shown = "".join(lines)
            self.assertNotRegex(shown, "key-[12]")


class ConnectionTest(ScriptedTest):
    def test_calls_share_a_connection(self) -> None:
        server = self.serve(script.data(live=True))
        client = self.open(server)
        for _ in range(3):
            self.assertEqual(client.query("{ live }"), {"live": True})
        self.assertEqual(len({call["connection"] for call in server.calls}), 1)

    def test_a_connection_that_was_closed_meanwhile_is_replaced(self) -> None:
        def closing(handler: script.Handler) -> None:
            script.data(live=True)(handler)
            handler.close_connection = True

        server = self.serve(closing)
        client = self.open(server)
        (endpoint,) = client._caller.endpoints.all
        for _ in range(3):
            client.request("{ live }")
            # Only when the end of the connection has arrived, it is known.
            (connection, _until) = endpoint._idle[0]
            with selectors.DefaultSelector() as selector:
                selector.register(connection, selectors.EVENT_READ)
                selector.select()
        self.assertEqual(len({call["connection"] for call in server.calls}), 3)

    def test_a_connection_is_not_used_after_the_stated_time(self) -> None:
        answer = script.text('{"data": {}}', Keep_Alive="timeout=1")
        server = self.serve(answer)
        client = self.open(server)
        for _ in range(2):
            client.request("{ live }")
        self.assertEqual(len({call["connection"] for call in server.calls}), 2)

    def test_an_answer_in_chunks(self) -> None:
        def chunks(handler: script.Handler) -> None:
            handler.send_response(200)
            handler.send_header("Content-Type", script.JSON)
            handler.send_header("Transfer-Encoding", "chunked")
            handler.end_headers()
            for part in (b'{"data": {', b'"live": true}}', b""):
                size = f"{len(part):x}\r\n".encode("ascii")
                handler.wfile.write(size + part + b"\r\n")

        server = self.serve(chunks)
        self.assertEqual(self.open(server).query("{ live }"), {"live": True})

    def test_the_limit_of_an_attempt_holds_for_a_slow_answer(self) -> None:
        def slow(handler: script.Handler) -> None:
            handler.send_response(200)
            handler.send_header("Content-Length", "1000000")
            handler.end_headers()
            while not handler.server.go_on.wait(0.01):
                handler.wfile.write(b" ")

        server = self.serve(slow)
        client = self.open(server, attempt_timeout=0.3, deadline=0.5)
        with self.assertRaisesRegex(
            exceptions.UnreachableError, "no answer within"
        ):
            client.query("{ live }")

    def test_another_thread_stops_a_call(self) -> None:
        for keyed, kind in (
            (False, exceptions.Stopped),
            (True, exceptions.UnknownOutcome),
        ):
            stop = ganttclient.Stop()

            def arrived(
                handler: script.Handler, stop: ganttclient.Stop = stop
            ) -> None:
                stop.set()
                script.never(handler)

            client = self.open(self.serve(arrived))
            with self.assertRaises(kind):
                if keyed:
                    client.select(SPEC, stop=stop)
                else:
                    client.query("{ live }", stop=stop)

    def test_nothing_is_sent_after_a_stop(self) -> None:
        server = self.serve(script.data(live=True))
        stop = ganttclient.Stop()
        stop.set()
        with self.assertRaises(exceptions.Stopped):
            self.open(server).select(SPEC, stop=stop)
        self.assertEqual(server.calls, [])


class AnswerTest(ScriptedTest):
    def test_an_answer_that_is_no_object(self) -> None:
        for body in ("null", "[]", "{}", '{"data": null}'):
            server = self.serve(script.text(body))
            with self.assertRaises(exceptions.ProtocolError):
                self.open(server).query("{ live }")

    def test_a_fault_is_raised_as_the_class_of_its_code(self) -> None:
        server = self.serve(
            script.fault("COST_EXCEEDED", 400, rule="limit.cost")
        )
        with self.assertRaises(faults.CostExceeded) as caught:
            self.open(server).query("{ live }")
        self.assertEqual(caught.exception.rule, "limit.cost")
        self.assertIn("smaller pages", caught.exception.remedy)
        self.assertEqual(str(caught.exception), "it failed (COST_EXCEEDED)")

    def test_a_code_of_a_newer_service(self) -> None:
        server = self.serve(script.fault("NEW_CODE", 400))
        with self.assertRaises(exceptions.ServiceError) as caught:
            self.open(server).query("{ live }")
        self.assertIs(type(caught.exception), exceptions.ServiceError)

    def test_a_request_is_sent_once(self) -> None:
        server = self.serve(script.fault("UNAVAILABLE", 503, retryable=True))
        with self.assertRaises(faults.Unavailable):
            self.open(server).request("{ live }")
        self.assertEqual(len(server.calls), 1)

    def test_waiting_for_room(self) -> None:
        full = {
            "selectDestinations": {
                "__typename": "NoValidHost",
                "code": "NO_VALID_HOST",
                "message": "all hosts are full",
                "reasons": [],
            }
        }
        server = self.serve(
            script.data(**full),
            script.data(**full),
            script.data(**script.placed()),
        )
        clock = RecordedClock()
        client = self.open(server, clock=clock)
        with self.assertRaisesRegex(exceptions.NoValidHost, "full"):
            client.select(SPEC)
        client.select(SPEC, wait_for_room=True)
        keys = [call["variables"]["input"] for call in server.calls]
        self.assertEqual(keys[1]["idempotencyKey"], keys[2]["idempotencyKey"])
        self.assertNotEqual(
            keys[0]["idempotencyKey"], keys[1]["idempotencyKey"]
        )
        self.assertGreaterEqual(clock.waits[0], 1.0)

    def test_a_key_of_a_project_asks_for_less(self) -> None:
        server = self.serve(script.data(**script.placed()))
        self.open(server, for_project=True).select(SPEC)
        self.assertNotIn("availabilityZone", server.calls[0]["query"])
        self.assertNotIn("limits", server.calls[0]["query"])

    def test_arguments_that_are_refused(self) -> None:
        client = ganttclient.Client("http://127.0.0.1:1/graphql")
        with self.assertRaises(TypeError):
            client.select()
        with self.assertRaises(TypeError):
            client.select(SPEC, legacy={})
        with self.assertRaises(ValueError):
            client.select(SPEC, claim="MAYBE")
        with self.assertRaises(TypeError):
            client.why_not("a")
        with self.assertRaises(TypeError):
            # The wrong type is what this test is about.
            client.host(7)  # type: ignore[arg-type]


if __name__ == "__main__":
    unittest.main()

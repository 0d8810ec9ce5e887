"""Tests how connections are opened and stopped."""

from __future__ import annotations

import socket
import ssl
import threading
import unittest
from typing import Any
from unittest import mock

import ganttclient
from ganttclient import _opening, exceptions
from tests import scripted_server as script
from tests.test_transport import ScriptedTest


class OpeningTest(ScriptedTest):
    def full_port(self) -> tuple[str, int]:
        """Return the address of a port that accepts no connection."""
        full = socket.socket()
        self.addCleanup(full.close)
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        address: tuple[str, int] = full.getsockname()
        for _ in range(16):
            waiting = socket.socket()
            self.addCleanup(waiting.close)
            waiting.setblocking(False)
            waiting.connect_ex(address)
        return address

    def client_of(self, url: str, seconds: float) -> ganttclient.Client:
        client = ganttclient.Client(
            url, attempt_timeout=seconds, deadline=seconds
        )
        self.addCleanup(client.close)
        return client

    def test_another_address_is_tried_if_the_first_does_not_answer(
        self,
    ) -> None:
        server = self.serve(script.data(live=True))
        addresses = [self.full_port(), ("127.0.0.1", server.server_address[1])]
        found = [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", address)
            for address in addresses
        ]
        with mock.patch.object(socket, "getaddrinfo", return_value=found):
            client = self.client_of("http://replica.test/graphql", 2)
            self.assertEqual(client.query("{ live }"), {"live": True})

    def test_the_limit_holds_while_a_name_is_looked_up(self) -> None:
        go_on = threading.Event()
        self.addCleanup(go_on.set)

        def look_up(*_args: Any, **_more: Any) -> Any:
            go_on.wait()
            return []

        with mock.patch.object(socket, "getaddrinfo", look_up):
            client = self.client_of("http://replica.test/graphql", 0.2)
            with self.assertRaisesRegex(
                exceptions.UnreachableError, "no answer within"
            ):
                client.query("{ live }")

    def test_a_stop_ends_a_call_while_a_name_is_looked_up(self) -> None:
        go_on = threading.Event()
        self.addCleanup(go_on.set)
        stop = ganttclient.Stop()

        def look_up(*_args: Any, **_more: Any) -> Any:
            stop.set()
            go_on.wait()
            return []

        with mock.patch.object(socket, "getaddrinfo", look_up):
            client = self.client_of("http://replica.test/graphql", 600)
            with self.assertRaises(exceptions.Stopped):
                client.query("{ live }", stop=stop)

    def test_a_stop_ends_a_handshake(self) -> None:
        silent = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(silent.close)
        stop = ganttclient.Stop()

        def accept() -> None:
            connection, _ = silent.accept()
            # The first bytes of the handshake have arrived.
            connection.recv(1)
            stop.set()
            self.addCleanup(connection.close)

        accepting = threading.Thread(target=accept)
        accepting.start()
        self.addCleanup(accepting.join)
        port = silent.getsockname()[1]
        client = self.client_of(f"https://127.0.0.1:{port}/graphql", 600)
        with self.assertRaises(exceptions.Stopped):
            client.query("{ live }", stop=stop)

    def test_a_stop_leaves_a_connection_encrypted(self) -> None:
        mine, other = socket.socketpair()
        self.addCleanup(other.close)
        secure = ssl.create_default_context().wrap_socket(
            mine, server_hostname="a", do_handshake_on_connect=False
        )
        self.addCleanup(secure.close)
        secure.setblocking(False)
        shutdown = socket.socket.shutdown

        def interrupted(connection: socket.socket, how: int) -> None:
            # The thread that sends the call goes on before the stop ends.
            try:
                secure.send(b"secret")
            except ssl.SSLWantReadError:
                shutdown(connection, how)

        with mock.patch.object(socket.socket, "shutdown", interrupted):
            _opening.shut(secure)
        received = other.recv(4096)
        self.assertNotIn(b"secret", received)


if __name__ == "__main__":
    unittest.main()

"""Opens connections, within a time limit and until a stop."""

from __future__ import annotations

import functools
import ipaddress
import socket
import ssl
import threading
import time
from typing import Any

from ganttclient._retry import Stop


def open_connection(
    host: str,
    port: int,
    context: ssl.SSLContext | None,
    end: float,
    stop: Stop,
) -> socket.socket:
    """Connect to one of the addresses of a host.

    :param context: how certificates are checked; None for a connection
        without TLS
    :param end: the time limit, as time.monotonic() shows it
    :raises OSError: if there is no connection in time
    :raises Stopped: if the stop is set before
    """
    failure: OSError | None = None
    addresses = _resolve(host, port, end, stop)
    for at, (family, kind, number, _, address) in enumerate(addresses):
        # An address that does not answer leaves time for the ones after it.
        share = left_until(end) / (len(addresses) - at)
        opened = socket.socket(family, kind, number)
        try:
            _connect(opened, address, share, stop)
        except OSError as error:
            opened.close()
            stop.check()
            failure = error
            continue
        if context is None:
            return opened
        return _secure(opened, host, context, end, stop)
    raise failure or OSError("the host has no address")


def _connect(
    opened: socket.socket, address: Any, limit: float, stop: Stop
) -> None:
    registered = stop.add(functools.partial(shut, opened))
    try:
        opened.settimeout(limit)
        opened.connect(address)
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    finally:
        stop.remove(registered)


def _secure(
    opened: socket.socket,
    host: str,
    context: ssl.SSLContext,
    end: float,
    stop: Stop,
) -> socket.socket:
    secure: socket.socket = opened
    try:
        secure = wrapped = context.wrap_socket(
            opened, server_hostname=host, do_handshake_on_connect=False
        )
        registered = stop.add(functools.partial(shut, wrapped))
        try:
            wrapped.settimeout(left_until(end))
            wrapped.do_handshake()
        finally:
            stop.remove(registered)
        stop.check()
    except BaseException:
        secure.close()
        raise
    return secure


def _resolve(host: str, port: int, end: float, stop: Stop) -> list[Any]:
    """Return the addresses of a host, as getaddrinfo() does.

    That function has neither a time limit nor a way to stop it.  So a name is
    looked up in a thread, which is left alone when the time is over.
    """
    resolve = functools.partial(
        socket.getaddrinfo, host, port, type=socket.SOCK_STREAM
    )
    if _is_address(host):
        return list(resolve())
    found: list[Any] = []
    failed: list[Exception] = []
    over = threading.Event()

    def run() -> None:
        try:
            found.extend(resolve())
        # Whatever ends the look-up is raised in the thread that waits for it.
        except Exception as error:  # noqa: BLE001
            failed.append(error)
        over.set()

    registered = stop.add(over.set)
    try:
        threading.Thread(
            target=run, name="ganttclient-resolve", daemon=True
        ).start()
        in_time = over.wait(left_until(end))
    finally:
        stop.remove(registered)
    stop.check()
    if failed:
        raise failed[0]
    if not in_time:
        raise socket.timeout("timed out")
    return found


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def left_until(end: float) -> float:
    """Return the seconds until a time.

    :raises socket.timeout: if it has passed
    """
    left = end - time.monotonic()
    if left <= 0:
        raise socket.timeout("timed out")
    return left


def shut(connection: socket.socket) -> None:
    """End what another thread does with a connection.

    The method of an SSLSocket first forgets its encryption.  What the other
    thread sends at that moment, such as the API key, would be readable.
    """
    try:
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
    except OSError:
        # The connection has ended already.
        return

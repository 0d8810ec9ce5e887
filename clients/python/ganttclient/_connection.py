"""HTTP connections with a time limit for a whole call."""

from __future__ import annotations

import contextlib
import http.client
import io
import os
import re
import selectors
import socket
import ssl
import threading
import time
import weakref
from typing import Any, Callable, cast
from urllib.parse import urlsplit

from ganttclient import _retry, exceptions
from ganttclient._opening import left_until, open_connection, shut
from ganttclient._retry import Stop

MAX_IDLE = 8
#: For how many seconds an idle connection is kept, unless the service states
#: a time.  Services close idle connections, and a call on a connection that
#: is being closed fails.
IDLE = 4.0
_KEEP_ALIVE = re.compile(r"timeout=(\d+)")


class Endpoint:
    """The address of one replica, and its open connections.

    :param url: the URL of the GraphQL endpoint, http or https
    :param context: how certificates are checked
    """

    def __init__(self, url: str, context: ssl.SSLContext | None) -> None:
        parts = urlsplit(url)
        if parts.username is not None or parts.password is not None:
            raise ValueError(
                "url contains a user name or a password; give the API key as"
                " key="
            )
        is_plain = url.isascii() and url.isprintable() and " " not in url
        is_http = parts.scheme in ("http", "https") and parts.hostname
        if not is_plain or not is_http or parts.hostname is None:
            # What has no scheme can be a key at the place of the address.
            shown = repr(url) if "/" in url else "no address"
            raise ValueError(
                f"url is {shown}; it must be an http or https address"
            )
        self.url = url
        self.host = parts.hostname
        self.is_secure = parts.scheme == "https"
        self.port = parts.port or (443 if self.is_secure else 80)
        self.target = (parts.path or "/") + (
            f"?{parts.query}" if parts.query else ""
        )
        self.netloc = parts.netloc
        if self.is_secure and context is None:
            context = ssl.create_default_context()
        self._context = context
        self._lock = threading.Lock()
        #: Each connection with the time until which it is kept.
        self._idle: list[tuple[socket.socket, float]] = []
        weakref.finalize(self, _close_all, self._idle)
        _retry.watch_forks(self)

    def __repr__(self) -> str:
        return f"<Endpoint {self.url}>"

    def take(self, limit: float, stop: Stop) -> socket.socket:
        """Return an idle connection, or open one within ``limit`` seconds."""
        while True:
            with self._lock:
                if not self._idle:
                    break
                connection, until = self._idle.pop()
            if time.monotonic() < until and not _is_dropped(connection):
                return connection
            connection.close()
        try:
            return open_connection(
                self.host,
                self.port,
                self._context if self.is_secure else None,
                time.monotonic() + limit,
                stop,
            )
        except (OSError, UnicodeError) as error:
            stop.check()
            raise exceptions.UnreachableError(
                f"{self.url}: {reason_of(error, limit)}", sent=False
            ) from error

    def give_back(self, connection: socket.socket, seconds: float) -> None:
        """Keep a connection for a later call, for some seconds."""
        with self._lock:
            if len(self._idle) < MAX_IDLE:
                self._idle.append((connection, time.monotonic() + seconds))
                return
        connection.close()

    def close(self) -> None:
        """Close the idle connections."""
        with self._lock:
            _close_all(self._idle)

    def _after_fork(self) -> None:
        # The parent uses its connections on, and two processes would read
        # each other's answers from one of them.
        self._lock = threading.Lock()
        _close_all(self._idle)


class Exchange:
    """One request and its response on one connection.

    :param endpoint: where the request is sent
    :param limit: the time limit in seconds for the connection, the request
        and the response; :meth:`allow` changes it
    :param stop: ends the exchange from another thread
    :param hide: removes the API keys from a text
    """

    def __init__(
        self,
        endpoint: Endpoint,
        limit: float,
        stop: Stop,
        hide: Callable[[str], str],
    ) -> None:
        self._hide = hide
        self._endpoint = endpoint
        self._limit = limit
        self._end = time.monotonic() + limit
        self._stop = stop
        self._process = os.getpid()
        self._socket = endpoint.take(limit, stop)
        self._is_open = True
        self._registered = stop.add(self._abort)

    def allow(self, seconds: float) -> None:
        """Set the time limit to a number of seconds from now."""
        self._limit = seconds
        self._end = time.monotonic() + seconds

    def post(
        self, body: bytes, accept: str, key: str | None
    ) -> http.client.HTTPResponse:
        """Send a body, and return the response when its headers arrived."""
        head = [
            f"POST {self._endpoint.target} HTTP/1.1",
            f"Host: {self._endpoint.netloc}",
            f"Accept: {accept}",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}",
        ]
        if key is not None:
            head.append(f"Authorization: Bearer {key}")
        text = "\r\n".join(head) + "\r\n\r\n"
        self._socket.settimeout(self._left())
        # A service that refuses a large body answers before it has read all
        # of it.  If there is no answer, reading fails next.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self._socket.sendall(text.encode("ascii") + body)
        response = http.client.HTTPResponse(
            cast(socket.socket, _Timed(self)), method="POST"
        )
        response.begin()
        return response

    def receive_into(self, buffer: Any) -> int:
        """Read what arrives next, within the time limit."""
        self._socket.settimeout(self._left())
        return self._socket.recv_into(buffer)

    def end(self, response: http.client.HTTPResponse | None) -> None:
        """End the exchange; keep the connection if it can be used again.

        :param response: the response if it was read completely, else None
        """
        self._stop.remove(self._registered)
        if not self._is_open:
            return
        self._is_open = False
        if response is None or response.will_close or self._stop.is_set():
            self._socket.close()
        else:
            self._endpoint.give_back(self._socket, _kept_for(response))

    def failure(self, error: BaseException) -> exceptions.GanttError:
        """Return the error of the client for one of the connection."""
        if isinstance(error, exceptions.GanttError):
            return error
        if self._stop.is_set():
            return exceptions.Stopped("the call was stopped by its caller")
        why = self._hide(reason_of(error, self._limit))
        return exceptions.UnreachableError(f"{self._endpoint.url}: {why}")

    def _left(self) -> float:
        self._stop.check()
        return left_until(self._end)

    def _abort(self) -> None:
        # In a forked child, this would end the call of the parent.
        if os.getpid() == self._process:
            shut(self._socket)


class _Timed:
    """The part of a socket that HTTPResponse reads from."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    def makefile(self, *_args: object, **_more: object) -> io.BufferedReader:
        return io.BufferedReader(_Raw(self._exchange))


class _Raw(io.RawIOBase):
    def __init__(self, exchange: Exchange) -> None:
        super().__init__()
        self._exchange = exchange

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._exchange.receive_into(buffer)


def _close_all(connections: list[tuple[socket.socket, float]]) -> None:
    while connections:
        connections.pop()[0].close()


def _kept_for(response: http.client.HTTPResponse) -> float:
    """Return for how many seconds a connection may stay idle."""
    stated = _KEEP_ALIVE.search(response.headers.get("Keep-Alive", ""))
    return IDLE if stated is None else max(0.0, float(stated[1]) - 1)


def reason_of(error: BaseException, limit: float) -> str:
    """Return in words why a connection failed."""
    if isinstance(error, socket.timeout):
        return f"no answer within {round(limit * 1000)} ms"
    if isinstance(error, http.client.IncompleteRead):
        return "the connection was closed before the end of the answer"
    if isinstance(error, http.client.RemoteDisconnected):
        return "the connection was closed without an answer"
    return str(error) or type(error).__name__


def _is_dropped(connection: socket.socket) -> bool:
    """Return whether the other side has closed an idle connection."""
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(connection, selectors.EVENT_READ)
            return bool(selector.select(0))
    except (OSError, ValueError):
        return True

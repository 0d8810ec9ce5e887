"""Sends GraphQL operations to one endpoint."""

from __future__ import annotations

import email.utils
import http.client
import json
import time
from collections.abc import Iterator, Mapping
from typing import Any

from ganttclient import _answers, exceptions
from ganttclient._answers import Source
from ganttclient._connection import Endpoint, Exchange
from ganttclient._keys import Keyring
from ganttclient._retry import Stop

ACCEPT = "application/graphql-response+json, application/json"
STREAM = "text/event-stream"
#: The errors of a connection that is lost or does not speak HTTP.
_BROKEN = (OSError, http.client.HTTPException, ValueError)


def body_of(query: str, variables: Mapping[str, Any]) -> bytes:
    """Return the body of a call.

    :raises ValueError: if the variables are no JSON
    """
    call = {"query": query, "variables": variables}
    return json.dumps(call, allow_nan=False).encode("utf-8")


def send(
    endpoint: Endpoint, keys: Keyring, body: bytes, limit: float, stop: Stop
) -> dict[str, Any]:
    """Send a call once, and return the data of its answer.

    If the service refuses the key, the key is read again, and the call is
    sent once more with the new key.

    :param limit: the time limit in seconds
    :raises ServiceError: for top-level errors
    :raises UnreachableError: if there is no complete answer in time
    :raises ProtocolError: if the answer is not GraphQL
    """
    end = time.monotonic() + limit
    key = keys.present()
    response, text = _post(endpoint, keys, key, body, limit, stop)
    if response.status == 401:
        other = keys.instead_of(key)
        if other is not None:
            left = max(0.001, end - time.monotonic())
            response, text = _post(endpoint, keys, other, body, left, stop)
    return read_answer(endpoint.url, keys, response, text)


def _post(
    endpoint: Endpoint,
    keys: Keyring,
    key: str | None,
    body: bytes,
    limit: float,
    stop: Stop,
) -> Any:
    exchange = Exchange(endpoint, limit, stop, keys.hide)
    complete: http.client.HTTPResponse | None = None
    try:
        response = exchange.post(body, ACCEPT, key)
        text = response.read()
        complete = response
        return response, text
    except _BROKEN as error:
        raise exchange.failure(error) from None
    finally:
        exchange.end(complete)


def read_answer(
    url: str,
    keys: Keyring,
    response: http.client.HTTPResponse,
    text: bytes,
) -> dict[str, Any]:
    """Return the data of a complete answer, or raise its errors."""
    source = Source(url, response.status, _retry_after(response), keys)
    kind = response.headers.get("Content-Type", "")
    return _answers.read(source, text, kind)


def stream(
    endpoint: Endpoint, keys: Keyring, body: bytes, silent: float, stop: Stop
) -> Iterator[dict[str, Any]]:
    """Open a subscription, and yield the data of its events until it ends.

    :param silent: the stream is broken if nothing arrives for this many
        seconds
    """
    key = keys.present()
    exchange = Exchange(endpoint, silent, stop, keys.hide)
    try:
        response = exchange.post(body, STREAM, key)
        if response.status == 401:
            other = keys.instead_of(key)
            if other is not None:
                exchange.end(None)
                exchange = Exchange(endpoint, silent, stop, keys.hide)
                response = exchange.post(body, STREAM, other)
        kind = response.headers.get("Content-Type", "")
        if not kind.startswith(STREAM):
            read_answer(endpoint.url, keys, response, response.read())
            raise exceptions.ProtocolError(
                f"{endpoint.url} answered a subscription without an event"
                " stream",
                response.status,
            )
        source = Source(endpoint.url, response.status, None, keys)
        for event, text in _events(exchange, response, silent):
            if event == "complete":
                return
            data = _answers.data_of(source, json.loads(text))
            if data is not None:
                yield data
    except _BROKEN as error:
        raise exchange.failure(error) from None
    finally:
        exchange.end(None)


def _events(
    exchange: Exchange, response: http.client.HTTPResponse, silent: float
) -> Iterator[Any]:
    event = ""
    data: list[str] = []
    while True:
        exchange.allow(silent)
        line = response.readline()
        if line == b"":
            return
        text = line.decode("utf-8").rstrip("\r\n")
        if text == "":
            if event or data:
                yield event or "message", "\n".join(data)
            event, data = "", []
            continue
        name, _, value = text.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            event = value
        elif name == "data":
            data.append(value)


def _retry_after(response: http.client.HTTPResponse) -> float | None:
    """Return the header Retry-After in seconds.

    A date is compared with the date of the response, because the clock of
    this machine can differ from that of the service.
    """
    value = response.headers.get("Retry-After", "").strip()
    if value.isdigit():
        return float(value)
    at = _seconds_of(value)
    if at is None:
        return None
    now = _seconds_of(response.headers.get("Date", ""))
    return max(0.0, at - (time.time() if now is None else now))


def _seconds_of(date: str) -> float | None:
    try:
        return email.utils.parsedate_to_datetime(date).timestamp()
    except (TypeError, ValueError, IndexError):
        return None

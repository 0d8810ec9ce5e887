"""Exceptions for calls that the service could not answer.

Each class is for one value of ``extensions.code``.  Their remedies are those
of the table "Faults" of ``docs/errors.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ganttclient import exceptions
from ganttclient.exceptions import ServiceError


class GraphqlParseFailed(ServiceError):
    """The document is not valid GraphQL."""

    code = "GRAPHQL_PARSE_FAILED"


class GraphqlValidationFailed(ServiceError):
    """The call does not fit the schema of the service."""

    code = "GRAPHQL_VALIDATION_FAILED"


class PersistedDocumentNotFound(ServiceError):
    """The service does not know the id of the operation."""

    code = "PERSISTED_DOCUMENT_NOT_FOUND"


class Unauthenticated(ServiceError):
    """The key is missing, unknown, expired or revoked."""

    code = "UNAUTHENTICATED"


class RateLimited(ServiceError):
    """The key or the replica has too many calls or streams in progress."""

    code = "RATE_LIMITED"


class CostExceeded(ServiceError):
    """The call or its answer is larger than the limits allow."""

    code = "COST_EXCEEDED"


class DeadlineExceeded(ServiceError):
    """The service had no answer within the deadline."""

    code = "DEADLINE_EXCEEDED"


class Unavailable(ServiceError):
    """The replica does not accept the call now."""

    code = "UNAVAILABLE"


class StoreWentBack(ServiceError):
    """The store has lost entries that the replica knows."""

    code = "STORE_WENT_BACK"


class RetriesExhausted(ServiceError):
    """Other calls were faster each time the call was decided."""

    code = "RETRIES_EXHAUSTED"


class EntryTooLarge(ServiceError):
    """The change does not fit into one message of the store."""

    code = "ENTRY_TOO_LARGE"


class FeatureLevel(ServiceError):
    """A replica of an older release could not read the change."""

    code = "FEATURE_LEVEL"


class RecordUnreadable(ServiceError):
    """The record is damaged, or was written by a newer release."""

    code = "RECORD_UNREADABLE"


class Internal(ServiceError):
    """A defect of the service."""

    code = "INTERNAL"


def _codes() -> dict[str, type[ServiceError]]:
    found = {}
    for one in ServiceError.__subclasses__():
        if one.code is not None and one.__module__.startswith(__package__):
            found[one.code] = one
    return found


#: The exception class of each code.
ERRORS: Mapping[str, type[ServiceError]] = _codes()


def error_of_code(code: str | None) -> type[ServiceError]:
    """Return the class of a code.

    A service that is newer than this client can have further codes; their
    class is ServiceError itself.

    :param code: a code of the service, or None
    """
    return ERRORS.get(code or "", ServiceError)


def of_answer(answer: Mapping[str, Any]) -> ServiceError:
    """Return the exception for an answer that implements UserError.

    :param answer: the answer, with ``code``, ``message`` and its own fields
    """
    message = str(answer.get("message") or answer.get("__typename"))
    issues = answer.get("issues") or ()
    if issues:
        message = "; ".join(_issue_text(issue) for issue in issues)
    kind = error_of_code(answer.get("code"))
    if kind is exceptions.NoValidHost:
        error = kind(message, answer=answer)
        reason = (
            error.reason if isinstance(error, exceptions.NoValidHost) else ""
        )
        return kind(
            exceptions.NoValidHost.msg_fmt % {"reason": reason}, answer=answer
        )
    return kind(message, answer=answer)


def of_faults(
    faults: Sequence[Mapping[str, Any]],
    status: int,
    retry_after: float | None = None,
) -> ServiceError:
    """Return the exception for the top-level errors of an answer.

    :param faults: the errors, at least one
    :param status: the HTTP status of the answer
    :param retry_after: the header Retry-After, in seconds
    """
    texts = []
    waits = [] if retry_after is None else [retry_after]
    for fault in faults:
        extensions = fault.get("extensions") or {}
        code = extensions.get("code")
        text = str(fault.get("message"))
        texts.append(text if code is None else f"{text} ({code})")
        if extensions.get("retryAfterMs") is not None:
            waits.append(float(extensions["retryAfterMs"]) / 1000)
    first = (faults[0].get("extensions") or {}).get("code")
    return error_of_code(first)(
        "; ".join(texts),
        faults=faults,
        status=status,
        retry_after=max(waits) if waits else None,
    )


def _issue_text(issue: Mapping[str, Any]) -> str:
    message = str(issue.get("message"))
    path = ".".join(issue.get("path") or ())
    return message if path == "" or path in message else f"{path}: {message}"

"""The exceptions of the client: one class for each code of the service.

Every exception has a ``remedy``: what to do about it, in a sentence.  The
codes of expected answers (``ErrorCode`` of the schema) and of failed calls
(``extensions.code``) are the attribute ``code`` of one class each, and
:func:`error_of_code` returns the class.  ``docs/errors.md`` lists the codes.
"""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar


class GanttError(Exception):
    """Base class of all exceptions of this package."""

    #: What to do about the error, in general.
    advice: ClassVar[str] = "Read the message."

    @property
    def remedy(self) -> str:
        """What to do about this error."""
        return self.advice

    def __reduce__(self) -> tuple[Any, ...]:
        # The constructors differ, so the exception is made without them.
        return _restored, (type(self), self.args, vars(self))


def _restored(
    kind: type[GanttError], args: tuple[Any, ...], state: dict[str, Any]
) -> GanttError:
    """Return an exception that another process has sent."""
    error = kind.__new__(kind, *args)
    error.args = args
    vars(error).update(state)
    return error


class UnreachableError(GanttError):
    """The service could not be reached, or did not answer completely."""

    advice = "Check that the service runs, its URL and the network."

    def __init__(self, message: str, sent: bool = True) -> None:
        super().__init__(message)
        #: False if no connection was established, so nothing was sent.
        self.sent = sent


class ProtocolError(GanttError):
    """The response is not an answer of the service, but of a proxy."""

    advice = "Check the URL, and the proxies between here and the service."

    def __init__(
        self,
        message: str,
        status: int,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        #: The HTTP status of the response.
        self.status = status
        #: The least time to wait before a retry, in seconds, if stated.
        self.retry_after = retry_after


class KeySourceError(GanttError):
    """The API key could not be read or sent.  Nothing was sent."""

    advice = "Check the function or the file that the API key comes from."


class UnknownOutcome(GanttError):
    """A call that claims resources ended without a usable answer.

    The service may have claimed resources nevertheless.  The error that
    ended the call is ``__cause__``.
    """

    advice = (
        "Send the call again with the same idempotency key, or call"
        " abandon() with it, which releases what was claimed."
    )

    def __init__(self, cause: BaseException, idempotency_key: str) -> None:
        super().__init__(
            f"{cause}; resources may be held under the idempotency key"
            f" {idempotency_key}"
        )
        #: The key under which resources may be held.
        self.idempotency_key = idempotency_key


class Stopped(GanttError):
    """The caller stopped the call before it was answered."""

    advice = "None needed: the call was stopped on purpose."


class RoomLost(GanttError):
    """The claim that a block of code held has ended before the block."""

    advice = "Stop the instance on this host, and place it again."


class NotConfirmed(GanttError):
    """The block ended well, but its claim was not confirmed."""

    advice = "Stop the instance, or call confirm() with the claim again."


class ServiceError(GanttError):
    """The service refused the call or could not answer it.

    :param message: what failed, for people
    :param answer: the fields of the answer, if the failure is an expected
        one: the members of the schema's result union
    :param faults: the top-level errors of the answer, if there are any
    :param status: the HTTP status of the answer
    :param retry_after: the least time to wait before a retry, in seconds
    """

    #: The code of the service.  None in classes without a code.
    code: str | None = None

    def __init__(
        self,
        message: str,
        answer: Mapping[str, Any] | None = None,
        faults: Sequence[Mapping[str, Any]] = (),
        status: int = 200,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.answer: Mapping[str, Any] = answer or {}
        self.faults = tuple(faults)
        self.status = status
        self.retry_after = retry_after
        #: With several claims: the claim or the exception for each.
        self.results: Sequence[Any] = ()

    @property
    def rule(self) -> str | None:
        """The dotted code of the rule, for example ``memory.short``."""
        if self.faults:
            rule = self.faults[0].get("extensions", {}).get("rule")
            return None if rule is None else str(rule)
        for issue in self.issues:
            if issue.get("rule"):
                return str(issue["rule"])
        cause = self.answer.get("cause") or {}
        found = cause.get("code") or self.answer.get("rule")
        if found is None and self.answer.get("reasons"):
            found = self.answer["reasons"][0].get("code")
        return None if found is None else str(found)

    @property
    def issues(self) -> Sequence[Mapping[str, Any]]:
        """All errors in the input: path, message, expected, actual."""
        issues = self.answer.get("issues")
        if issues is None and self.faults:
            issues = self.faults[0].get("extensions", {}).get("issues")
        return tuple(issues or ())

    @property
    def remedy(self) -> str:
        """What to do: the remedy of the rule, or else that of the code."""
        remedies = _remedies()
        for code in (self.rule, self.code):
            if code is not None and code in remedies:
                return remedies[code]
        return self.advice


class NoValidHost(ServiceError):
    """No host takes the instance.  The message states the true cause."""

    code = "NO_VALID_HOST"
    advice = "Read the cause, or call explain() with the decision's id."

    #: The form of the message, which is the one of Nova's exception.
    msg_fmt = "No valid host was found. %(reason)s"

    @property
    def reason(self) -> str:
        """The cause of the refusal, in a few sentences with numbers."""
        cause = self.answer.get("cause") or {}
        return str(cause.get("text") or self.answer.get("message") or "")

    @property
    def reasons(self) -> Sequence[Mapping[str, Any]]:
        """Why hosts were refused: code, filter, hosts (a count), text."""
        return tuple(self.answer.get("reasons") or ())

    @property
    def decision_id(self) -> str | None:
        """The id of the decision, for explain() and why_not()."""
        decision = self.answer.get("decision") or {}
        found = decision.get("id")
        return None if found is None else str(found)


class ClaimLost(ServiceError):
    """The claim ended, or its fence is the one of an earlier claim."""

    code = "CLAIM_LOST"
    advice = "Stop the instance on that host, and place it again."


class ClaimExpired(ServiceError):
    """The reservation ended before it was confirmed."""

    code = "CLAIM_EXPIRED"
    advice = "Stop the instance on that host, and place it again."


class InstanceTaken(ServiceError):
    """The instance already has a live claim."""

    code = "INSTANCE_TAKEN"
    advice = "Release that claim, or name it as the claim to move."


class IdempotencyConflict(ServiceError):
    """The idempotency key was used for another request."""

    code = "IDEMPOTENCY_CONFLICT"
    advice = "Use a new idempotency key for another request."


class ReplicaBehind(ServiceError):
    """The replica has not reached the requested revision yet."""

    code = "REPLICA_BEHIND"
    advice = "Call another replica, or leave out the revision."


class Invalid(ServiceError):
    """The input is wrong.  ``issues`` lists every wrong field."""

    code = "INVALID"
    advice = "Correct the fields that the message names."


class NotFound(ServiceError):
    """What the call names does not exist."""

    code = "NOT_FOUND"
    advice = "Check the name or the id."


class Conflict(ServiceError):
    """Somebody else changed the same thing at the same time."""

    code = "CONFLICT"
    advice = "Read the present state, and decide whether to try again."


class Stale(ServiceError):
    """The service knows a newer report, or lacks the one before."""

    code = "STALE"
    advice = "Send a full report with the next sequence number."


class Precondition(ServiceError):
    """The state of the fleet does not permit the call."""

    code = "PRECONDITION"
    advice = "Read the message: it states what has to be done before."


class Quota(ServiceError):
    """A limit on what is kept is reached."""

    code = "QUOTA"
    advice = "Wait until earlier entries are forgotten, or raise the limit."


class Forbidden(ServiceError):
    """The key may not do this."""

    code = "FORBIDDEN"
    advice = "Use a key with the scope that the message names."


def _remedies() -> Mapping[str, str]:
    global _known
    if _known is None:
        data = pkgutil.get_data(__package__, "remedies.json")
        _known = json.loads((data or b"{}").decode("utf-8"))
    return _known


_known: Mapping[str, str] | None = None

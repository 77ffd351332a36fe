"""The ways a model call fails. Each has a type of its own, so that nobody has to read messages.

`EndpointError`: there is no answer. `AnswerError`: there is one, and it may not be used; it may have cost something.
"""

from __future__ import annotations

from envforge.core.errors import ModelError
from envforge.core.records.completion import Usage


class EndpointError(ModelError):
    """The endpoint gave no answer. `status`: HTTP's (0: none); `retry_after`: seconds it wants to be left alone."""

    def __init__(
        self,
        message: str,
        *,
        where: str = "",
        remedy: str = "",
        retryable: bool = False,
        status: int = 0,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, where=where, remedy=remedy, retryable=retryable)
        self.status = status
        self.retry_after = retry_after


class ConnectionLostError(EndpointError):
    """No connection, or it broke before the answer was whole."""


class ModelTimeoutError(EndpointError):
    """No answer in the time given for one call."""


class RateLimitedError(EndpointError):
    """429: too many requests or tokens."""


class QuotaError(EndpointError):
    """The account has no money or no allowance left; waiting does not help."""


class ServerFaultError(EndpointError):
    """The server failed (5xx), or said so inside of its answer."""


class BadRequestError(EndpointError):
    """The server does not take the request: a parameter that it does not know, or a wrong one."""


class ContextTooLongError(BadRequestError):
    """The request does not fit into the model's context."""


class AccessDeniedError(EndpointError):
    """401 or 403: no key, a wrong one, or one without the right."""


class UnknownModelError(EndpointError):
    """404: no such model, or no such endpoint."""


class CircuitOpenError(EndpointError):
    """The endpoint failed so often that it is left alone for a while."""


class DeadlineError(EndpointError):
    """The time given for all tries together is over."""


class CallRefusedError(ModelError):
    """This process may call no model but one on loopback."""


class BudgetError(ModelError):
    """The tokens or the money given for this run are used up."""


class ScriptEndedError(ModelError):
    """A scripted model has no answer left, or none to this request."""


class AnswerError(ModelError):
    """An answer that may not be used. `usage` is what it cost, `text` what there is of it."""

    def __init__(
        self,
        message: str,
        *,
        where: str = "",
        remedy: str = "",
        retryable: bool = False,
        usage: Usage | None = None,
        text: str = "",
    ) -> None:
        super().__init__(message, where=where, remedy=remedy, retryable=retryable)
        self.usage = usage
        self.text = text


class EmptyAnswerError(AnswerError):
    """Neither text nor a call."""


class TruncatedAnswerError(AnswerError):
    """Cut at the limit of tokens."""


class FilteredAnswerError(AnswerError):
    """Held back by a content filter."""


class RefusedAnswerError(AnswerError):
    """The model refused."""


class WrongFinishError(AnswerError):
    """The answer ended for a reason that is none, or that what it holds contradicts."""


class MalformedAnswerError(AnswerError):
    """Not what the protocol calls an answer: no JSON, a page of HTML, a field that is missing or of the wrong type."""


class BrokenStreamError(AnswerError):
    """A stream that ended before the answer did."""


class UnknownToolError(AnswerError):
    """A call of a tool that was not offered."""


class MalformedArgumentsError(AnswerError):
    """Arguments of a call that are no JSON object."""


class ToolChoiceError(AnswerError):
    """The calls do not keep to the request's tool choice."""


class MissingLogprobsError(AnswerError):
    """Log-probabilities were wanted and did not come."""


class NotJsonError(AnswerError):
    """A schema was given, and the text is no JSON."""


class SchemaMismatchError(AnswerError):
    """A schema was given, and the JSON does not fit. `problems` says where."""

    def __init__(
        self, message: str, *, problems: tuple[str, ...] = (), usage: Usage | None = None, text: str = ""
    ) -> None:
        super().__init__(message, usage=usage, text=text)
        self.problems = problems

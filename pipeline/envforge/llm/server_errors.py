"""Errors that servers report, by HTTP status or inside of a body, as typed errors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, cast

from envforge.core.model_errors import (
    AccessDeniedError,
    BadRequestError,
    ContextTooLongError,
    EndpointError,
    ModelTimeoutError,
    QuotaError,
    RateLimitedError,
    ServerFaultError,
    UnknownModelError,
)
from envforge.core.scrub import scrub
from envforge.llm.fields import excerpt

_RETRYABLE = frozenset({408, 409, 429})
_TOO_LONG = re.compile(
    r"(?i)context[_ ](?:length|size|window)|maximum context|exceeds? the (?:available|model).{0,20}context"
    r"|too many tokens|prompt is too long"
)
_NO_MONEY = re.compile(r"(?i)insufficient[_ ](?:quota|funds|credits?|balance)|billing|payment required")
_NAMES = {"timeout": 408, "rate_limit": 429, "overloaded": 503, "unavailable": 503, "server_error": 500}
"""Words of an error's type or code, where it gives no number."""


def reported_error(error: Any) -> EndpointError:
    """The error that a body holds although HTTP said all is well (gateways that had begun to answer do that)."""
    held = cast("dict[str, Any]", error) if isinstance(error, dict) else {}
    told = " ".join(str(held.get(name, "")) for name in ("code", "type", "message")) if held else f"{error}"
    code = str(held.get("code") or held.get("status") or "")
    status = int(code) if re.fullmatch(r"[45]\d\d", code) else 0
    if not status:
        status = next((number for word, number in _NAMES.items() if word in told.lower().replace(" ", "_")), 500)
    return status_error(status, told, {})


def status_error(status: int, told: str, headers: Mapping[str, str], *, now: float = 0.0) -> EndpointError:
    """The error for an HTTP status. `now`: seconds since the epoch, for a Retry-After that is a date."""
    said = excerpt(scrub(told))
    kind, remedy = _kind(status, told)
    return kind(
        f"the endpoint answered {status}: {said}" if said else f"the endpoint answered {status}",
        remedy=remedy,
        retryable=kind is not QuotaError and (status in _RETRYABLE or status >= 500),
        status=status,
        retry_after=retry_after(headers, now),
    )


def _kind(status: int, told: str) -> tuple[type[EndpointError], str]:
    if status == 402 or (status == 429 and _NO_MONEY.search(told)):
        return QuotaError, "look at the account's balance and limits"
    if status in (401, 403):
        return AccessDeniedError, "set OPENAI_API_KEY, or name the variable that holds the key: --api-key-env NAME"
    if status in (404, 405):
        return UnknownModelError, "check --model and --base-url (it usually ends in /v1)"
    if status == 429:
        return RateLimitedError, "slow down: fewer requests at once or per minute"
    if status == 408:
        return ModelTimeoutError, ""
    if status >= 500 or status == 409:
        return ServerFaultError, ""
    if 300 <= status < 400:
        return BadRequestError, "give the address that the endpoint redirects to as --base-url"
    if status == 413 or _TOO_LONG.search(told):
        return ContextTooLongError, "shorten the conversation, or use a model with more context"
    return BadRequestError, "the endpoint may not know a parameter: envforge models check tells what it takes"


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that the server asks to be left alone: Retry-After-Ms, or Retry-After as seconds or as a date."""
    for name, factor in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        said = headers.get(name, "").strip()
        if re.fullmatch(r"\d{1,9}(\.\d+)?", said):
            return float(said) * factor
        if said and factor == 1.0:
            return _until(said, now)
    return None


def _until(date: str, now: float) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - now)
    except (ValueError, TypeError):
        return None

"""The ways a live fetch ends without data. Each has a type, so that nobody has to read messages."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from envforge.core.contracts import Exchange
from envforge.core.errors import SourceError

_MEANING = {
    401: "it wants a login",
    402: "it wants to be paid",
    403: "it is not allowed",
    404: "it is not there",
    410: "it is not there any more",
    429: "the host gets too many requests",
    451: "it is withheld for legal reasons",
}
_RETRYABLE = frozenset({408, 425, 429, 500, 502, 503, 504})


class FetchError(SourceError):
    """No usable answer came: no connection, a broken one, or a time limit."""


def retry_after_of(exchange: Exchange) -> float | None:
    """Seconds until the time that Retry-After names; None without one."""
    text = exchange.header("retry-after").strip()
    if text.isdecimal() and len(text) < 10:
        return float(text)
    try:
        until = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    now = datetime.fromisoformat(exchange.retrieved_at.replace("Z", "+00:00"))
    return max(0.0, (until.replace(tzinfo=until.tzinfo or UTC) - now).total_seconds())


class StatusError(FetchError):
    """The server answered with a status that is no success. The answer is kept in `exchange`, never as data."""

    def __init__(self, exchange: Exchange) -> None:
        status = exchange.status
        retry_after = retry_after_of(exchange)
        meaning = _MEANING.get(status) or ("the server failed" if status >= 500 else "the request was not served")
        remedy = "try again later" if status in _RETRYABLE else "check the URL, or take another source"
        if retry_after is not None:
            remedy = f"try again in {retry_after:.0f} seconds or later"
        super().__init__(
            f"answers with status {status}: {meaning}",
            where=exchange.url,
            remedy=remedy,
            retryable=status in _RETRYABLE,
        )
        self.status = status
        self.exchange = exchange
        self.retry_after = retry_after


class LimitError(FetchError):
    """The answer is larger, slower, longer on its way or packed tighter than allowed. `limit` names the setting."""

    def __init__(self, message: str, *, limit: str, where: str, retryable: bool = False) -> None:
        remedy = f"take another source, or raise {limit!r} in validators/web/fetch.json of the workspace"
        super().__init__(message, where=where, remedy=remedy, retryable=retryable)
        self.limit = limit


class RobotsError(FetchError):
    """The site's robots.txt does not allow it, or cannot be read."""

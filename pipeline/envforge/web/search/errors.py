"""What can go wrong with a search. That nothing was found is none of it."""

from __future__ import annotations

from typing import Literal

from envforge.core.errors import ConfigError, SourceError


class QueryError(ConfigError):
    """The query, or the wished number of hits, is nothing that can be asked."""


class SearchKeyError(ConfigError):
    """A provider wants a key, and there is none or it is refused."""


class QuotaError(SourceError):
    """The provider has had enough of us for now."""

    def __init__(self, message: str, *, where: str, retry_after: float | None = None) -> None:
        wait = f"try again in {retry_after:g} seconds" if retry_after is not None else "try again later"
        super().__init__(message, where=where, remedy=f"{wait}, or take another --provider", retryable=True)
        self.retry_after = retry_after


class SearchTimeoutError(SourceError):
    """The provider did not answer in time."""


class ProviderFaultError(SourceError):
    """The provider answered that it cannot answer, or could not be reached."""


class UnreadableAnswerError(SourceError):
    """What came is no answer: a page for people, broken JSON, or JSON of another shape."""

    def __init__(self, message: str, *, where: str, kind: Literal["html", "json", "shape"], remedy: str = "") -> None:
        super().__init__(message, where=where, remedy=remedy)
        self.kind = kind

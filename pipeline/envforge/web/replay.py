"""ReplayFetcher: the same work again from a recording, with the network off."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from envforge.core.contracts import Exchange, Fetched
from envforge.core.errors import ConfigError, SourceError
from envforge.core.records.source import Anchor
from envforge.web.live.errors import FetchError, StatusError
from envforge.web.snapshot import NotHeldError, SnapshotFetcher
from envforge.web.spec import parse_spec


class ReplayFetcher:
    """Serves every anchor from what one run recorded: its files, and its failures as the errors that they were."""

    def __init__(self, folder: Path) -> None:
        self._recorded = SnapshotFetcher(folder)

    def accepts(self, spec: str) -> bool:
        """True for every spec: what is not recorded is an error, and nobody else is asked."""
        try:
            parse_spec(spec)
        except ConfigError:
            return False
        return True

    def fetch(self, anchor: Anchor) -> Sequence[Fetched]:
        """What was fetched for the anchor.

        Raises:
            StatusError, FetchError: what had been raised when it was fetched.
            SourceError: the recording holds nothing for it, or is damaged.
        """
        answer = self._recorded.answer_to(anchor.spec)
        if answer is not None and answer.status == 0:
            raise _missed(answer)
        if answer is not None and answer.status != 200:
            raise StatusError(answer)
        try:
            return self._recorded.fetch(anchor)
        except NotHeldError as error:
            raise SourceError(
                f"the recording holds none of {', '.join(anchor.include)}"
                if anchor.include
                else "the recording holds nothing for it",
                where=anchor.spec,
                remedy=f"{error.remedy}; run the same command without --replay to record it",
            ) from error


def _missed(answer: Exchange) -> SourceError:
    """The error of then."""
    try:
        told: Any = json.loads(answer.body)
        return FetchError(told["message"], where=told["where"], remedy=told["remedy"], retryable=told["retryable"])
    except (ValueError, KeyError, TypeError):
        return SourceError("the record of a failure cannot be read", where=answer.url, remedy="record it again")

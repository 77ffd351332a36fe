"""Reads the log-probabilities of an answer."""

from __future__ import annotations

import math
from typing import Any

from envforge.core.model_errors import MissingLogprobsError
from envforge.core.records.completion import TokenLogprob
from envforge.llm.fields import list_of, malformed, object_of, text_of


def logprobs_of(value: Any, wanted: int | None, *, needed: bool = True) -> tuple[TokenLogprob, ...]:
    """Those of each token. Raises MissingLogprobsError when wanted, needed and not there, MalformedAnswerError."""
    if wanted is None:
        return ()
    entries = list_of(object_of(value or {}, "logprobs").get("content"), "logprobs.content")
    if not entries and not needed:
        return ()
    if not entries:
        remedy = "use an endpoint that gives them (envforge models check tells)"
        raise MissingLogprobsError("log-probabilities were wanted and did not come", remedy=remedy)
    return tuple(_token(entry, wanted) for entry in entries)


def token_ids_of(value: Any, name: str) -> tuple[int, ...]:
    """Numbers of tokens, where the server gives them beside an answer. Raises MalformedAnswerError."""
    ids = list_of(value, name)
    if not all(isinstance(one, int) and not isinstance(one, bool) and one >= 0 for one in ids):
        raise malformed(f"{name} are no numbers of tokens", ids)
    return tuple(ids)


def _token(entry: Any, wanted: int) -> TokenLogprob:
    held = object_of(entry, "a log-probability")
    top = [object_of(other, "an alternative") for other in list_of(held.get("top_logprobs"), "top_logprobs")]
    if wanted and not top:
        raise MissingLogprobsError("alternatives of a token were wanted and did not come")
    return TokenLogprob(
        token=text_of(held.get("token"), "a token"),
        logprob=_number(held.get("logprob")),
        top=tuple((text_of(other.get("token"), "a token"), _number(other.get("logprob"))) for other in top),
    )


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value) or value > 1e-6:
        raise malformed("a log-probability is none", value)
    return float(value)

"""One yes or no of a model, as a margin: how much likelier it finds the one than the other."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from envforge.core.contracts import Model
from envforge.core.model_errors import AnswerError, BadRequestError, MissingLogprobsError
from envforge.core.records.completion import Completion, CompletionRequest, Message, TokenLogprob

ALTERNATIVES = 10
STAGE = "yes or no"
_MOST_TOKENS = 8
_LEAST = -50.0
"""Servers write -9999 or -inf for what they hold for impossible: no margin is made of that."""
_WORD = re.compile(r"[a-z]+")


@dataclass(frozen=True)
class Margin:
    """Above 0: yes. `measured`: a difference of log-probabilities; else 1 or -1. None: it said neither."""

    value: float | None
    measured: bool
    said: str = ""


async def margin_of(model: Model, messages: tuple[Message, ...]) -> Margin:
    """What the model says to a question of yes or no.

    Raises ModelError for what is no answer of the model: a lost connection, a budget that is used up.
    """
    asked = CompletionRequest(messages=messages, max_tokens=_MOST_TOKENS, top_logprobs=ALTERNATIVES, stage=STAGE)
    try:
        return _read(await model.complete(asked))
    except (MissingLogprobsError, BadRequestError):
        # Not every server has them, and some refuse to be asked for them.
        return await _by_words(model, asked)
    except AnswerError as error:
        return Margin(None, measured=False, said=error.message)


async def _by_words(model: Model, asked: CompletionRequest) -> Margin:
    try:
        return _read(await model.complete(asked.model_copy(update={"top_logprobs": None})))
    except AnswerError as error:
        return Margin(None, measured=False, said=error.message)


def _read(completion: Completion) -> Margin:
    measured = _measured(completion.logprobs)
    if measured is not None:
        return Margin(measured, measured=True, said=completion.text)
    first = _WORD.match(completion.text.strip().casefold())
    said = {"yes": 1.0, "no": -1.0}.get(first.group()) if first else None
    return Margin(said, measured=False, said=completion.text)


def _measured(tokens: tuple[TokenLogprob, ...]) -> float | None:
    """Of the first token that is a word: all ways to write yes against all ways to write no."""
    for token in tokens:
        if not token.token.strip(" \n\"'"):
            continue
        found = {(text, max(value, _LEAST)) for text, value in ((token.token, token.logprob), *token.top)}
        yes, no = (_likelihood(found, word) for word in ("yes", "no"))
        if not yes and not no:
            return None
        # What is not among the alternatives is at most as likely as the least likely of them.
        least = math.exp(min(value for _, value in found))
        return math.log(yes or least) - math.log(no or least)
    return None


def _likelihood(found: set[tuple[str, float]], word: str) -> float:
    return sum(math.exp(value) for token, value in found if token.strip(" \n\"'").casefold() == word)

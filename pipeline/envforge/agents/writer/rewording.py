"""A request in other words: a model writes, a check looks for what was lost, a reviewer reads; bounded tries."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from envforge.agents.prompts import agent_prompt
from envforge.agents.yes_no import margin_of
from envforge.core.contracts import Model
from envforge.core.model_errors import AnswerError
from envforge.core.records.completion import CompletionRequest, Message
from envforge.core.seeds import derive_seed

REWORD = agent_prompt("reword-1")
REVIEW = agent_prompt("review-1")
STAGE = "rewording"
TRIES = 3
_TEMPERATURE = 0.7
_SEED_BITS = 31
_TOKENS_FOR_A_WORD = 3
_MANNER = {
    "terse": "You are in a hurry: few words.",
    "polite": "You are friendly and say please.",
    "rambling": "You talk a little around it, but say all of it.",
    "implicit": "You say what you need rather than give orders.",
}
_FENCE = re.compile(r"^```\w*\n(.*?)\n?```$", re.DOTALL)
_QUOTES = ('"', "“", "”")


@dataclass(frozen=True)
class Wish:
    """A request that is to be worded anew. `fixed`: words that must stay; `steps`: what a reader must find in it."""

    id: str
    text: str
    manner: str
    fixed: tuple[str, ...]
    steps: tuple[str, ...]
    check: Callable[[str], Sequence[str]]
    """What a new text lost or added; nothing: it says the same."""


@dataclass(frozen=True)
class Reworded:
    """What came of a wish: the new text, or nothing with what was wrong with each try."""

    text: str
    tries: int
    problems: tuple[tuple[str, ...], ...] = field(default=())


class Rewriter:
    """Words requests anew with a model."""

    def __init__(self, model: Model, *, seed: int, review: bool = True, tries: int = TRIES) -> None:
        self._model, self._seed, self._review, self._tries = model, seed, review, tries

    @property
    def identity(self) -> str:
        """Who words, and how it is asked."""
        told = f"{REWORD.name}@{REWORD.sha256[:12]}"
        return f"agent:{self._model.identity} {told}" + (f" {REVIEW.name}@{REVIEW.sha256[:12]}" if self._review else "")

    async def reword(self, wish: Wish) -> Reworded:
        """A text that passed the check and the reviewer, or none. Raises ModelError for what is no answer."""
        messages = [Message(role="system", content=REWORD.filled()), Message(role="user", content=_asked(wish))]
        found: list[tuple[str, ...]] = []
        for number in range(1, self._tries + 1):
            try:
                text = await self._written(wish, messages, number)
            except AnswerError as error:
                found.append((error.message,))
                continue
            wrong = tuple(wish.check(text)) or await self._reviewed(wish, text)
            if not wrong:
                return Reworded(text, number, tuple(found))
            found.append(wrong)
            told = "That is not the same request:\n" + "\n".join(f"- {one}" for one in wrong[:5])
            messages[2:] = [
                Message(role="assistant", content=text or "(nothing)"),
                Message(role="user", content=f"{told}\nWrite it again. Answer with the request only."),
            ]
        return Reworded("", self._tries, tuple(found))

    async def _written(self, wish: Wish, messages: list[Message], number: int) -> str:
        seed = derive_seed(self._seed, STAGE, wish.id, number) >> (64 - _SEED_BITS)
        most = _TOKENS_FOR_A_WORD * len(wish.text.split()) + 60
        request = CompletionRequest(
            messages=tuple(messages), seed=seed, temperature=_TEMPERATURE, max_tokens=most, stage=STAGE
        )
        return plain((await self._model.complete(request)).text)

    async def _reviewed(self, wish: Wish, text: str) -> tuple[str, ...]:
        """What a reader does not find in a text that is to be found there."""
        if not self._review:
            return ()
        missed: list[str] = []
        for step in wish.steps:
            question = f"REQUEST\n{text}\n\nDoes the request say this, in whatever words?\n{step}\nYes or no?"
            messages = (Message(role="system", content=REVIEW.filled()), Message(role="user", content=question))
            margin = (await margin_of(self._model, messages)).value
            if margin is None or margin < 0:
                missed.append(f"a reader does not find in it: {step}")
        return tuple(missed)


def plain(text: str) -> str:
    """The words without a fence or quotes around the whole, on one line a paragraph."""
    bare = text.strip()
    fenced = _FENCE.match(bare)
    bare = fenced[1].strip() if fenced else bare
    if len(bare) > 1 and bare[0] in _QUOTES and bare[-1] in _QUOTES and bare[1:-1].count('"') == 0:
        bare = bare[1:-1].strip()
    return "\n".join(" ".join(line.split()) for line in bare.splitlines() if line.strip())


def _asked(wish: Wish) -> str:
    fixed = "\n".join(f"- {words}" for words in wish.fixed) or "(none)"
    manner = _MANNER.get(wish.manner, "")
    return f"REQUEST\n{wish.text}\n\nFIXED WORDS\n{fixed}\n\n{manner}\nThe request in other words:".replace(
        "\n\n\n", "\n\n"
    )

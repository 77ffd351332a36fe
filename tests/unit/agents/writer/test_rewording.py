"""A writer tries again with what was wrong, a reviewer reads what it wrote, and bad texts end as no text."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from envforge.agents.writer.rewording import TRIES, Reworded, Rewriter, Wish, plain
from envforge.core.errors import ModelError
from envforge.core.model_errors import BudgetError, EmptyAnswerError, RefusedAnswerError
from envforge.core.records.completion import CompletionRequest
from envforge.llm.loopback.answers import answer_of
from envforge.llm.providers.scripted import Answer, ScriptedModel

OURS = "Please cancel the trip to Orkney. Leave the others as they are."
THEIRS = "The trip to Orkney is off, cancel it, but not the others, please."


def no_problem(_: str) -> Sequence[str]:
    return ()


def wish(check: Callable[[str], Sequence[str]] = no_problem) -> Wish:
    steps = ("Please cancel the trip to Orkney.", "Leave the others as they are.")
    return Wish("task-1", OURS, "polite", ("Orkney",), steps, check)


def is_review(request: CompletionRequest) -> bool:
    return request.top_logprobs is not None


def saying(yes: bool) -> dict[str, Any]:
    top = [{"token": "yes", "logprob": math.log(0.9 if yes else 0.1)}]
    top.append({"token": "no", "logprob": math.log(0.1 if yes else 0.9)})
    word = top[0 if yes else 1]
    return answer_of(str(word["token"]), logprobs={"content": [{**word, "top_logprobs": top}]})


def written(script: Callable[[CompletionRequest], Answer], given: Wish | None = None, **how: Any) -> Reworded:
    return asyncio.run(Rewriter(ScriptedModel(script), seed=1, **how).reword(given or wish()))


def test_a_text_that_passes() -> None:
    found = written(lambda asked: saying(True) if is_review(asked) else f'"{THEIRS}"')
    assert found == Reworded(THEIRS, 1, ())


def test_it_is_told_what_was_wrong() -> None:
    model = ScriptedModel(lambda asked: "It is off." if len(asked.messages) == 2 else THEIRS)
    check = wish(lambda text: () if "Orkney" in text else ("it does not say 'Orkney' word for word",))
    found = asyncio.run(Rewriter(model, seed=1, review=False).reword(check))
    assert found.text == THEIRS and found.tries == 2
    assert "does not say 'Orkney'" in model.asked[1].messages[-1].content
    assert model.asked[0].seed != model.asked[1].seed


def test_a_reviewer_sends_back_what_a_reader_does_not_find() -> None:
    def says(asked: CompletionRequest) -> Answer:
        if not is_review(asked):
            return "Cancel Orkney."
        return saying("Leave the others" not in asked.messages[1].content)

    found = written(says)
    assert found.text == "" and found.tries == TRIES
    assert found.problems[-1] == ("a reader does not find in it: Leave the others as they are.",)


@pytest.mark.parametrize("answer", [RefusedAnswerError("no", text="no"), EmptyAnswerError("empty"), "```\n```"])
def test_what_is_no_text_is_none(answer: Answer) -> None:
    found = written(lambda _: answer, wish(lambda text: () if text else ("there is no text",)), review=False)
    assert found.text == "" and len(found.problems) == TRIES


def test_a_budget_ends_the_run_and_not_the_text() -> None:
    with pytest.raises(ModelError, match="used up"):
        written(lambda _: BudgetError("used up"))


def test_the_same_wish_asks_the_same() -> None:
    asked = []
    for _ in range(2):
        model = ScriptedModel(lambda _: THEIRS)
        asyncio.run(Rewriter(model, seed=1, review=False).reword(wish()))
        asked.append(model.asked[0])
    assert asked[0] == asked[1] and not asked[0].sampled


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ('  "Cancel it."  ', "Cancel it."),
        ("```text\nCancel it.\n```", "Cancel it."),
        ('"Cancel" and "book"', '"Cancel" and "book"'),
        ("Cancel  it.\n\nThanks!", "Cancel it.\nThanks!"),
    ],
)
def test_what_stands_around_a_text_goes(said: str, text: str) -> None:
    assert plain(said) == text

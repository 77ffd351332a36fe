"""Retries, the deadline and the breaker, without waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from envforge.core import model_errors as errors
from envforge.core.errors import ModelError
from envforge.core.records.completion import Completion, CompletionRequest, Usage
from envforge.llm.accounts import Accounts
from envforge.llm.breaker import Breaker
from envforge.llm.budget import Budget
from envforge.llm.guarded import GuardedModel
from envforge.llm.providers.scripted import Answer, ScriptedModel
from envforge.llm.retry import RetryPolicy

BUSY = errors.ServerFaultError("busy", retryable=True, status=503)
SLOW_DOWN = errors.RateLimitedError("slow down", retryable=True, status=429, retry_after=7.0)
WRONG = errors.BadRequestError("wrong", status=400)
FINE = Completion(text="Fine.", usage=Usage(prompt_tokens=10, completion_tokens=2))


def guarded(
    script: Sequence[Answer], time: Any, *, breaker: Breaker | None = None, **policy: Any
) -> tuple[GuardedModel, ScriptedModel, Accounts]:
    accounts, inner = Accounts(), ScriptedModel(script)
    model = GuardedModel(
        inner,
        name="m",
        budget=Budget(accounts),
        breaker=breaker or Breaker(clock=time.clock),
        policy=RetryPolicy(**policy),
        clock=time.clock,
    )
    return model, inner, accounts


def test_what_may_pass_is_tried_again_with_growing_waits(time: Any, ask: Callable[..., CompletionRequest]) -> None:
    model, inner, accounts = guarded([BUSY, BUSY, BUSY, FINE], time)
    assert asyncio.run(model.complete(ask())).text == "Fine."
    assert len(inner.asked) == 4 and accounts.total.calls == 1
    for number, wait in enumerate(time.slept):
        assert 0.5 * 0.5 * 2**number <= wait <= 0.5 * 2**number


def test_waits_are_the_same_for_the_same_seed_and_differ_between_requests(
    ask: Callable[..., CompletionRequest],
) -> None:
    def waits(seed: int, text: str) -> list[float | None]:
        policy = RetryPolicy(seed=seed)
        return [policy.wait(BUSY, attempt, ask(text).key("m")) for attempt in (1, 2, 3)]

    assert waits(1, "a") == waits(1, "a") and waits(1, "a") != waits(2, "a") and waits(1, "a") != waits(1, "b")


def test_retry_after_is_never_undercut(time: Any, ask: Callable[..., CompletionRequest]) -> None:
    model, _, _ = guarded([SLOW_DOWN, FINE], time)
    asyncio.run(model.complete(ask()))
    assert time.slept == [7.0]


@pytest.mark.parametrize(
    "error",
    [WRONG, errors.EmptyAnswerError("empty"), errors.TruncatedAnswerError("cut"), errors.RefusedAnswerError("no")],
)
def test_what_will_not_pass_is_not_tried_again(
    time: Any, ask: Callable[..., CompletionRequest], error: ModelError
) -> None:
    model, inner, _ = guarded([error, FINE], time)
    with pytest.raises(type(error)):
        asyncio.run(model.complete(ask()))
    assert len(inner.asked) == 1 and time.slept == []


def test_tries_end(time: Any, ask: Callable[..., CompletionRequest]) -> None:
    model, inner, _ = guarded([BUSY] * 9, time, tries=3)
    with pytest.raises(errors.ServerFaultError):
        asyncio.run(model.complete(ask()))
    assert len(inner.asked) == 3


def test_a_wait_that_outlasts_the_deadline_is_not_begun(time: Any, ask: Callable[..., CompletionRequest]) -> None:
    model, inner, _ = guarded([SLOW_DOWN, FINE], time, deadline_seconds=5.0)
    with pytest.raises(errors.DeadlineError, match="slow down"):
        asyncio.run(model.complete(ask()))
    assert len(inner.asked) == 1 and time.slept == []


def test_a_call_that_outlasts_the_deadline_is_given_up_and_paid_for(
    time: Any, ask: Callable[..., CompletionRequest]
) -> None:
    class Endless(ScriptedModel):
        async def complete(self, request: CompletionRequest) -> Completion:
            await asyncio.Event().wait()
            return FINE

    accounts = Accounts()
    policy = RetryPolicy(deadline_seconds=0.05)
    model = GuardedModel(Endless([]), name="m", budget=Budget(accounts), policy=policy, clock=time.clock)
    with pytest.raises(errors.DeadlineError):
        asyncio.run(model.complete(ask()))
    assert accounts.total.calls == 1 and accounts.total.estimated == 1


def test_the_breaker_opens_rests_and_lets_one_through(time: Any, ask: Callable[..., CompletionRequest]) -> None:
    breaker = Breaker(failures=3, rest_seconds=30.0, clock=time.clock)
    model, inner, _ = guarded([BUSY] * 4 + [FINE, FINE], time, breaker=breaker, tries=1)

    def call() -> str:
        return asyncio.run(model.complete(ask())).text

    for _ in range(3):
        with pytest.raises(errors.ServerFaultError):
            call()
    with pytest.raises(errors.CircuitOpenError, match=r"3 times in a row.*busy"):
        call()
    assert len(inner.asked) == 3
    time.at += 31
    with pytest.raises(errors.ServerFaultError):
        call()
    with pytest.raises(errors.CircuitOpenError):
        call()
    time.at += 31
    assert (call(), call()) == ("Fine.", "Fine.")


def test_only_one_call_probes_a_closed_endpoint(time: Any) -> None:
    breaker = Breaker(failures=1, rest_seconds=30.0, clock=time.clock)
    breaker.failed(BUSY)
    time.at += 31
    breaker.enter("here")
    with pytest.raises(errors.CircuitOpenError):
        breaker.enter("here")
    breaker.left()
    breaker.enter("here")


@pytest.mark.parametrize(
    "error", [errors.BrokenStreamError("half"), errors.DeadlineError("late"), errors.ModelTimeoutError("late"), BUSY]
)
def test_what_the_endpoint_is_to_blame_for_opens_the_breaker(time: Any, error: ModelError) -> None:
    breaker = Breaker(failures=2, clock=time.clock)
    for _ in range(2):
        breaker.enter("here")
        breaker.failed(error)
    with pytest.raises(errors.CircuitOpenError):
        breaker.enter("here")


def test_wrong_requests_and_rate_limits_open_no_breaker(time: Any) -> None:
    breaker = Breaker(failures=2, clock=time.clock)
    for error in (BUSY, WRONG, BUSY, SLOW_DOWN, BUSY):
        breaker.failed(error)
    breaker.enter("here")

"""Budgets stop within one call of the limit, also with many calls at once, and go on after a restart."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from envforge.core import model_errors as errors
from envforge.core.errors import ConfigError, StoreError
from envforge.core.records.completion import Completion, CompletionRequest, Usage
from envforge.llm.accounts import Accounts
from envforge.llm.budget import Budget
from envforge.llm.guarded import GuardedModel
from envforge.llm.limits import Limits
from envforge.llm.prices import Price, Prices
from envforge.llm.providers.scripted import Answer, ScriptedModel
from envforge.llm.retry import RetryPolicy

Ask = Callable[..., CompletionRequest]
PRICES = Prices(as_of="2026-01-01", source="test", models={"m": Price(input=1000.0, output=2000.0, cached_input=100.0)})
COST = Usage(prompt_tokens=60, completion_tokens=40)
ANSWER = Completion(text="Fine.", usage=COST)


def model_with(budget: Budget, answer: Answer = ANSWER, tries: int = 1) -> tuple[GuardedModel, ScriptedModel]:
    inner = ScriptedModel(lambda request: answer)
    policy = RetryPolicy(tries=tries, first_seconds=0.0)
    return GuardedModel(inner, name="m", budget=budget, limits=Limits(at_once=32), policy=policy), inner


async def until_stopped(model: GuardedModel, ask: Ask) -> int:
    for number in range(100):
        try:
            await model.complete(ask(max_tokens=40))
        except errors.BudgetError:
            return number
    raise AssertionError("nothing stopped it")


def test_tokens_stop_the_run(ask: Ask) -> None:
    budget = Budget(Accounts(), tokens=450)
    model, inner = model_with(budget)
    assert asyncio.run(until_stopped(model, ask)) == 5 == len(inner.asked)
    assert budget.accounts.total.tokens == 500


def test_money_stops_the_run(ask: Ask) -> None:
    budget = Budget(Accounts(), usd=0.5, prices=PRICES)
    model, _ = model_with(budget)
    # A call costs 0.06 + 0.08 dollars.
    assert asyncio.run(until_stopped(model, ask)) == 4
    assert budget.accounts.total.usd == pytest.approx(0.56)


@pytest.mark.parametrize("limit", [450, 1000, 1999])
def test_many_at_once_stop_within_one_call(ask: Ask, limit: int) -> None:
    budget = Budget(Accounts(), tokens=limit)
    model, inner = model_with(budget)

    async def main() -> list[object]:
        calls = (model.complete(ask(f"Question {number}", max_tokens=40)) for number in range(32))
        return await asyncio.gather(*calls, return_exceptions=True)

    got = asyncio.run(main())
    assert limit <= budget.accounts.total.tokens < limit + COST.total
    assert {type(value) for value in got} == {Completion, errors.BudgetError}
    assert sum(isinstance(value, Completion) for value in got) == len(inner.asked)


def test_failures_that_cost_are_paid_for(ask: Ask) -> None:
    budget = Budget(Accounts())
    cut = errors.TruncatedAnswerError("cut", usage=COST)
    lost = errors.ConnectionLostError("lost", retryable=True)
    busy = errors.ServerFaultError("busy", retryable=True, status=503)
    for error, tokens, estimated in ((cut, 100, 0), (busy, 100, 0), (lost, None, 2)):
        model, _ = model_with(budget, error, tries=2)
        with pytest.raises(type(error)):
            asyncio.run(model.complete(ask()))
        assert tokens is None or budget.accounts.total.tokens == tokens
        assert budget.accounts.total.estimated == estimated


def test_the_accounts_survive_the_run(tmp_path: Path, ask: Ask) -> None:
    path = tmp_path / "spending.jsonl"
    model, _ = model_with(Budget(Accounts(path), tokens=250, prices=PRICES))
    asyncio.run(until_stopped(model, ask))
    with path.open("a") as stream:
        stream.write('{"stage": "half a li')
    again = Accounts(path)
    assert again.total.tokens == 300 and again.total.usd == pytest.approx(0.42)
    model, inner = model_with(Budget(again, tokens=250, prices=PRICES))
    with pytest.raises(errors.BudgetError, match="300 of 250 tokens"):
        asyncio.run(model.complete(ask()))
    assert inner.asked == []
    model, _ = model_with(Budget(again, tokens=400, prices=PRICES))
    assert asyncio.run(until_stopped(model, ask)) == 1
    assert Accounts(path).total.tokens == 400


def test_accounts_that_are_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "spending.jsonl"
    path.write_text('{"stage": "a", "usage": {"prompt_tokens": -1}, "usd": null}\n')
    with pytest.raises(StoreError, match="no account"):
        Accounts(path)


def test_stages_are_counted_apart_and_a_missing_price_is_told(ask: Ask) -> None:
    budget = Budget(Accounts())
    model, _ = model_with(budget)
    for stage in ("tasks", "tasks", "wording"):
        asyncio.run(model.complete(ask(stage=stage)))
    told = budget.accounts.to_json()
    assert told["stages"]["tasks"]["calls"] == 2 and told["stages"]["wording"]["prompt_tokens"] == 60
    assert told["usd"] is None and budget.accounts.total.unpriced == 300


def test_money_without_a_price_is_refused() -> None:
    with pytest.raises(ConfigError, match="no price is known"):
        model_with(Budget(Accounts(), usd=1.0, prices=Prices(as_of="2026-01-01", source="test")))


def test_a_call_that_is_cancelled_frees_what_it_held(ask: Ask) -> None:
    class Endless(ScriptedModel):
        async def complete(self, request: CompletionRequest) -> Completion:
            await asyncio.Event().wait()
            return ANSWER

    budget = Budget(Accounts(), tokens=2000)

    async def main() -> None:
        model = GuardedModel(Endless([]), name="m", budget=budget)
        task = asyncio.create_task(model.complete(ask(max_tokens=1900)))
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await model_with(budget)[0].complete(ask(max_tokens=1900))

    asyncio.run(main())
    assert budget.accounts.total.calls == 2 and budget.accounts.total.estimated == 1

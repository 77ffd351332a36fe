"""32 requests at once keep to the limits: over HTTP for calls at once, with a clock of our own for the minute."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from envforge.core.errors import ConfigError
from envforge.core.records.completion import CompletionRequest
from envforge.llm.accounts import Accounts
from envforge.llm.budget import Budget
from envforge.llm.guarded import GuardedModel
from envforge.llm.limits import Limits
from envforge.llm.loopback.faults import after, well
from envforge.llm.loopback.server import LoopbackServer
from envforge.llm.providers.openai import OpenAIModel


@pytest.mark.parametrize("at_once", [1, 4])
def test_calls_at_once(ask: Callable[..., CompletionRequest], at_once: int) -> None:
    async def main(base_url: str) -> None:
        bare = OpenAIModel("m", base_url=base_url, timeout_seconds=60)
        model = GuardedModel(bare, name="m", budget=Budget(Accounts()), limits=Limits(at_once=at_once))
        await asyncio.gather(*(model.complete(ask(f"Question {number}")) for number in range(32)))
        await model.close()

    with LoopbackServer(after(0.01, well())) as server:
        asyncio.run(main(server.base_url))
        assert len(server.seen) == 32 and server.most_at_once == at_once


async def starts(limits: Limits, time: Any, calls: list[int], real: int | None = None) -> list[float]:
    """When each of these calls (estimated tokens) began; `real` is what each cost."""
    begun: list[float] = []

    async def call(tokens: int) -> None:
        async with limits.slot(tokens) as admitted:
            begun.append(time.at)
            await asyncio.sleep(0)
            admitted.tokens = tokens if real is None else real

    await asyncio.gather(*(call(tokens) for tokens in calls))
    return begun


def most_in_a_minute(begun: list[float]) -> int:
    return max(sum(start <= other < start + 60 for other in begun) for start in begun)


def test_requests_per_minute(time: Any) -> None:
    limits = Limits(at_once=32, requests_per_minute=10, clock=time.clock)
    begun = asyncio.run(starts(limits, time, [1] * 32))
    assert len(begun) == 32 and most_in_a_minute(begun) == 10 and begun[-1] == pytest.approx(180)


def test_tokens_per_minute(time: Any) -> None:
    limits = Limits(at_once=32, tokens_per_minute=1000, clock=time.clock)
    begun = asyncio.run(starts(limits, time, [250] * 32))
    assert len(begun) == 32 and most_in_a_minute(begun) == 4


def test_what_a_call_really_cost_counts(time: Any) -> None:
    limits = Limits(at_once=1, tokens_per_minute=1000, clock=time.clock)
    begun = asyncio.run(starts(limits, time, [500] * 32, real=100))
    assert most_in_a_minute(begun) == 6


def test_a_call_larger_than_the_limit_goes_alone(time: Any) -> None:
    limits = Limits(at_once=32, tokens_per_minute=1000, clock=time.clock)
    begun = asyncio.run(starts(limits, time, [10, 5000, 10]))
    assert begun == pytest.approx([0, 60, 120])


@pytest.mark.parametrize("name", ["at_once", "requests_per_minute", "tokens_per_minute"])
def test_a_limit_that_lets_nothing_through_is_refused(name: str) -> None:
    given: dict[str, Any] = {name: 0}
    with pytest.raises(ConfigError, match=f"{name}: 0 lets no call"):
        Limits(**given)

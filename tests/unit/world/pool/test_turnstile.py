"""Who comes in when a pool is full."""

from __future__ import annotations

import asyncio

import pytest

from envforge.core.errors import SandboxError
from envforge.world.pool.failures import PoolFull
from envforge.world.pool.turnstile import Turnstile

from .loops import on_a_loop


async def _settle() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


@on_a_loop
async def test_one_too_many_waits_until_one_leaves() -> None:
    turnstile = Turnstile(2)
    await turnstile.enter("a")
    await turnstile.enter("a")
    waiting = asyncio.create_task(turnstile.enter("a"))
    await _settle()
    assert not waiting.done() and turnstile.waiting == {"a": 1}
    turnstile.leave("a")
    await waiting
    assert turnstile.inside == {"a": 2} and turnstile.waiting == {}


@on_a_loop
async def test_the_environment_with_the_fewest_comes_first() -> None:
    turnstile = Turnstile(3)
    for _ in range(3):
        await turnstile.enter("busy")
    order: list[str] = []

    async def come(kind: str) -> None:
        await turnstile.enter(kind)
        order.append(kind)

    tasks = [asyncio.create_task(come("busy")) for _ in range(2)]
    await _settle()
    tasks += [asyncio.create_task(come("quiet")) for _ in range(2)]
    await _settle()
    for _ in range(3):
        turnstile.leave("busy")
        await _settle()
    # After the first both have one inside, or will have: then who has waited longer comes first.
    assert order == ["quiet", "busy", "busy"]
    turnstile.leave("busy")
    await asyncio.gather(*tasks)


@on_a_loop
async def test_who_is_let_in_and_cancelled_in_the_same_moment_leaves_room() -> None:
    turnstile = Turnstile(1)
    await turnstile.enter("a")
    first = asyncio.create_task(turnstile.enter("a"))
    second = asyncio.create_task(turnstile.enter("a"))
    await _settle()
    turnstile.leave("a")
    first.cancel()
    await asyncio.wait_for(second, 1)
    assert first.cancelled() and turnstile.inside == {"a": 1}


@on_a_loop
async def test_who_stops_waiting_is_passed_over() -> None:
    turnstile = Turnstile(1)
    await turnstile.enter("a")
    first = asyncio.create_task(turnstile.enter("a"))
    second = asyncio.create_task(turnstile.enter("a"))
    await _settle()
    first.cancel()
    await _settle()
    turnstile.leave("a")
    await asyncio.wait_for(second, 1)


@on_a_loop
async def test_who_does_not_wait_is_refused() -> None:
    turnstile = Turnstile(1)
    turnstile.enter_now("a")
    with pytest.raises(PoolFull, match="1 episodes are open") as refused:
        turnstile.enter_now("b")
    assert refused.value.retryable


@on_a_loop
async def test_a_closed_one_lets_nobody_in() -> None:
    turnstile = Turnstile(1)
    turnstile.enter_now("a")
    waiting = asyncio.create_task(turnstile.enter("a"))
    await _settle()
    turnstile.close(SandboxError("closed"))
    for late in (waiting, turnstile.enter("b")):
        with pytest.raises(SandboxError, match="closed"):
            await late


def test_a_pool_for_nobody_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        Turnstile(0)

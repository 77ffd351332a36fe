"""How a browsing run is set up, and the outside world it gets."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from envforge.core.records.browse import BrowseLimits
from envforge.core.records.fetching import FetchSettings
from envforge.web.guard import Dial, Guard, system_dial
from envforge.web.live.client import GuardedClient
from envforge.web.sources import Clock, utc_now

Robots: TypeAlias = Callable[[str], Awaitable[None]]
"""Waits for a host's turn. Raises SourceError when the host does not want this URL to be read by programs."""


@dataclass(frozen=True)
class BrowseSettings:
    """What a replay must have the same (seed, window, name) it takes from the recording instead."""

    hosts: tuple[str, ...] = ()
    """The only hosts of the run (`*.shop.example`: with all below); empty: all that the guard lets through."""
    limits: BrowseLimits = field(default_factory=BrowseLimits)
    seed: int = 0
    width: int = 1280
    height: int = 800
    flags: tuple[str, ...] = ()
    """More flags for Chromium."""


@dataclass(frozen=True)
class Outside:
    """The outside world of a run, handed in: rules, resolver, connections, manners, time."""

    guard: Guard
    dial: Dial = system_dial
    robots: Robots | None = None
    agent: str = ""
    """Who reads, for the sites."""
    clock: Clock = utc_now


def live_web(
    fetching: FetchSettings,
    *,
    guard: Guard | None = None,
    dial: Dial = system_dial,
    client: GuardedClient | None = None,
    clock: Clock = utc_now,
) -> Outside:
    """The real web, with the manners of fetching: robots.txt, pauses between pages of a host, an honest name."""
    rules = guard or Guard()
    polite = client or GuardedClient(fetching, guard=rules, dial=dial, clock=clock)

    async def robots(url: str) -> None:
        # The client blocks, as everything that fetches does.
        await asyncio.to_thread(polite.take_turn, url)

    return Outside(rules, dial=dial, robots=robots, agent=polite.user_agent, clock=clock)

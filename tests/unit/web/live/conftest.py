from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.sites.server import Site

from envforge.core.records.fetching import FetchSettings
from envforge.web.guard import Guard
from envforge.web.live.client import GuardedClient
from envforge.web.live.pace import Pace

NOW = "2024-05-01T08:00:00Z"
MakeClient = Callable[..., GuardedClient]


@dataclass
class FakeTime:
    """Time that passes by sleeping only. `slept` holds how long."""

    at: float = 0.0
    slept: list[float] = field(default_factory=list[float])

    def sleep(self, seconds: float) -> None:
        self.at += seconds
        self.slept.append(seconds)

    @property
    def pace(self) -> Pace:
        return Pace(lambda: self.at, self.sleep)


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


@pytest.fixture
def client(site: Site, time: FakeTime) -> MakeClient:
    """client(**settings) → a guarded client whose web is the loopback site."""

    def make(**settings: Any) -> GuardedClient:
        return GuardedClient(
            FetchSettings(**settings),
            guard=Guard(resolve=site.resolve),
            dial=site.dial,
            tls=lambda: site.trusting,
            pace=time.pace,
            clock=lambda: NOW,
        )

    return make

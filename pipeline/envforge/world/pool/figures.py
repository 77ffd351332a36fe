"""What a pool counts while it works, and what it tells of it."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from envforge.world.observation import Observation

BOUNDS = tuple(base * 10.0**power for power in range(-4, 2) for base in (1.0, 2.0, 5.0))
"""Upper bounds of the classes of call times, seconds: 0.1 ms to 50 s; what is longer falls in a class of its own."""


class Tally:
    """Counters of one pool; every session counts here."""

    def __init__(self) -> None:
        self.clock: Callable[[], float] = time.perf_counter
        self.calls = 0
        self.refused = 0
        self.faults = 0
        self.seconds = 0.0
        self.classes = [0] * (len(BOUNDS) + 1)

    def called(self, observation: Observation, seconds: float) -> None:
        """A worker answered a call."""
        self.calls += 1
        self.seconds += seconds
        self.classes[bisect_left(BOUNDS, seconds)] += 1
        error = observation.error
        if error is not None:
            if error.kind == "fault":
                self.faults += 1
            else:
                self.refused += 1


@dataclass(frozen=True)
class PoolFigures:
    """A pool at one moment. Counts are since its start.

    Args:
        live: episodes that are open, by environment id.
        waiting: starts that wait for a place, by environment id.
        workers: processes, by environment id.
        apart: why an environment whose episodes were to share workers gives each a process of its own, by id.
        started, ended, idled: episodes opened; closed in all; closed because nobody used them.
        calls: calls that a worker answered; `refused` of all calls were the caller's mistake, `faults` the tool's.
        lost: requests that cost their worker and failed.
        replaced: workers that died; `brought_back`: episodes that went on in a fresh one.
        seconds: of all calls, from being handed in to the answer.
        call_times: (upper bound in seconds, calls up to there), cumulative; the last bound is infinite.
    """

    live: Mapping[str, int] = field(default_factory=dict[str, int])
    waiting: Mapping[str, int] = field(default_factory=dict[str, int])
    workers: Mapping[str, int] = field(default_factory=dict[str, int])
    apart: Mapping[str, str] = field(default_factory=dict[str, str])
    started: int = 0
    ended: int = 0
    idled: int = 0
    calls: int = 0
    refused: int = 0
    faults: int = 0
    lost: int = 0
    replaced: int = 0
    brought_back: int = 0
    seconds: float = 0.0
    call_times: tuple[tuple[float, int], ...] = ()

    def quantile(self, share: float) -> float:
        """Upper bound of the class in which this share of all call times is reached, seconds; 0 without calls."""
        return next((bound for bound, count in self.call_times if count and count >= share * self.calls), 0.0)

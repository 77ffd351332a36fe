"""A task on which an agent without a plan gets by, or its own gold does not, is rejected."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envforge.factory.judging import baselines_gate
from envforge.rollout.baselines import Baseline

SOUND = {
    "gold": Baseline("t", "gold", 1, 1, 1, {}),
    **{name: Baseline("t", name, 4, 4, 0, {}) for name in ("noop", "noop-plausible", "random")},
}


def test_a_sound_task_passes() -> None:
    found = baselines_gate(list(SOUND.values()))
    assert found.passed and found.measured == {"gold": 1.0, "noop": 0.0, "noop-plausible": 0.0, "random": 0.0}


@pytest.mark.parametrize(
    ("agent", "passed", "scored", "reason"),
    [
        ("gold", 0, 1, "the gold solution fails on what an agent is shown"),
        ("noop", 1, 4, "noop passes"),
        ("noop-plausible", 1, 4, "noop-plausible passes"),
        ("random", 1, 4, "random passes"),
        ("random", 0, 3, "1 episodes of random got no score"),
    ],
)
def test_it_is_rejected(agent: str, passed: int, scored: int, reason: str) -> None:
    broken = {**SOUND, agent: replace(SOUND[agent], passed=passed, scored=scored)}
    found = baselines_gate(list(broken.values()))
    assert not found.passed and found.reasons == (reason,)

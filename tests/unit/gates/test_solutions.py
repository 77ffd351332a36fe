"""Solutions are played within bounds."""

from __future__ import annotations

import pytest

from envforge.gates import solutions as module
from envforge.gates.solutions import play_afresh
from envforge.world.environment import Environment

READS = "def solve(call):\n    for _ in range(9):\n        call('search_books', query='e')\n    return {'n': 9}\n"


def test_an_episode_that_is_answered_too_much_is_a_failure(
    library: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = play_afresh(library, READS)
    sizes = [step.seen.size for step in whole.steps]
    assert not whole.failure and len(sizes) == 9 and min(sizes) > 100
    monkeypatch.setattr(module, "MOST_SEEN", sum(sizes))
    assert not play_afresh(library, READS).failure
    monkeypatch.setattr(module, "MOST_SEEN", sum(sizes) - 1)
    cut = play_afresh(library, READS)
    assert "answered more than" in cut.failure and len(cut.steps) == 8 and cut.answer is None

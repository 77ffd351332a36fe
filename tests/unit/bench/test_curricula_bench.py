"""The comparison of curricula spends what it is given, and no more."""

from __future__ import annotations

import pytest
from benchmarks.curricula import compare

from envforge.train.curricula.simulated import SimulatedLearner


@pytest.mark.parametrize("name", ["uniform", "dapo"])
def test_a_run_spends_its_episodes_and_comes_out_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spent: list[int] = []
    play = SimulatedLearner.play

    def counted(learner: SimulatedLearner, tasks: compare.Tasks) -> compare.Results:
        results = play(learner, tasks)
        spent.append(sum(len(result.rewards) for result in results))
        return results

    monkeypatch.setattr(SimulatedLearner, "play", counted)
    outcome = compare.run(name, "even", 3, 640)
    assert sum(spent) == 640
    tasks, hard = compare.tasks_of("even", 3)
    assert SimulatedLearner(hard, seed=0).success(tasks) < outcome.end < 1
    assert 0 < outcome.silent < 1 and compare.run(name, "even", 3, 640) == outcome

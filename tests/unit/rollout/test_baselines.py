"""Baselines: who passes, the same table for the same seed and any number of workers, failures that are no score."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envforge.core.errors import ConfigError, StoreError, VerifierError
from envforge.rollout.agents import Assignment
from envforge.rollout.baselines import Stand, baselines, planned
from envforge.world.environment import Environment

from .conftest import make_task

AGENTS = ("gold", "noop", "scripted:0.8")


def test_who_passes(library: Environment, graph: Assignment, program: Assignment) -> None:
    table = baselines(library, [graph, program], AGENTS, episodes=4, ks=(1, 2))
    assert [(row.task_id, row.agent) for row in table] == [
        (task, agent) for task in ("library-0001", "library-0002") for agent in AGENTS
    ]
    gold, noop, scripted = table[:3]
    assert (gold.episodes, gold.scored, gold.passed) == (4, 4, 4) and gold.rates["pass^2"] == 1
    assert (noop.scored, noop.passed) == (4, 0) and noop.rates["pass@2"] == 0
    assert 0 <= scripted.passed <= 4
    assert baselines(library, [graph, program], AGENTS, episodes=4, ks=(1, 2), workers=2) == table


def test_what_broke_is_not_counted(library: Environment, graph: Assignment) -> None:
    dead_end = Assignment(make_task(gold_answer={"fine": "$3.price", "due_on": "$4.due_on"}), graph.tools)
    (row,) = baselines(library, [dead_end], ["gold"], episodes=2)
    assert (row.episodes, row.scored, row.passed, row.rates) == (2, 0, 0, {})


def test_seeds_depend_on_task_agent_and_number_only(graph: Assignment, program: Assignment) -> None:
    alone = list(planned([program], ["noop"], 2, 0))
    among = [run for run in planned([graph, program], ["gold", "noop"], 3, 0) if run.assignment is program]
    assert {run.seed for run in alone} <= {run.seed for run in among}
    assert len({run.seed for run in planned([graph, program], AGENTS, 5, 0)}) == 30
    assert all(run.seed < 2**53 for run in among)


def test_bad_input_is_named_before_anything_runs(library: Environment, graph: Assignment) -> None:
    stranger = replace(graph, task=make_task(environment_hash="22" * 32))
    with pytest.raises(StoreError, match="made for"):
        baselines(library, [stranger], ["noop"], episodes=1)
    with pytest.raises(ConfigError, match="nobody"):
        baselines(library, [graph], ["nobody"], episodes=1)


def test_a_verifier_that_crashes_ends_it(library: Environment, program: Assignment) -> None:
    broken = replace(program, verifier="def verify(initial, final, diff, answer):\n    return 1 / 0")
    with pytest.raises(VerifierError):
        baselines(library, [broken], ["noop"], episodes=3, workers=2)


def test_a_stand_says_the_same(library: Environment, graph: Assignment, program: Assignment) -> None:
    table = baselines(library, [graph, program], AGENTS, episodes=2, ks=(1, 2))
    with Stand(library) as stand:
        found = [row for one in (graph, program) for row in stand.measure(one, AGENTS, episodes=2, ks=(1, 2))]
        assert found == table
        with pytest.raises(StoreError, match="made for"):
            stand.measure(replace(graph, task=make_task(environment_hash="22" * 32)), ["noop"], episodes=1)

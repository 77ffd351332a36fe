"""The rules of the diagnosis against mistakes that are known, on tasks that ship (docs/results/errors.md has more)."""

from __future__ import annotations

from pathlib import Path

import pytest

from envforge.core.records.confusion import Confusion
from envforge.core.records.trajectory import Trajectory
from envforge.factory.measured_diagnosis import confusion
from envforge.factory.opened_tasks import OpenedTasks, open_tasks
from envforge.rollout.flaws.labelled import KINDS, Flawing
from envforge.rollout.score import Scorer
from envforge.store.workspace import Workspace

ROOT = Path(__file__).parents[2]
EACH = 2


def silent(label: str, done: int, total: int | None) -> None:
    del label, done, total


@pytest.fixture(scope="module")
def opened() -> OpenedTasks:
    return open_tasks(Workspace(ROOT), "web-browsers")


@pytest.fixture(scope="module")
def found(opened: OpenedTasks) -> Confusion:
    return confusion([opened], EACH, 3, silent)


def test_most_mistakes_are_named_as_they_were_made(found: Confusion) -> None:
    assert set(found.matrix) == set(KINDS)
    assert all(sum(row.values()) == EACH for row in found.matrix.values()), found.matrix
    assert found.right >= 0.85 * found.episodes, found.misses


def test_no_kind_is_a_dustbin(found: Confusion) -> None:
    """A rule that takes everything would be right for its own kind; no kind may draw many of the others."""
    for kind in KINDS:
        drawn = sum(row.get(kind, 0) for made, row in found.matrix.items() if made != kind)
        assert drawn <= 2, (kind, found.misses)


def test_mistakes_are_made_alike_each_time_and_always_cost_the_task(opened: OpenedTasks) -> None:
    assignments = [opened.assignment(task) for task in opened.tasks.tasks]
    made: list[list[Trajectory]] = []
    for _ in range(2):
        with opened.environment.start() as session, Scorer(opened.environment) as scorer:
            flawing = Flawing(opened.environment, session, scorer, 5)
            made.append([one.trajectory for kind in KINDS[::3] for one in flawing.episodes(assignments, kind, 1)])
    assert made[0] == made[1]
    assert len(made[0]) == len(KINDS[::3])
    assert all(one.verdict is not None and one.verdict.score == 0 for one in made[0])

"""The order of rows."""

from __future__ import annotations

from collections import Counter

import pytest

from envforge.train.data.balance import Candidate, balanced, candidates, row_of
from envforge.train.data.conversation import opening
from envforge.train.data.supply import Supply


@pytest.fixture(scope="module")
def given(supplies: list[Supply]) -> list[Candidate]:
    return [one for supply in supplies for one in candidates(supply, (1, 2, 3))]


@pytest.mark.parametrize("length", [9, 30, 60])
def test_every_beginning_is_balanced_over_families_and_levels(given: list[Candidate], length: int) -> None:
    first = balanced(given, seed=3)[:length]
    families = Counter(one.family for one in first)
    assert max(families.values()) - min(families.values()) <= 1
    there = {(one.family, one.task.difficulty.level): 0 for one in given}
    for one in given:
        there[one.family, one.task.difficulty.level] += 1
    held = Counter((one.family, one.task.difficulty.level) for one in first)
    for family in families:
        # A level may have fewer only where it has no more.
        levels = {level: count for (name, level), count in there.items() if name == family}
        most = max(held[family, level] for level in levels)
        assert all(held[family, level] >= min(most - 1, count) for level, count in levels.items())


def test_every_task_is_there_once_and_the_seed_decides_the_order(given: list[Candidate]) -> None:
    order = [one.task.id for one in balanced(given, seed=3)]
    assert sorted(order) == sorted(one.task.id for one in given)
    assert order == [one.task.id for one in balanced(list(reversed(given)), seed=3)]
    assert order != [one.task.id for one in balanced(given, seed=4)]


def test_only_the_levels_that_are_wanted(browsers: Supply) -> None:
    assert {one.task.difficulty.level for one in candidates(browsers, (4,))} == {4}
    assert not candidates(browsers, (5,))


def test_a_row_says_what_its_task_says(browsers: Supply) -> None:
    task = browsers.tasks.tasks[0]
    row = row_of(Candidate(browsers, task), browsers.placed("train"), "final_answer", 0)
    again = row_of(Candidate(browsers, task), browsers.placed("train"), "final_answer", 1)
    assert (row.task_id, row.level, row.goal) == (task.id, task.difficulty.level, task.intent.family)
    assert row.prompt == opening(task, "final_answer")
    assert task.instruction in row.prompt[1].content and "final_answer" in row.prompt[0].content
    assert row.episode_seed != again.episode_seed < 2**53
    assert [message["role"] for message in row.chat()] == ["system", "user"]

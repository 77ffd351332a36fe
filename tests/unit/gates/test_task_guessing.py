"""What luck finds is no task: truth values, small numbers, one of a few names."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from envforge.core.contracts import TaskCandidate
from envforge.core.errors import ConfigError
from envforge.core.records.environment import GateResult
from envforge.core.records.task import Check
from envforge.gates.solutions import Judge, Player
from envforge.gates.task_case import TaskCase
from envforge.gates.task_guessing import NotGuessed
from envforge.gates.tasks import task_thresholds
from envforge.synth.toolbox import toolbox_of
from envforge.world.environment import Environment

THRESHOLDS = task_thresholds(Path(__file__).parents[3] / "validators/gates/tasks.json")
Tasks = Mapping[str, TaskCandidate]


@pytest.fixture(scope="module")
def player(library: Environment) -> Iterator[Player]:
    with Player(library) as started:
        yield started


def verdict(player: Player, task: TaskCandidate, thresholds: Mapping[str, Any] = THRESHOLDS) -> GateResult:
    def nothing(_: TaskCandidate) -> list[str]:
        return []

    toolbox = toolbox_of(player.environment, THRESHOLDS, coverage=nothing, duplicates=nothing, overlap=nothing)
    with Judge(player.environment, task.checks, "") as judge:
        return NotGuessed().check(TaskCase(task, player, judge, toolbox, thresholds))


def asking(task: TaskCandidate, *answers: Any) -> TaskCandidate:
    """The task with these fields as its whole answer, and nothing to change."""
    checks = [Check(id=f"answer-{n}", kind="answer", path=f"field_{n}", expect=one) for n, one in enumerate(answers)]
    return dataclasses.replace(task, checks=(*checks, Check(id="unchanged", kind="unchanged", weight=0.0)))


LUCK: dict[str, tuple[Any, ...]] = {
    "nothing is asked": (),
    "a truth value": (True,),
    "null": (None,),
    "a small number": (2,),
    "none": (0,),
    "an empty list": ([],),
    "a truth value and a difference of one": (False, 1),
    "one of a few names": ("Nora Whitfield",),
    "a list of one": (["Nora Whitfield"],),
    "a list of one small record": ([{"open": True}],),
}
SOUND: dict[str, tuple[Any, ...]] = {
    "a text that was put together": ("M-4KQ7, late",),
    "a number that one has to count": (17,),
    "a small number that is not whole": (1.6,),
    "two counts": (3, 4),
    "a name and a number": ("Nora Whitfield", 9),
    "several names": (["Nora Whitfield", "Night Trains", "The Lighthouse Keeper's Atlas", "Weather"],),
    "a record of several": ([{"title": "Night Trains", "pages": 310}],),
}


@pytest.mark.parametrize("name", LUCK)
def test_luck_finds_it(name: str, player: Player, library_candidates: Tasks) -> None:
    result = verdict(player, asking(library_candidates["books-at-home"], *LUCK[name]))
    assert not result.passed and "a blind answer is right" in result.reasons[0]


@pytest.mark.parametrize("name", SOUND)
def test_luck_does_not_find_it(name: str, player: Player, library_candidates: Tasks) -> None:
    assert verdict(player, asking(library_candidates["books-at-home"], *SOUND[name])).passed


def test_what_has_to_change_is_not_guessed(player: Player, library_candidates: Tasks) -> None:
    task = library_candidates["take-back"]
    assert verdict(player, task).passed and any(check.kind == "row" for check in task.checks)
    asked = tuple(check for check in task.checks if check.kind in ("answer", "unchanged"))
    assert verdict(player, dataclasses.replace(task, checks=asked)).measured["chance"] > 0


def values_of(player: Player, column: str, table: str) -> int:
    return cast("int", player.environment.reader.own(f"SELECT count(DISTINCT {column}) FROM {table}")[0][0])


def test_a_name_is_one_of_those_in_the_column_with_the_fewest(player: Player, library_candidates: Tasks) -> None:
    found = verdict(player, asking(library_candidates["books-at-home"], "M-4KQ7"))
    everybody, borrowers = values_of(player, "id", "members"), values_of(player, "member_id", "loans")
    assert borrowers < everybody and found.measured["chance"] == round(1 / borrowers, 4)


def test_names_may_come_in_any_order(player: Player, library_candidates: Tasks) -> None:
    """Of a list the chance is that of its length, times that of its names, times the orders that they may come in."""
    task = asking(library_candidates["books-at-home"], ["Nora Whitfield", "Nora Whitfield"])
    found = verdict(player, task, {"not_guessed": {"most_chance": 0.0001}})
    assert found.measured["chance"] == round(1 / 12 * 2 / values_of(player, "author", "books") ** 2, 4)


def test_no_chance_is_above_one(player: Player, library_candidates: Tasks) -> None:
    found = verdict(player, asking(library_candidates["books-at-home"], [True] * 8))
    assert not found.passed and found.measured["chance"] == 1.0


def test_the_threshold_is_needed(player: Player, library_candidates: Tasks) -> None:
    with pytest.raises(ConfigError, match=r"not_guessed\.most_chance"):
        verdict(player, library_candidates["books-at-home"], {})

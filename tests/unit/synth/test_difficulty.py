"""How hard a task is: calls that nobody needs do not count, lucky guesses do."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from envforge.core.contracts import TaskCandidate
from envforge.core.errors import ConfigError
from envforge.core.records.task import Difficulty
from envforge.gates.solutions import Player
from envforge.gates.tasks import task_thresholds
from envforge.synth.dataflow import Facts, Memory, depth_of, sources, untrue
from envforge.synth.difficulty import difficulty_of, level_of
from envforge.world.environment import Environment

THRESHOLDS = task_thresholds(Path(__file__).parents[3] / "validators/gates/tasks.json")
Tasks = Mapping[str, TaskCandidate]


@pytest.fixture(scope="module")
def player(library: Environment) -> Iterator[Player]:
    with Player(library) as started:
        yield started


def measured(player: Player, task: TaskCandidate, program: str = "") -> Difficulty:
    changed = dataclasses.replace(task, program=program or task.program, alternatives=())
    return difficulty_of(player, changed, player.play(changed.program), THRESHOLDS)


def test_the_calls_of_a_plain_task(player: Player, library_candidates: Tasks) -> None:
    found = measured(player, library_candidates["books-at-home"])
    assert (found.minimal_calls, found.tools, found.depth, found.writes) == (3, 2, 2, 0)
    lend = measured(player, library_candidates["lend-what-is-free"])
    assert (lend.minimal_calls, lend.writes, lend.branches, lend.distractors) == (4, 1, 1, 1)


def test_needless_calls_do_not_count(player: Player, library_candidates: Tasks) -> None:
    task = library_candidates["books-at-home"]
    padded = task.program.replace(
        "    loans = ",
        '    call("get_book", book_id=104)\n    call("search_books", query="Weather")\n'
        '    call("list_loans", member_id=card)\n    loans = ',
        1,
    )
    assert padded != task.program
    assert len(player.play(padded).steps) == 6
    assert measured(player, task, padded).minimal_calls == 3


def test_a_shorter_solution_of_the_family_counts(player: Player, library_candidates: Tasks) -> None:
    task = library_candidates["lend-what-is-free"]
    gold = player.play(task.program)
    found = difficulty_of(player, task, gold, THRESHOLDS)
    assert len(gold.steps) == 4 and found.minimal_calls == 3, "it tries to lend, where the gold looks first"


def test_a_read_that_decides_is_needed_although_a_guess_would_do(player: Player, library_candidates: Tasks) -> None:
    """The title of a book decides; it stands in no later call and in no answer."""
    task = library_candidates["take-back"]
    program = """def solve(call):
    for loan in call("list_loans", member_id="M-7TQ2")["loans"]:
        if loan["open"] and call("get_book", book_id=loan["book_id"])["title"] == "Night Trains":
            done = call("return_book", loan_id=loan["id"])
    return {"fine": done["fine"]}
"""
    assert measured(player, task, program).minimal_calls == 4


@pytest.mark.parametrize("order", ["", ", reverse=True"])
def test_rows_that_come_out_last_were_read(order: str, player: Player, library_candidates: Tasks) -> None:
    """Who names the oldest or the newest book has looked at all of them."""
    program = f"""def solve(call):
    books = [call("get_book", book_id=key) for key in (101, 102, 103, 104)]
    dated = [book for book in books if book["published"]]
    first = sorted(dated, key=lambda book: (book["published"], book["title"]){order})[0]
    return {{"titles": [first["title"]]}}
"""
    assert measured(player, library_candidates["books-at-home"], program).minimal_calls == 4


def test_what_a_read_rules_out_is_needed(player: Player, library_candidates: Tasks) -> None:
    """Books of one author among four: of the others too it had to be seen who wrote them."""
    program = """def solve(call):
    books = [call("get_book", book_id=key) for key in (101, 102, 103, 104)]
    author = sorted(book["author"] for book in books if book["author"])[-2]
    return {"titles": [book["book_id"] for book in books if book["author"] == author]}
"""
    assert measured(player, library_candidates["books-at-home"], program).minimal_calls == 4


def test_what_was_seen_is_told_rightly_and_the_rest_wrongly() -> None:
    earlier = [{"items": [{"id": "a-1", "name": "Ada"}]}]

    def told(result: Any, *ids: str) -> Any:
        memory = Memory(Facts({("id", one) for one in ids}))
        for seen in earlier:
            memory.add(seen)
        return memory.tell(result, untrue)

    ada = {"id": "a-1", "name": "Ada", "tier": None, "age": 3}
    assert told(ada, '"a-1"') == {"id": "a-1", "name": "Ada", "tier": "(unknown)", "age": None}
    assert told({"id": "b-2", "name": "Ada"}, '"a-1"', '"b-2"') == {"id": None, "name": None}
    assert told({"items": []}) == {"items": [None]}
    assert told({"again": [{"id": "a-1", "name": "Ada"}]}, '"a-1"')["again"] == earlier[0]["items"]
    assert told({"id": 1, "name": "Ada"}, "1", "true") == {"id": None, "name": None}, "true is not the number 1"


def test_a_list_is_known_by_what_it_is_about_only() -> None:
    """That another thing has none, or the same words, says nothing of this one."""
    memory = Memory(Facts({("id", '"p-1"'), ("id", '"p-2"')}))
    memory.add({"project": {"id": "p-1", "tags": ["old"], "parts": []}})
    assert memory.tell({"id": "p-2", "tags": ["old"], "parts": []}, untrue) == {
        "id": None,
        "tags": [None, None],
        "parts": [None],
    }
    same = {"id": "p-1", "tags": ["old"], "parts": []}
    assert memory.tell(same, untrue) == same


def test_a_number_is_no_key_because_some_key_has_its_value() -> None:
    memory = Memory(Facts({("id", "1"), ("id", "2")}))
    memory.add({"id": 1, "files": 2, "lines": 7})
    assert memory.tell({"id": 2, "files": 2, "lines": 7}, untrue) == {"id": None, "files": None, "lines": None}


def test_what_is_nested_is_told_by_its_own_ids() -> None:
    """Rows inside rows, as many as there are: each by what was seen of it, not of the one around it."""
    lead = {"id": "u-1", "name": "Ada", "home": {"city": "Aldby"}}
    memory = Memory(Facts({("id", '"p-1"'), ("id", '"u-1"'), ("id", '"u-2"')}))
    memory.add({"project": {"id": "p-1", "title": "Roof", "lead": lead}})
    memory.add({"flags": {"id": True, "name": "Ada"}})
    team = [{**lead, "home": {"city": "Quay"}}, {"id": "u-2", "name": "Ada"}]
    told = memory.tell({"id": "p-1", "title": "Roof", "lead": {**lead, "age": 3}, "team": team}, untrue)
    assert told == {
        "id": "p-1",
        "title": "Roof",
        "lead": {"id": "u-1", "name": "Ada", "home": {"city": None}, "age": None},
        "team": [
            {"id": "u-1", "name": "Ada", "home": {"city": None}},
            {"id": None, "name": None},
            {"id": None, "name": None, "home": {"city": None}},
        ],
    }


def test_data_flow(player: Player, library_candidates: Tasks) -> None:
    task = library_candidates["take-back"]
    gold = player.play(task.program)
    needs = sources(gold.steps, task.intent.said, gold.answer)
    assert needs[0] == set() and needs[1] == {0} and depth_of(needs) == 2


def test_levels_rise() -> None:
    measures = [name for name in THRESHOLDS["difficulty"] if name != "aside"]
    easy, hard = dict.fromkeys(measures, 0), dict.fromkeys(measures, 1000)
    assert level_of(easy, THRESHOLDS) == 1 and level_of(hard, THRESHOLDS) == 5
    levels = [level_of({**easy, "minimal_calls": calls}, THRESHOLDS) for calls in range(60)]
    assert levels == sorted(levels)
    with pytest.raises(ConfigError, match=r"difficulty\.tools"):
        level_of({"tools": 1}, {"difficulty": {}})
    with pytest.raises(ConfigError, match=r"difficulty\.aside"):
        level_of(easy, {"difficulty": {name: row for name, row in THRESHOLDS["difficulty"].items() if name != "aside"}})


def test_what_a_goal_need_not_have_makes_it_no_easier() -> None:
    """A long batch without pages and distractors is as hard as one with them; one without length is not."""
    hard = dict.fromkeys([name for name in THRESHOLDS["difficulty"] if name != "aside"], 1000)
    assert level_of({**hard, "pages": 0, "distractors": 0}, THRESHOLDS) == 5
    assert level_of({**hard, "pages": 0, "distractors": 0, "writes": 0, "branches": 0}, THRESHOLDS) < 5
    assert level_of({**hard, "minimal_calls": 1}, THRESHOLDS) < 5

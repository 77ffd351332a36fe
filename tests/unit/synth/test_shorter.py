"""The search for a shorter solution: each move on a wasteful gold, and shortcuts that only look like some."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from envforge.core.contracts import TaskCandidate
from envforge.core.errors import ConfigError
from envforge.core.records.intent import AnswerField
from envforge.gates.solutions import Player
from envforge.synth import shorter
from envforge.synth.alternatives import alternatives
from envforge.synth.semantics import Semantics
from envforge.synth.shorter import Shorter, shorter_solution
from envforge.synth.shorter_rules import LargestPages, is_shortcut, program_with, shortcuts_in
from envforge.world.environment import Environment

from .depot import write

PAGES = """def pages_of(call):
    def pages(tool, **arguments):
        found = []
        while True:
            result = call(tool, **arguments)
            found.extend(result["items"])
            if not result.get("next_cursor"):
                return found
            arguments = {**arguments, "cursor": result["next_cursor"]}

    return pages


def solve(call):
    pages = pages_of(call)
"""
ALL = f"{PAGES}    parcels = pages('list_parcels', limit=5)\n"
KEYS = "('par-01', 'par-03', 'par-05', 'par-07', 'par-09', 'par-11')"
LOOK_UP = f"def solve(call):\n    found = [call('get_parcel', parcel_id=key)['parcel'] for key in {KEYS}]\n"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return Environment.open(write(tmp_path_factory.mktemp("environments") / "depot"))


@pytest.fixture(scope="module")
def player(environment: Environment) -> Iterator[Player]:
    with Player(environment) as started:
        yield started


@pytest.fixture
def task(library_candidates: Mapping[str, TaskCandidate]) -> TaskCandidate:
    """Any candidate, with a goal that asks for `found`."""
    candidate = library_candidates["books-at-home"]
    said: dict[str, Any] = {"depot": "Quay"}
    answer = {"found": AnswerField(sql="SELECT 1", description="What was found.")}
    intent = candidate.intent.model_copy(update={"said": said, "answer": answer, "expect": (), "parameters": {}})
    return dataclasses.replace(candidate, intent=intent, alternatives=())


def searched(player: Player, task: TaskCandidate, program: str, without: tuple[str, ...] = ()) -> Shorter | None:
    """What is found where some tools are not known."""
    semantics = Semantics(player.environment)
    semantics.tools = {name: tool for name, tool in semantics.tools.items() if name not in without}
    return shorter_solution(player, semantics, dataclasses.replace(task, program=program), player.play(program))


def found(player: Player, task: TaskCandidate, program: str, without: tuple[str, ...] = ()) -> tuple[int, Any]:
    """Calls of the shorter solution and its moves; it answers what the gold does."""
    gold = player.play(program)
    assert not gold.failure, gold.failure
    result = searched(player, task, program, without)
    if result is None:
        return len(gold.steps), ()
    played = player.play(result.program)
    assert played.answer == gold.answer and played.changeset == gold.changeset
    assert played.steps == result.played.steps and len(played.steps) < len(gold.steps)
    return len(played.steps), shortcuts_in(result.program)


def test_rows_of_a_list(player: Player, task: TaskCandidate) -> None:
    """Six look-ups: their weights stand on two pages of the depot's list; their titles are cut there."""
    weights = f"{LOOK_UP}    return {{'found': [one['weight'] for one in found]}}\n"
    assert found(player, task, weights) == (2, ("rows_of_a_list",))
    titles = f"{LOOK_UP}    return {{'found': [one['title'] for one in found]}}\n"
    assert found(player, task, titles) == (6, ())


def test_a_field_that_the_list_lacks_is_not_taken_for_empty(player: Player, task: TaskCandidate) -> None:
    """No parcel has a note: a row without the field counts alike, by luck."""
    program = f"{LOOK_UP}    return {{'found': sum(one.get('note') is None for one in found)}}\n"
    assert found(player, task, program) == (6, ())


def test_the_filter_of_a_list(player: Player, task: TaskCandidate) -> None:
    """By a choice that the program names, by an id that was shown alone; not by what nobody said."""
    states = f"{ALL}    return {{'found': [p['weight'] for p in parcels if p['status'] == 'cancelled']}}\n"
    assert found(player, task, states) == (1, ("list_filter",))
    program = (
        f"{ALL}    depot = call('find_depots', name='Quay')['items'][0]['id']\n"
        "    return {'found': [p['weight'] for p in parcels if p['depot_id'] == depot]}\n"
    )
    assert found(player, task, program) == (4, ()), "the depot is known only after the list was read"
    lines = program.splitlines(keepends=True)
    depot_first = "".join([*lines[:-3], lines[-2], lines[-3], lines[-1]])
    assert found(player, task, depot_first, ("list_depots",))[0] == 3
    assert found(
        player, task, f"{ALL}    return {{'found': [p['weight'] for p in parcels if p['weight'] > 110]}}\n"
    ) == (
        3,
        (),
    )


def test_a_filter_that_fits_by_luck(player: Player, task: TaskCandidate) -> None:
    """Cancelled parcels weigh 106 and 107; who looks for those weights does not know that they are cancelled."""
    program = (
        f"{ALL}    states = ['cancelled']\n"
        "    return {'found': [p['title'] for p in parcels if p['weight'] in (106, 107)] + states}\n"
    )
    assert found(player, task, program) == (3, ())


def test_larger_pages(player: Player, task: TaskCandidate) -> None:
    program = f"{PAGES}    return {{'found': sum(p['weight'] for p in pages('list_parcels'))}}\n"
    assert found(player, task, program) == (3, ("largest_pages",))


def test_a_count_instead_of_a_list(player: Player, task: TaskCandidate) -> None:
    """The count of all is right, the tally leaves the cancelled ones out."""
    program = f"{ALL}    return {{'found': len(parcels)}}\n"
    assert found(player, task, program) == (1, ("count_only",))
    assert found(player, task, program, ("count_parcels",)) == (3, ())
    weights = f"{ALL}    return {{'found': sum(p['weight'] > 0 for p in parcels)}}\n"
    assert found(player, task, weights) == (3, ())


def test_a_count_of_what_a_filter_lets_through(player: Player, task: TaskCandidate) -> None:
    """Seven wait, on two pages: the filter makes them two calls, the count one."""
    program = f"{ALL}    return {{'found': sum(p['status'] == 'waiting' for p in parcels)}}\n"
    assert found(player, task, program) == (1, ("count_only", "list_filter"))


def test_rows_that_were_seen(player: Player, task: TaskCandidate) -> None:
    program = f"{ALL}    return {{'found': call('get_parcel', parcel_id=parcels[0]['id'])['parcel']['KEY']}}\n"
    weight, title = program.replace("KEY", "weight"), program.replace("KEY", "title")
    long = title.replace("parcels[0]", "parcels[1]")
    assert found(player, task, weight) == (3, ("seen_rows",))
    assert found(player, task, long) == (4, ()), "the list cuts the title"


def test_what_changed_since_it_was_seen_is_looked_up(player: Player, task: TaskCandidate) -> None:
    program = (
        f"{ALL}    call('collect_parcel', parcel_id='par-01')\n"
        "    now = call('get_parcel', parcel_id='par-01')['parcel']['status']\n"
        "    return {'found': [now, sum(p['weight'] for p in parcels)]}\n"
    )
    assert found(player, task, program) == (5, ())


DIRECT = """def solve(call):
    depot = call("find_depots", name="NAME")["items"][0]
    parcels = call("list_parcels", depot_id=depot["id"], limit=5)["items"]
    return {"found": [p["weight"] for p in parcels]}
"""


def test_a_direct_look_up(player: Player, task: TaskCandidate) -> None:
    """The list takes the name of a depot; but "North" is the beginning of "Northgate" too."""
    assert found(player, task, DIRECT.replace("NAME", "Quay")) == (1, ("direct_lookup",))
    north = DIRECT.replace("NAME", "North").replace("[p[", "len(parcels) == 5 or [p[")
    assert found(player, task, DIRECT.replace("NAME", "North").replace("limit=5", "limit=5, status='waiting'")) == (
        2,
        (),
    )
    assert found(player, task, north)[0] == 1


def test_an_alternative_enters_by_the_list_that_shows_what_is_looked_up(player: Player, task: TaskCandidate) -> None:
    """A depot is found among the depots; by a name, or where no list needs no key, there is no such way."""
    semantics = Semantics(player.environment)

    def entries(body: str, *without: str) -> list[tuple[str, list[str], Any]]:
        program = f"def solve(call):\n    return {{'found': {body}}}\n"
        gold = player.play(program)
        assert not gold.failure, gold.failure
        semantics.tools = {name: tool for name, tool in semantics.tools.items() if name not in without}
        made = alternatives(semantics, dataclasses.replace(task, program=program), gold)
        others = [one for one in made if one.operator == "other-entry"]
        played = [player.vary(program, gold, one) for one in others]
        return [
            (one.place, [step.tool for step in again.steps], again.answer == gold.answer)
            for one, again in zip(others, played, strict=True)
        ]

    looked_up = "call('get_depot', depot_id='dep-3')['depot']['city']"
    assert entries(looked_up) == [("list_depots", ["list_depots"], True)]
    assert entries("call('find_depots', name='Quay')['items'][0]['id']") == []
    assert entries(looked_up, "list_depots") == []


def test_the_budget_is_kept(player: Player, task: TaskCandidate, monkeypatch: pytest.MonkeyPatch) -> None:
    program = f"{ALL}    return {{'found': sum(p['status'] == 'waiting' for p in parcels)}}\n"
    full = searched(player, task, program)
    assert full is not None and full.states <= shorter.MOST_STATES and full.calls <= shorter.MOST_CALLS
    monkeypatch.setattr(shorter, "MOST_STATES", 0)
    assert searched(player, task, program) is None
    monkeypatch.setattr(shorter, "MOST_STATES", 40)
    monkeypatch.setattr(shorter, "MOST_CALLS", 0)
    assert searched(player, task, program) is None


def test_the_same_search_finds_the_same(player: Player, task: TaskCandidate) -> None:
    program = f"{ALL}    return {{'found': sum(p['status'] == 'waiting' for p in parcels)}}\n"
    one, other = searched(player, task, program), searched(player, task, program)
    assert one is not None and other is not None
    assert (one.program, one.states, one.calls) == (other.program, other.states, other.calls)
    changed = one.gold_of(dataclasses.replace(task, program=program))
    assert changed.alternatives[0] == program and searched(player, changed, changed.program) is None


def test_shortcuts_stand_before_the_solution() -> None:
    rules = (LargestPages("list_parcels", "limit", 5),)
    program = program_with(f"{PAGES}    return {{}}\n", rules)
    assert shortcuts_in(program) == ("largest_pages",) and shortcuts_in(PAGES + "    return {}\n") == ()
    assert program.index("def largest_pages_1(call):") < program.index(
        "def solve(call):\n    call = largest_pages_1(call)"
    )
    assert not is_shortcut("pages_of") and not is_shortcut("largest_pages")
    with pytest.raises(ConfigError, match="no `def solve"):
        program_with("x = 1\n", rules)

"""A desk judges a candidate whose gold is wasteful: a shorter one takes its place, by the same gates."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from envforge.core.records.blueprint import Blueprint
from envforge.core.records.environment import EnvironmentBlueprint
from envforge.core.records.intent import IntentFamily
from envforge.factory.judgements import JudgementLog
from envforge.factory.judging import LEVELS, Desk, Judgement, JudgeSetup
from envforge.gates.tasks import task_thresholds
from envforge.synth.author import CompiledTaskAuthor, Proposal
from envforge.synth.shorter_rules import shortcuts_in
from envforge.world.environment import Environment

from ..synth.depot import write

ROOT = Path(__file__).parents[3]
WEIGHTS = IntentFamily.model_validate(
    {
        "id": "weights-of-a-depot",
        "kind": "question",
        "title": "What the parcels of a depot weigh",
        "parameter_sets": "SELECT id AS depot FROM depots",
        "mentions": {"name": {"sql": "SELECT name FROM depots WHERE id = :depot", "say": "text"}},
        "target": "SELECT id, status FROM parcels WHERE depot_id = :depot",
        "policy": "row.status == 'waiting'",
        "sizes": [2, 20],
        "answer": {
            "weights": {
                "sql": "SELECT weight FROM parcels WHERE depot_id = :depot AND status = 'waiting'",
                "match": "set",
                "json_type": "array",
                "item_type": "integer",
                "description": "Weights of the parcels in grams.",
            }
        },
        "gold": "depot = next(one for one in call('find_depots', name=name)['items'] if one['name'] == name)\n"
        "keys = [one['id'] for one in pages('list_parcels', depot_id=depot['id'])]\n"
        "parcels = [call('get_parcel', parcel_id=key)['parcel'] for key in keys]\n"
        "return {'weights': [one['weight'] for one in parcels if one['status'] == 'waiting']}",
        "wording": {
            "text": ["Look at the depot {target}. {report}{policy}."],
            "target": ["called {name}"],
            "policy": [" of those that are still waiting"],
            "report": ["I need the weights of its parcels,"],
        },
    }
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("environments") / "depot")


@pytest.fixture(scope="module")
def proposal(folder: Path) -> Proposal:
    knowledge = EnvironmentBlueprint(blueprint=Blueprint(theme="depot", title="Depot", tables=(), operations=()))
    author = CompiledTaskAuthor(Environment.open(folder), knowledge, [(WEIGHTS, "archetype")], seed=1)
    found = [one for one in author.proposals() if isinstance(one, Proposal)]
    return next(one for one in found if one.candidate.intent.said["name"] == "Quay")


def desk_at(folder: Path, levels: tuple[int, ...] = LEVELS) -> Desk:
    thresholds = dict(task_thresholds(ROOT / "validators/gates/tasks.json"))
    return Desk(JudgeSetup(folder, thresholds, ROOT / "validators/benchmarks/ngrams.json", 0, levels))


@pytest.fixture(scope="module")
def desk(folder: Path) -> Iterator[Desk]:
    desk = desk_at(folder)
    yield desk
    desk.close()


@pytest.fixture(scope="module")
def judgement(desk: Desk, proposal: Proposal) -> Judgement:
    return desk.judge(proposal)


def test_the_shorter_gold_is_the_task(judgement: Judgement) -> None:
    """Nine calls as written; the list takes the depot's name and a state, and shows the weights."""
    assert judgement.failed is None, judgement.failed
    assert judgement.difficulty is not None
    assert shortcuts_in(judgement.program) == ("list_filter", "direct_lookup", "seen_rows")
    assert judgement.difficulty.shortcuts == shortcuts_in(judgement.program)
    assert len(judgement.gold) == judgement.difficulty.minimal_calls == 1
    assert judgement.difficulty.saved_calls == 8


def test_what_ships_is_judged_alike(desk: Desk, proposal: Proposal, judgement: Judgement) -> None:
    """As `tasks verify` has it: the gold of the file, the written solution as an alternative."""
    written = proposal.candidate
    alternatives = (written.program, *written.alternatives)
    shipped = dataclasses.replace(written, program=judgement.program, alternatives=alternatives)
    again = desk.judge(dataclasses.replace(proposal, candidate=shipped))
    assert dataclasses.replace(again, program=judgement.program) == judgement and not again.program


def test_the_level_is_that_of_the_shorter_gold(folder: Path, proposal: Proposal, judgement: Judgement) -> None:
    assert judgement.difficulty is not None
    level = judgement.difficulty.level
    desk = desk_at(folder, tuple(other for other in LEVELS if other != level))
    try:
        refused = desk.judge(proposal).failed
    finally:
        desk.close()
    assert refused is not None and refused.gate == "level" and f"level {level} " in refused.reasons[0]


def test_the_log_keeps_the_program(tmp_path: Path, proposal: Proposal, judgement: Judgement) -> None:
    JudgementLog(tmp_path / "judgements.jsonl").add(proposal.candidate, judgement)
    kept = JudgementLog(tmp_path / "judgements.jsonl").known(proposal.candidate)
    assert kept is not None and kept.program == judgement.program and kept.difficulty == judgement.difficulty

"""Goals of an environment: the same when found, when remembered, and after they went through a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from envforge.core.errors import StoreError
from envforge.core.ids import canonical_json
from envforge.factory.families import goals_of, knowledge_of
from envforge.store.files import read_json
from envforge.synth.author import CompiledTaskAuthor, Proposal
from envforge.world.environment import Environment


@pytest.fixture
def environment(ferry: Path) -> Environment:
    return Environment.open(ferry / "environments" / "ferry")


@pytest.mark.slow
def test_found_and_remembered_goals_are_the_same(environment: Environment, tmp_path: Path) -> None:
    kept = tmp_path / "goals.json"
    found = goals_of(environment, 0, kept=kept)
    assert found.graph is not None and {source for _, source in found.families} == {"archetype", "walk"}
    written = kept.read_bytes()
    assert read_json(kept)["left_out"], "walks propose goals that nobody would say"
    remembered = goals_of(environment, 0, kept=kept)
    assert remembered == found and kept.read_bytes() == written
    orders = [[list(family.answer) for family, _ in goals.families] for goals in (found, remembered)]
    assert orders[0] == orders[1], "an answer's fields in another order are another task"
    kept.write_bytes(written[:500])
    assert goals_of(environment, 0, kept=kept) == found and kept.read_bytes() == written


def test_a_goal_that_went_through_a_file_is_written_alike(environment: Environment) -> None:
    families = goals_of(environment, 0, walk=False).families
    author = CompiledTaskAuthor(environment, knowledge_of(environment), families, 0)
    known = {family.id: family for family, _ in families}
    found = [item for item, _ in zip(author.proposals(), range(12), strict=False) if isinstance(item, Proposal)]
    assert len(found) > 5
    for item in found:
        intent = type(item.candidate.intent).model_validate_json(canonical_json(item.candidate.intent.to_json()))
        again = author.proposal(known[intent.family], intent)
        assert (again.words, again.template) == (item.words, item.template)
        for part in ("id", "kind", "instruction", "checks", "answer_schema", "rubric", "register"):
            assert getattr(again.candidate, part) == getattr(item.candidate, part), part


def test_a_blueprint_that_is_none(environment: Environment, tmp_path: Path) -> None:
    (tmp_path / "blueprint.json").write_text('{"blueprint": 3}', encoding="utf-8")
    with pytest.raises(StoreError, match="is no blueprint"):
        knowledge_of(replace(environment, folder=tmp_path))

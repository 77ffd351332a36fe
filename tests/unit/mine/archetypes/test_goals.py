"""Goals files: relations are written out, shared words are taken over, strangers are refused."""

from __future__ import annotations

from typing import Any

import pytest

from envforge.core.errors import ConfigError
from envforge.mine.archetypes.goals import families_of


def content(**changes: Any) -> dict[str, Any]:
    family: dict[str, Any] = {
        "id": "late",
        "target": "SELECT l.id FROM $late l",
        "gold": "return {'cost': '$late'}",
        "wording": {"text": ["{greeting} What is late?"], "greeting/terse": ["Hm."]},
    }
    return {
        "relations": {"loans": "SELECT id, due FROM @loan", "late": "SELECT id FROM $loans WHERE due < :day"},
        "words": {"greeting": ["{day}, all!"], "day": ["Morning"], "bye": ["Ta."]},
        "intents": [{**family, **changes}],
    }


def test_relations_are_written_out_in_queries_only() -> None:
    family = families_of(content(), "goals.yaml")[0]
    late = "(SELECT id FROM (SELECT id, due FROM @loan) WHERE due < :day)"
    assert family["target"] == f"SELECT l.id FROM {late} l"
    assert family["gold"] == "return {'cost': '$late'}"


def test_a_family_takes_over_the_banks_that_it_leads_to() -> None:
    family = families_of(content(), "goals.yaml")[0]
    assert family["wording"]["greeting"] == ["{day}, all!"] and family["wording"]["day"] == ["Morning"]
    assert family["wording"]["greeting/terse"] == ["Hm."]
    assert "bye" not in family["wording"]


def test_its_own_bank_wins() -> None:
    own = content(wording={"text": ["{greeting}"], "greeting": ["Hello."]})
    assert families_of(own, "goals.yaml")[0]["wording"] == {"text": ["{greeting}"], "greeting": ["Hello."]}


def test_an_unknown_relation_is_named_with_its_place() -> None:
    with pytest.raises(ConfigError, match=r"\$lost is no relation") as caught:
        families_of(content(target="SELECT 1 FROM $lost"), "goals.yaml")
    assert caught.value.where == "goals.yaml: intents.late.target"


def test_a_relation_may_name_earlier_ones_only() -> None:
    turned = {**content(), "relations": {"late": "SELECT id FROM $loans", "loans": "SELECT id FROM @loan"}}
    with pytest.raises(ConfigError, match=r"\$loans is no relation"):
        families_of(turned, "goals.yaml")


@pytest.mark.parametrize("change", [{"relation": {}}, {"relations": {"loans": 3}}])
def test_strangers_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as caught:
        families_of({**content(), **change}, "goals.yaml")
    assert caught.value.remedy

from __future__ import annotations

import dataclasses
from typing import Any

from envforge.publish.card.limits import limits
from envforge.publish.published import Published


def with_mutation(published: Published, measured: dict[str, Any]) -> Published:
    first = published.environments[0]
    gates = tuple(
        gate.model_copy(update={"measured": measured}) if gate.gate == "mutation" else gate
        for gate in first.certificate.gates
    )
    certificate = first.certificate.model_copy(update={"gates": gates})
    return dataclasses.replace(published, environments=(dataclasses.replace(first, certificate=certificate),))


def test_faults_that_went_unnoticed_are_told_with_their_kind(published: Published) -> None:
    measured = {"mutants": 40, "killed": 31, "by_operator": {"off-by-one": "1/8", "value-swapped": "30/32"}}
    told = limits(with_mutation(published, measured))
    assert "let 9 of 40 planted faults pass; weakest: off-by-one 1 of 8 found." in told and "value-swapped" not in told


def test_where_all_were_noticed_nothing_is_told(published: Published) -> None:
    assert "planted" not in limits(with_mutation(published, {"mutants": 40, "killed": 40, "by_operator": {}}))


def test_texts_that_were_kept_are_not_called_gone(published: Published) -> None:
    first = published.environments[0]
    manifest = first.manifest.model_copy(update={"facts_only": False, "statistics": {}})
    whole = dataclasses.replace(published, environments=(dataclasses.replace(first, manifest=manifest),))
    assert "facts-only" in limits(published) and "facts-only" not in limits(whole)
    assert "a part of its sources only" in limits(published) and "a part of its sources only" not in limits(whole)


def test_tools_that_no_source_states_are_not_said_to_be_its(published: Published) -> None:
    second = published.environments[1]
    counts = {"operations": {"stated": 9, "distinct": 7, "shipped": 0}}
    manifest = second.manifest.model_copy(update={"statistics": counts})
    none = dataclasses.replace(published, environments=(dataclasses.replace(second, manifest=manifest),))
    assert "29 different operations; 24 are tools here." in limits(published)
    told = (
        "7 different operations; none is a tool here: the tools are those of the archetype `collaborative-workspace`."
    )
    assert told in limits(none)

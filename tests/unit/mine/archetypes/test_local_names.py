"""Columns that an archetype adds are called by the word the schema has for what they refer to."""

from __future__ import annotations

import pytest
from tests.unit.mine.archetypes.test_logistics_tracking import filled

from envforge.core.records.archetype import RoleField
from envforge.mine.archetypes.local_names import _local  # pyright: ignore[reportPrivateUsage]
from envforge.mine.archetypes.refs import BoundRole


def target(entity: str) -> BoundRole:
    return BoundRole(f"{entity}s", entity, entity, "id", "string", {})


@pytest.mark.parametrize(
    ("column", "role", "synonyms", "entity", "called"),
    [
        ("collect_branch_id", "branch", ("pickup",), "shed", "collect_shed_id"),
        ("on_round_id", "route", ("route", "round"), "outing", "on_outing_id"),
        ("of_order_id", "sale", ("order",), "order", "of_order_id"),
        ("ordered_variant_id", "variant", ("sku",), "product_variant", "ordered_variant_id"),
        ("owed_by_id", "borrower", ("member",), "neighbour", "owed_by_id"),
        ("branch_id", "branch", (), "site", "branch_id"),
    ],
)
def test_the_word_for_the_target_is_the_one_of_the_schema(
    column: str, role: str, synonyms: tuple[str, ...], entity: str, called: str
) -> None:
    field = RoleField(references=role, synonyms=synonyms)
    assert _local(column, field, target(entity), {"site_id"}) == called


def test_answers_are_called_by_the_words_of_the_schema_too() -> None:
    told = next(one for one in filled(0).operations if one.name == "get_outing").returns["properties"]
    assert {"outing", "runner_name", "van_plate", "consignments"} <= set(told)
    assert not {"driver_name", "vehicle_plate", "shipments"} & set(told)

"""Columns that an archetype adds are called by the word the schema has for what they refer to."""

from __future__ import annotations

import pytest

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

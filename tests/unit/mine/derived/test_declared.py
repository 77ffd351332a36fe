"""What an archetype's histories and figures bring is written out when it is loaded; faults are named by their place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from envforge.core.errors import ConfigError
from envforge.mine.archetypes import load_archetype

ROOT = Path(__file__).parents[4] / "themes" / "archetypes"
Change = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    ("name", "table", "figures"),
    [
        ("customer-support", "ticket_history", ["unsolved_tickets"]),
        ("orders-inventory", "order_history", ["open_orders", "ordered_cents"]),
    ],
)
def test_they_bring_a_table_a_tool_and_fields(name: str, table: str, figures: list[str]) -> None:
    archetype = load_archetype(ROOT / f"{name}.yaml")
    assert table in {one.name for one in archetype.tables}
    assert archetype.operations[-1].name == f"list_{table}"
    added = archetype.roles["customer"].fields
    assert all(added[one].add is not None and not added[one].synonyms for one in figures)


@pytest.mark.parametrize("name", ["reservations", "collaborative-workspace", "reference-curation"])
def test_what_ships_has_none(name: str) -> None:
    archetype = load_archetype(ROOT / f"{name}.yaml")
    assert archetype.histories == () and archetype.figures == ()


FAULTS: list[tuple[Change, str]] = [
    (lambda a: a["histories"][0].update(state="@ticket.priority"), "has no lifecycle of @ticket.priority"),
    (lambda a: a["histories"][0].update(milestones={"lost": "@ticket.solved"}), "'lost' is no state"),
    (lambda a: a["histories"][0]["detours"][0].update(through=["lost"]), "'lost' is no state"),
    (lambda a: a["histories"][0].update(actor="@ticket.subject"), "refers to nobody"),
    (lambda a: a["histories"][0].update(table="ticket_tags"), "is there already"),
    (lambda a: a["roles"]["ticket"].update(required=False), "@ticket may not be there"),
    (lambda a: a["figures"][0].update(fn="sum"), "a sum has a measure"),
    (lambda a: a["figures"][0].update(column="email"), "has such a field"),
    (lambda a: a["figures"][0].update(table="group_agents"), "no table with one key"),
]


@pytest.mark.parametrize(("change", "words"), FAULTS)
def test_what_cannot_be_is_refused_by_place(tmp_path: Path, change: Change, words: str) -> None:
    content = yaml.safe_load((ROOT / "customer-support.yaml").read_text(encoding="utf-8"))
    change(content)
    path = tmp_path / "archetypes" / "broken.yaml"
    path.parent.mkdir()
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    with pytest.raises(ConfigError, match=words) as caught:
        load_archetype(path)
    assert str(path) in caught.value.where
    assert "history" in caught.value.where or "figure" in caught.value.where

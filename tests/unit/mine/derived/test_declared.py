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
    (lambda a: a["histories"][0].update(of="nothing"), "nothing has no lifecycle"),
    (lambda a: a["histories"][0].update(table="Ticket History"), "'Ticket History' is no name"),
    (lambda a: a["histories"][0].update(created="@ticket.born"), "created: @ticket has no @ticket.born"),
    (lambda a: a["histories"][0].update(latest="updated_at"), "latest: @ticket has no updated_at"),
    (lambda a: a["histories"][0].update(actor="@comment.agent"), "actor: @ticket has no @comment.agent"),
    (lambda a: a["histories"][0]["milestones"].update(solved="@ticket.over"), "solved: @ticket has no @ticket.over"),
    (lambda a: milestone(a, table="nothing"), "milestones, solved, by: there is no table nothing"),
    (lambda a: milestone(a, by="@comment.nobody"), "milestones, solved, by: @comment has no @comment.nobody"),
    (lambda a: milestone(a, column="@comment.never"), "milestones, solved, column: @comment has no @comment.never"),
    (lambda a: a["histories"][0]["detours"][0].update(through=["new"]), "nothing leads from open to new"),
    (lambda a: a["histories"][0]["detours"][0].update(through=["open"]), "nothing leads from open to open"),
    (lambda a: a["figures"][0].update(of="@nothing"), "there is no table @nothing"),
    (lambda a: a["figures"][0].update(of="ticket_history"), "ticket_history is a history"),
    (lambda a: a["figures"][0].update(by="@ticket.nobody"), "by: @ticket has no @ticket.nobody"),
    (lambda a: a["figures"][0].update(fn="sum", measure="@ticket.subject"), "@ticket.subject is no whole number"),
    (lambda a: a["figures"][0].update(column="open tickets"), "'open tickets' is no name"),
    (lambda a: a["figures"][0].update(where={"@ticket.mood": ["new"]}), "@ticket has no @ticket.mood"),
    (lambda a: a["figures"][0].update(where={"@ticket.state": ["lost"]}), "'lost' is no state"),
    (lambda a: a["figures"][0].update(where={"@ticket.state": []}), "no value is named"),
    (lambda a: a["figures"].append(circular(a)), "unsolved_tickets is a figure itself"),
]


def milestone(archetype: dict[str, Any], **wrong: str) -> None:
    """A milestone in another table, right but for what is given."""
    right = {"table": "@comment", "by": "@comment.ticket", "column": "@comment.created"}
    archetype["histories"][0]["milestones"]["solved"] = right | wrong


def circular(archetype: dict[str, Any]) -> dict[str, Any]:
    """A figure of customers that adds up one of customers."""
    name = archetype["figures"][0]["column"]
    held = {"table": "@customer", "of": "@customer", "by": "@customer.id", "fn": "sum"}
    return {**held, "column": "all_tickets", "measure": f"@customer.{name}", "description": "x"}


@pytest.mark.parametrize(("change", "words"), FAULTS)
def test_what_cannot_be_is_refused_by_place(tmp_path: Path, change: Change, words: str) -> None:
    content = yaml.safe_load((ROOT / "customer-support.yaml").read_text(encoding="utf-8"))
    change(content)
    path = tmp_path / "archetypes" / "broken.yaml"
    path.parent.mkdir()
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_archetype(path)
    assert words in str(caught.value) and caught.value.remedy
    assert str(path) in caught.value.where
    assert "history" in caught.value.where or "figure" in caught.value.where

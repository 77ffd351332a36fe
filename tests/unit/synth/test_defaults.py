"""What new rows hold in columns that no goal names is read off the tools' insert steps."""

from __future__ import annotations

from typing import Any, TypeAlias

import pytest

from envforge.core.records.blueprint import Blueprint
from envforge.core.records.domain import Column, Table
from envforge.core.records.environment import EnvironmentBlueprint
from envforge.core.records.intent import Expectation
from envforge.synth.defaults import Defaults, defaults_of

OPTIONAL: dict[str, Any] = {"required": False}


def known(
    values: dict[str, str], parameters: dict[str, dict[str, Any]], *steps: dict[str, Any]
) -> EnvironmentBlueprint:
    """A blueprint with one tool, `add_note`, that inserts `values` after `steps`."""
    return blueprint([operation("add_note", parameters, [*steps, insert(values)])])


def insert(values: dict[str, str]) -> dict[str, Any]:
    return {"do": "insert", "name": "note", "table": "notes", "values": {"id": "new_id('notes')", **values}}


def operation(name: str, parameters: dict[str, dict[str, Any]], steps: list[dict[str, Any]]) -> dict[str, Any]:
    given = [
        {"name": parameter, "json_schema": {"type": "string"}, "description": "x", **more}
        for parameter, more in parameters.items()
    ]
    about = {"name": name, "verb": "create", "entity": "note", "summary": "Add.", "returns": {"type": "object"}}
    return {**about, "parameters": given, "steps": steps}


def blueprint(operations: list[dict[str, Any]]) -> EnvironmentBlueprint:
    columns = (
        Column(name="id", type="text", nullable=False),
        Column(name="hard", type="text", nullable=False),
        Column(name="soft", type="text"),
        Column(name="kind", type="text", nullable=False, default="plain"),
    )
    table = Table(name="notes", entity="note", label="note", columns=columns, primary_key=("id",))
    return EnvironmentBlueprint(
        blueprint=Blueprint.model_validate(
            {"theme": "notes", "title": "Notes", "tables": [table.to_json()], "operations": operations}
        )
    )


_Given: TypeAlias = dict[str, dict[str, Any]]
SOFT: list[tuple[str, str, _Given, dict[str, Any]]] = [
    ("an optional parameter", "x", {"x": OPTIONAL}, {"soft": None}),
    ("its default", "x", {"x": {**OPTIONAL, "default": "grey"}}, {"soft": "grey"}),
    ("a flag, as it is stored", "x", {"x": {**OPTIONAL, "default": True}}, {"soft": 1}),
    ("a constant", "'open'", {}, {"soft": "open"}),
    ("a fallback", "x if x is not None else 'none'", {"x": OPTIONAL}, {"soft": "none"}),
    ("a fallback, turned", "'none' if x is None else x", {"x": OPTIONAL}, {"soft": "none"}),
    ("what every call must give", "x", {"x": {}}, {}),
    ("what an object may hold", "x.y", {"x": {"json_schema": {"type": "object"}}}, {"soft": None}),
    ("a clock", "now()", {}, {}),
    ("worked out of what may be given", "x + '!'", {"x": OPTIONAL}, {"soft": None}),
]


@pytest.mark.parametrize(("value", "parameters", "wanted"), [case[1:] for case in SOFT], ids=[case[0] for case in SOFT])
def test_a_column_that_may_be_null(value: str, parameters: dict[str, dict[str, Any]], wanted: dict[str, Any]) -> None:
    found = defaults_of(known({"soft": value}, parameters), {})
    assert found == {"notes": Defaults({**wanted, "kind": "plain"})}


HARD: list[tuple[str, str, _Given, tuple[str, ...]]] = [
    ("minted", "new_id('notes')", {}, ("hard",)),
    ("minted where it is not given", "x if x is not None else new_id('notes')", {"x": OPTIONAL}, ("hard",)),
    ("a word for what else is given", "'a' if x is not None else 'b'", {"x": OPTIONAL}, ()),
    ("not given, so there is no row without it", "x", {"x": OPTIONAL}, ()),
]


@pytest.mark.parametrize(("value", "parameters", "fresh"), [case[1:] for case in HARD], ids=[case[0] for case in HARD])
def test_a_column_that_is_never_null(value: str, parameters: dict[str, dict[str, Any]], fresh: tuple[str, ...]) -> None:
    assert defaults_of(known({"hard": value}, parameters), {})["notes"] == Defaults(
        {"soft": None, "kind": "plain"}, fresh
    )


def test_look_ups_count_by_what_they_are_asked_for() -> None:
    """Who acts is the tool's own; the thread that may be named is not; the parent that must be named is."""
    steps = [
        {"do": "sql", "name": "actor", "query": "SELECT 1", "one": True},
        {"do": "sql", "name": "thread", "query": "SELECT 1", "parameters": {"t": "t"}, "one": True},
        {"do": "fetch", "name": "parent", "table": "notes", "where": {"id": "p"}},
    ]
    wanted = {
        "actor.id": {},
        "thread.id": {"soft": None},
        "parent.soft": {},
        "thread.id if thread else p": {"soft": None},
    }
    for value, values in wanted.items():
        found = defaults_of(known({"soft": value}, {"t": OPTIONAL, "p": {}}, *steps), {})["notes"]
        assert found == Defaults({**values, "kind": "plain"}), value


def test_what_tools_do_not_agree_on_is_not_compared() -> None:
    one = operation("add_note", {"x": OPTIONAL}, [insert({"soft": "x"})])
    other = operation("add_last", {}, [{"do": "when", "that": "1 == 1", "then": [insert({"soft": "'last'"})]}])
    assert defaults_of(blueprint([one, other]), {})["notes"].values == {"kind": "plain"}


def test_adapters_leave_null_what_may_be() -> None:
    adapted = operation("add_note", {}, [{"do": "adapter", "adapter": "append_children", "arguments": {}}])
    assert defaults_of(blueprint([adapted]), {"add_note": ["notes", "others"]}) == {
        "notes": Defaults({"soft": None, "kind": "plain"})
    }
    assert defaults_of(blueprint([adapted]), {}) == {}


def test_what_a_goal_leaves_free_stays_free() -> None:
    part = Expectation(table="notes", change="insert", rows="SELECT 1 AS hard", free=("soft", "hard"))
    filled = Defaults({"soft": None, "kind": "plain"}, ("hard",)).fill(part)
    assert (filled.unnamed, filled.fresh) == ({"kind": "plain"}, ())

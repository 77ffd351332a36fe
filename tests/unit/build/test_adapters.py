"""The functions that adapters embed: complete, short, bound to the blueprint's own names."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

import pytest

from envforge.build.adapters import ADAPTERS
from envforge.build.adapters.bag_query import OPERATORS
from envforge.build.adapters.document_formats import format_functions
from envforge.build.adapters.tables import KINDS, bag_tables, content_table
from envforge.build.blueprint import draw_blueprint
from envforge.core.contracts import Database
from envforge.core.errors import BuildError
from envforge.core.records.blueprint import Blueprint
from envforge.world.engine.guard import DOCUMENTS_TABLE


@pytest.fixture(scope="module")
def blueprint(workspace: Database) -> Blueprint:
    """A workspace that keeps documents of its own, so that every adapter has its say."""
    return draw_blueprint(workspace, max_tools=24)[0].model_copy(
        update={"document_formats": ("csv", "html", "json", "md", "yaml")}
    )


@pytest.mark.parametrize("name", sorted(ADAPTERS))
def test_embedded_functions_are_short_documented_and_private(name: str, blueprint: Blueprint) -> None:
    adapter = ADAPTERS[name]
    sources = adapter.functions(blueprint)
    assert adapter.call in sources
    for own, source in sources.items():
        node = ast.parse(source).body[0]
        assert own.startswith("_")
        if isinstance(node, ast.FunctionDef):
            assert node.name == own
            assert ast.get_docstring(node)
            assert node.end_lineno is not None
            assert node.end_lineno - node.lineno < 40
        assert not re.search(r"[$@][A-Za-z_{]", source), "a place of the template is not filled"


@pytest.mark.parametrize("name", sorted(ADAPTERS))
def test_adapters_say_which_tables_they_touch(name: str, blueprint: Blueprint) -> None:
    adapter = ADAPTERS[name]
    known = {DOCUMENTS_TABLE, *(table.name for table in blueprint.tables)}
    assert {*adapter.reads(blueprint), *adapter.writes(blueprint)} <= known
    text = "\n".join(adapter.functions(blueprint).values())
    for table in adapter.writes(blueprint):
        if table == DOCUMENTS_TABLE:
            assert "world.put_document(" in text or "world.delete_document(" in text
            continue
        assert f"INTO {table} " in text or f"UPDATE {table} " in text or f"FROM {table} " in text
    raised = {part.split('"')[1] for part in text.split("ToolError(")[1:] if '"' in part[:60]}
    declared = {code for code, _ in adapter.errors}
    assert declared <= raised | {"invalid_argument"}


def test_documents_in_no_format_cannot_be_kept() -> None:
    with pytest.raises(ValueError, match="no format"):
        format_functions(())


def test_every_kind_of_value_has_operators() -> None:
    assert set(OPERATORS) == {*KINDS, "title", "timestamp"}


def test_a_blueprint_without_a_bag_is_refused(schedule: Database) -> None:
    plain = draw_blueprint(schedule, max_tools=24)[0]
    with pytest.raises(BuildError, match="no property bag"):
        bag_tables(plain)
    with pytest.raises(BuildError, match="no table has a type"):
        content_table(plain)


def test_types_that_nothing_stores_cannot_be_defined_or_set(workspace: Database) -> None:
    bag = workspace.domain.bags[0].model_copy(update={"types": ("title", "number", "formula")})
    domain = workspace.domain.model_copy(update={"bags": (bag,)})
    computed = draw_blueprint(replace(workspace, domain=domain), max_tools=24)[0]
    constant = ADAPTERS["write_properties"].functions(computed)["_PROPERTY_KINDS"]
    assert "formula" not in constant
    assert '"number": "number"' in constant

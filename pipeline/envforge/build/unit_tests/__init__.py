"""Unit tests for generated tools: found by a reference, written as plain pytest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from envforge.build.unit_tests.reference import Reference
from envforge.build.unit_tests.writer import module_text
from envforge.core.contracts import Database
from envforge.core.errors import BuildError
from envforge.core.records.blueprint import Blueprint
from envforge.core.records.environment import ToolSpec
from envforge.world.environment import Environment

__all__ = ["write_tests"]


def write_tests(blueprint: Blueprint, specs: Sequence[ToolSpec], database: Database, folder: Path) -> str:
    """The text of tests/test_tools.py for the draft environment in `folder`; the same input gives the same text.

    Raises BuildError when a step cannot be carried out, StoreError when the draft cannot be opened.
    """
    _same_tables(blueprint, database)
    reference = Reference(blueprint, Environment.open(folder))
    try:
        return module_text(reference, specs)
    finally:
        reference.close()


def _same_tables(blueprint: Blueprint, database: Database) -> None:
    missing = {table.name for table in blueprint.tables} - {table.name for table in database.domain.tables}
    if missing:
        message = f"the blueprint has tables that the database lacks: {', '.join(sorted(missing))}"
        raise BuildError(message, where=blueprint.theme, remedy="draw the blueprint from this database")

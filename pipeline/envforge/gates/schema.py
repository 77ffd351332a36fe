"""Gate on the schema: every change of every row can be seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from envforge.core.contracts import GateContext
from envforge.core.records.environment import GateResult
from envforge.gates.gate import verdict
from envforge.world.engine.contract import StateEngine
from envforge.world.engine.guard import DOCUMENTS_TABLE
from envforge.world.environment import Environment

_TABLES = "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name"
_KEY = "SELECT name, type, [notnull] FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk"


class TrackedChanges:
    """Tables are STRICT and have an explicit key without NULL.

    SQLite's session extension silently leaves out tables without a PRIMARY KEY and rows with NULL in it
    (sqlite.org, "The Session Extension", 1.2): what it cannot see, no diff and no verifier can.
    """

    name = "tracked_changes"

    def check(self, context: GateContext) -> GateResult:
        """Ask the database itself for its tables and keys."""
        engine = Environment.open(context.folder).reader
        tables = [(str(name), bool(strict)) for name, strict in engine.own(_TABLES)]
        own = [(name, strict) for name, strict in tables if name != DOCUMENTS_TABLE and not name.startswith("sqlite_")]
        reasons = [reason for name, strict in own for reason in _of_table(engine, name, strict)]
        return verdict(self.name, reasons, measured={"tables": len(own)})


def _of_table(engine: StateEngine, name: str, strict: bool) -> Iterator[str]:
    if not strict:
        yield f"table {name} is not STRICT: a column could hold values of another type"
    key: list[tuple[Any, ...]] = engine.own(_KEY, (name,))
    if not key:
        yield f"table {name} has no PRIMARY KEY: its changes cannot be seen"
    for column, kind, not_null in key:
        # An INTEGER PRIMARY KEY is the row's own number; every other key column may be NULL unless the schema forbids.
        if not not_null and not (len(key) == 1 and kind == "INTEGER"):
            yield f"table {name}: key column {column} may be NULL: changes of such rows cannot be seen"

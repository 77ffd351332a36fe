"""The state that an episode left: the template's rows with its diff laid over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from envforge.rollout.values import same
from envforge.world.changes import Row
from envforge.world.diff import StateDiff
from envforge.world.engine.guard import DOCUMENTS_TABLE
from envforge.world.environment import Environment


class FinalState:
    """Rows and documents after an episode, looked up one at a time; nothing is copied."""

    def __init__(self, environment: Environment, diff: StateDiff) -> None:
        self.diff = diff
        self._environment = environment
        self._after: dict[str, dict[tuple[Any, ...], Row | None]] = {}

    def key(self, table: str, row: Mapping[str, Any]) -> tuple[Any, ...]:
        """The values of the primary key, in its order."""
        return tuple(row[name] for name in self._environment.template.tables[table].primary_key)

    def inserted(self, table: str) -> Sequence[Row]:
        """Rows that are new."""
        changes = self.diff.tables.get(table)
        return changes.inserted if changes else ()

    def is_fresh(self, table: str, column: str, value: Any) -> bool:
        """True for what no row of the table held at first, and one new row holds."""
        if value is None or sum(same(row[column], value) for row in self.inserted(table)) != 1:
            return False
        sql = f'SELECT 1 FROM "{table}" WHERE "{column}" = ? LIMIT 1'  # noqa: S608
        return not self._environment.reader.own(sql, (value,))

    def is_new(self, table: str, value: Any) -> bool:
        """True for the key of a new row."""
        return any(same(only, value) for row in self.inserted(table) for only in self.key(table, row))

    def grown(self, table: str) -> int:
        """How many rows more than before."""
        changes = self.diff.tables.get(table)
        return len(changes.inserted) - len(changes.deleted) if changes else 0

    def row(self, table: str, where: Mapping[str, Any]) -> Row | None:
        """The row with this key, None when there is none."""
        key = self.key(table, where)
        changed = self._changed(table)
        if key in changed:
            return changed[key]
        info = self._environment.template.tables[table]
        rows = self._environment.reader.own(info.select_row, key)
        return info.as_row(rows[0]) if rows else None

    def document(self, path: str) -> str | None:
        """The text of a document, None when it is not there."""
        if path in self.diff.documents:
            return self.diff.documents[path][1]
        sql = f"SELECT text FROM {DOCUMENTS_TABLE} WHERE path = ?"  # noqa: S608
        rows = self._environment.reader.own(sql, (path,))
        return str(rows[0][0]) if rows else None

    def _changed(self, table: str) -> dict[tuple[Any, ...], Row | None]:
        """Key -> the row now, None where it was deleted; of the rows in the diff only."""
        held = self._after.get(table)
        if held is None:
            held = self._after[table] = {}
            changes = self.diff.tables.get(table)
            if changes is not None:
                held.update((self.key(table, row), None) for row in changes.deleted)
                held.update((self.key(table, row), row) for row in changes.inserted)
                held.update((self.key(table, after), after) for _, after in changes.updated)
        return held

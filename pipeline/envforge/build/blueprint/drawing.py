"""What every part of the blueprint room shares: the database being drawn, its views, and who finds which ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from envforge.build.blueprint import columns as facts
from envforge.build.blueprint import views
from envforge.build.blueprint.views import Shown
from envforge.core.contracts import Database, Row
from envforge.core.errors import BuildError
from envforge.core.records.blueprint import View
from envforge.core.records.domain import PropertyBag, Table


class CannotDraw(BuildError):
    """An operation that cannot become a tool; `reason` is the code that goes into rejected.jsonl."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail, remedy="the operation is left out and recorded in rejected.jsonl")
        self.reason = reason


def _no_finders() -> dict[str, str]:
    return {}


@dataclass
class Drawing:
    """A database on the drawing board. `finders` says which shipped tool finds the ids of an entity."""

    database: Database
    finders: Mapping[str, str] = field(default_factory=_no_finders)
    restorers: Mapping[str, str] = field(default_factory=_no_finders)
    """Entity → the shipped tool that takes a row out of the trash."""
    _shown: dict[str, Shown] = field(default_factory=lambda: dict[str, Shown]())

    def __post_init__(self) -> None:
        # Histories are kept by themselves: no tool that is drawn reads, writes or deletes them.
        kept = {history.table for history in self.database.histories}
        tables = facts.tables_by_name(self.database.domain)
        self.tables: dict[str, Table] = {name: table for name, table in tables.items() if name not in kept}
        self._taken = {view.name for view in self.database.views}
        operations = self.database.domain.operations
        self._asked = {given.name for one in operations for given in one.parameters}
        self._names = {
            given.semantic
            for one in operations
            if one.addressed_by_parts
            for given in one.parameters
            if given.meaning in {"scope", "key"}
        }

    def table(self, name: str) -> Table:
        """The table called `name`. Raises CannotDraw when there is none."""
        if name not in self.tables:
            raise CannotDraw("unknown_table", f"there is no table {name}")
        return self.tables[name]

    def row(self, table: Table) -> str:
        """What tools call the row of `table` that they have in hand: its entity, where that word is free.

        It is not free where a source's tools ask for the row's key under it (`{score}`), or where Python needs it.
        """
        taken = table.entity in self._asked or facts.unusable_name(table.entity)
        return f"{table.entity}_row" if taken else table.entity

    def details(self, table: Table) -> Shown:
        """The detailed view of a table."""
        return self._view(table, "details")

    def summary(self, table: Table) -> Shown:
        """The compact view of a table; the detailed one where both would show the same."""
        compact = self._view(table, "summary")
        detailed = self._view(table, "details")
        if compact.view.fields == detailed.view.fields:
            return replace(compact, view=detailed.view)
        return compact

    def _view(self, table: Table, kind: str) -> Shown:
        name = f"{table.entity}_{kind}"
        if name not in self._shown:
            if kind == "details":
                shown = views.details(table, self.tables)
            else:
                shown = views.summary(table, self.tables, self._telling_rows(table))
            shown = replace(shown, schema=self._with_names(table, shown.schema))
            if name in self._taken:
                shown = replace(shown, view=shown.view.model_copy(update={"name": f"{table.entity}_full_{kind}"}))
            self._shown[name] = shown
        return self._shown[name]

    def _with_names(self, table: Table, schema: dict[str, Any]) -> dict[str, Any]:
        """Columns that tools name records by say so, like keys: whoever sees one can go on with it."""
        shown = {
            name: one if "x-semantic" in one or (mark := f"{table.entity}.{name}") not in self._names
            else {**one, "x-semantic": mark}
            for name, one in schema["properties"].items()
        }  # fmt: skip
        return {**schema, "properties": shown}

    def _telling_rows(self, table: Table) -> list[Row]:
        """Rows that say which columns are in use: mined ones. Made rows differ between databases of one family."""
        served = any(one.table == table.name for one in self.database.domain.operations)
        return [] if served or table.origin != "mined" else self.database.rows.get(table.name, [])

    def views(self) -> tuple[View, ...]:
        """The archetypes' views and the ones drawn so far."""
        return (*self.database.views, *(self._shown[name].view for name in sorted(self._shown)))

    def bag_of_items(self, table: Table) -> PropertyBag | None:
        """The property bag whose values the rows of `table` carry."""
        return next((bag for bag in self.database.domain.bags if bag.item_table == table.name), None)

    def bag_of_collection(self, table: Table) -> PropertyBag | None:
        """The property bag whose definitions the rows of `table` hold."""
        return next((bag for bag in self.database.domain.bags if bag.collection_table == table.name), None)

    def find_hint(self, table: Table) -> str:
        """`Use search_pages to find page ids.`; empty when nothing finds them."""
        finder = self.finders.get(table.entity)
        noun = "ids" if "id" in table.primary_key else f"{facts.words(table.primary_key[0])}s"
        label = "" if noun.startswith(table.label) else f"{table.label} "
        return f"Use {finder} to find {label}{noun}." if finder else ""

"""Deeds: what one writing call does to one row that people can name, learned from calls and the rows that they changed.

Only calls whose whole effect is understood become deeds: one new child row, or one property of one item.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from envforge.core.records.environment import EnvironmentBlueprint, ToolSpec
from envforge.core.seeds import stream
from envforge.synth.bags import CHOICES, Bag, Property
from envforge.synth.followed import without_derived
from envforge.synth.keys import Keys
from envforge.world.diff import StateDiff
from envforge.world.session import Session

TRIED = 4
_TEXT = "Please call me about this before Friday."
TOUCHED = ("updated_at", "editor")
"""Roles of columns that say when and by whom a row was changed: free in every goal."""


@dataclass(frozen=True)
class Deed:
    """`tool(parameter=key of kind, value=...)`.

    child: one new row of `table`, whose `parent` is the key and whose `column` is the text. choice: the property of an
    item gets another option; `free`: columns of the item that say so. Deeds on plain rows (row_deeds.py): field,
    another value of `column`; state, the row goes from one of the states `before` to that of `options`, no value is
    given; mark, a child with one of `options` in `column`; tie and untie, a row of `table` with both keys comes or
    goes, where the whole (`other`: its kind, `value`: its parameter) is in one of the states `before`, or has none.
    """

    what: Literal["child", "choice", "field", "state", "mark", "tie", "untie"]
    tool: str
    parameter: str
    kind: str
    value: str
    table: str
    column: str = ""
    parent: str = ""
    free: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    other: str = ""


class Learner(ABC):
    """Learns deeds tool by tool in one session, which is at its start again after every call."""

    def __init__(self, keys: Keys, knowledge: EnvironmentBlueprint, session: Session, seed: int) -> None:
        self._keys, self._session, self._seed, self._knowledge = keys, session, seed, knowledge
        self._tables = {table.name: table for table in knowledge.blueprint.tables}

    def learn(self) -> tuple[Deed, ...]:
        """All of them, in the order of the tools."""
        tools = [tool for tool in self._keys.environment.tools if not tool.annotations.read_only]
        return tuple(deed for tool in tools for deed in self._taught(tool))

    def _taught(self, tool: ToolSpec) -> Iterator[Deed]:
        schemas = cast("Mapping[str, Mapping[str, Any]]", tool.parameters.get("properties", {}))
        return self.of_tool(tool, schemas, tuple(tool.parameters.get("required", ())))

    @abstractmethod
    def of_tool(
        self, tool: ToolSpec, schemas: Mapping[str, Mapping[str, Any]], required: Sequence[str]
    ) -> Iterator[Deed]:
        """The deeds of one tool, which takes `schemas` by name and must be given `required`."""

    def effect(self, tool: ToolSpec, given: Mapping[str, Any]) -> StateDiff | None:
        """What one call changes of itself, after which all is as it was; None where the tool refuses."""
        observation = self._session.call(tool.name, given)
        if not observation.ok:
            return None
        diff = without_derived(self._session.diff(), self._knowledge)
        self._session.reset()
        return diff


class Deeds(Learner):
    """Deeds that leave a child, or another choice for an item of a collection."""

    def __init__(
        self, keys: Keys, knowledge: EnvironmentBlueprint, bags: Sequence[Bag], session: Session, seed: int
    ) -> None:
        super().__init__(keys, knowledge, session, seed)
        self._bags = bags

    def of_tool(
        self, tool: ToolSpec, schemas: Mapping[str, Mapping[str, Any]], required: Sequence[str]
    ) -> Iterator[Deed]:
        """A child for a row, or a choice for an item: the tool takes the row's key and one value."""
        for parameter, kind in tool.consumes.items():
            if kind not in self._keys.kinds:
                continue
            for name, schema in schemas.items():
                if name in tool.consumes or not set(required) <= {parameter, name}:
                    continue
                if schema.get("type") == "string" and "enum" not in schema:
                    yield from self._child(tool, parameter, kind, name)
                if schema.get("type") == "object":
                    yield from self._choice(tool, parameter, kind, name)

    def _child(self, tool: ToolSpec, parameter: str, kind: str, name: str) -> Iterator[Deed]:
        rng = stream(self._seed, "deeds", tool.name, parameter)
        found = {
            self._new_row(self.effect(tool, {parameter: key, name: _TEXT}), key)
            for key in self._keys.sample(kind, rng, TRIED)
        }
        found.discard(("refused", "", ""))
        if len(found) == 1 and (place := found.pop()) is not None:
            table, parent, column = place
            yield Deed("child", tool.name, parameter, kind, name, table, column, parent)

    def _new_row(self, diff: StateDiff | None, key: Any) -> tuple[str, str, str] | None:
        """Table, column of the parent and of the text of the one new row; None for any other effect."""
        if diff is None:
            return ("refused", "", "")
        changes = list(diff.tables.items())
        if len(changes) != 1 or diff.documents or changes[0][1].updated or changes[0][1].deleted:
            return None
        table, rows = changes[0][0], changes[0][1].inserted
        holders = [f.column for f in self._keys.foreign if f.table == table]
        if len(rows) != 1:
            return None
        parents = [name for name in holders if rows[0][name] == key]
        texts = [name for name, value in rows[0].items() if value == _TEXT]
        return (table, parents[0], texts[0]) if len(parents) == len(texts) == 1 else None

    def _choice(self, tool: ToolSpec, parameter: str, kind: str, name: str) -> Iterator[Deed]:
        for bag in self._bags:
            if self._keys.kind_of_table.get(bag.item_table) != kind:
                continue
            free: set[str] = set()
            seen = 0
            for one in [p for p in bag.properties if p.type in CHOICES and not p.many]:
                for item, option in bag.others(one, TRIED - 1):
                    diff = self.effect(tool, {parameter: item, name: {one.name: option}})
                    if diff is None:  # refused, as for an item that is locked
                        continue
                    columns = self._chosen(diff, bag, one, item)
                    if columns is None:
                        return
                    free |= columns
                    seen += 1
            if seen >= TRIED:
                yield Deed("choice", tool.name, parameter, kind, name, bag.item_table, free=tuple(sorted(free)))

    def _chosen(self, diff: StateDiff, bag: Bag, one: Property, item: Any) -> set[str] | None:
        """Columns of the item that changed beside the one value; None for any other effect."""
        if diff.documents or set(diff.tables) - {bag.value_table, bag.item_table}:
            return None
        values = diff.tables.get(bag.value_table)
        if values is None or len(values.updated) != 1 or values.inserted or values.deleted:
            return None
        before, after = values.updated[0]
        changed = {name for name in after if after[name] != before[name]}
        if changed != {bag.option_column} or after[bag.property_column] != one.id or after[bag.item_column] != item:
            return None
        touched = diff.tables.get(bag.item_table)
        pairs = touched.updated if touched is not None else []
        columns = {name for old, new in pairs for name in new if new[name] != old[name]}
        allowed = {c.name for c in self._tables[bag.item_table].columns if c.role in TOUCHED}
        return columns if len(pairs) <= 1 and columns <= allowed else None

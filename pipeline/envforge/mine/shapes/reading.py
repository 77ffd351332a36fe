"""What a column's name, type and description say about its values; or why nothing believable can stand in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from envforge.core.records.domain import Column, Table
from envforge.core.records.shape import EntityKind, RowShape, Signs, ValueRule

Way = Literal["key", "named_key", "reference", "parent_type", "state", "enum", "flag", "rule"]
_NAMING = frozenset({"name", "slug", "person", "mail", "address", "form"})
_WORD = re.compile(r"[a-z]+|[0-9]+")
_LIFE = re.compile(r"\((\w{1,120}) = '(\w{1,120})'\) = \((\w{1,120}) IS NOT NULL\)")


@dataclass(frozen=True)
class ColumnPlan:
    """How a column is filled."""

    column: Column
    way: Way
    rule: ValueRule | None = None

    @property
    def name(self) -> str:
        """The column's name."""
        return self.column.name


@dataclass(frozen=True)
class Uses:
    """What the source's operations do with the columns of one table."""

    listed: bool = False
    written: bool = False
    given: frozenset[str] = frozenset()
    """columns that a caller may state when a row is created"""
    states: Mapping[str, tuple[Any, ...]] = field(default_factory=lambda: dict[str, tuple[Any, ...]]())
    """column -> values that transitions set"""


def words_of(name: str) -> frozenset[str]:
    """The words of a snake_case name, each also without a plural s."""
    found = _WORD.findall(name.lower())
    return frozenset(found) | {word[:-1] for word in found if len(word) > 3 and word.endswith("s")}


def kind_of(table: Table, shape: RowShape) -> EntityKind | None:
    """The kind of thing that a table holds: by the longest words that end its entity's name, else those that begin
    it, else by its columns.
    """
    parts = table.entity.split("_")
    beside = {word for column in table.columns for word in words_of(column.name)}
    known = [
        kind
        for kind in shape.kinds
        if (not kind.beside or beside & set(kind.beside)) and not beside & set(kind.without)
    ]
    ends = ["_".join(parts[first:]) for first in range(len(parts))]
    beginnings = ["_".join(parts[:last]) for last in range(len(parts) - 1, 0, -1)]
    for spelled in (*ends, *beginnings):
        for kind in known:
            if spelled in kind.words or spelled.removesuffix("s") in kind.words:
                return kind
    return next((kind for kind in shape.kinds if kind.has and all(table.has(name) for name in kind.has)), None)


def parent_variants(table: Table) -> dict[str, dict[str, str | None]]:
    """Type column -> value -> the column that must hold the id then (none for a place without a record)."""
    found: dict[str, dict[str, str | None]] = {}
    for check in table.checks:
        match = _LIFE.fullmatch(check)
        if match is not None and table.has(match[1]):
            variants = found.setdefault(match[1], dict.fromkeys(table.column(match[1]).enum))
            variants[match[2]] = match[3]
    return found


class ColumnReader:
    """Decides for each column of a table how it is filled."""

    def __init__(self, table: Table, kind: EntityKind | None, shape: RowShape, uses: Uses) -> None:
        self._table, self._shape, self._uses = table, shape, uses
        self._kind = kind.name if kind else ""
        style = shape.styles[kind.style if kind else shape.fallback]
        self._tells = any(subject.about for subject in shape.subjects.get(style.subjects, ()))
        self._entity = words_of(table.entity)
        self._variants = parent_variants(table)

    def read(self, column: Column) -> ColumnPlan | str:
        """How the column is filled, or why it is left out."""
        if column.name in self._table.primary_key and column.references is None:
            return self._key(column)
        if column.references is not None:
            return self._reference(column)
        if column.name in self._variants:
            return ColumnPlan(column, "parent_type")
        state = self._state(column)
        if state is not None:
            return state
        rule = self._rule(column) if column.enum else None
        if rule is not None and rule.make == "person":
            return ColumnPlan(column, "rule", rule)
        if column.enum:
            return ColumnPlan(column, "enum") if column.type == "text" else "a choice that is no text"
        if column.type == "boolean":
            return ColumnPlan(column, "flag")
        return self._plain(column)

    def _key(self, column: Column) -> ColumnPlan | str:
        if column.type not in {"text", "integer"}:
            return f"the key is {column.type}"
        rule = self._rule(column) if column.type == "text" and column.name != "id" else None
        named = rule is not None and rule.make in _NAMING
        return ColumnPlan(column, "named_key" if named else "key", rule if named else None)

    def _reference(self, column: Column) -> ColumnPlan | str:
        reference = column.references
        assert reference is not None
        if reference.table == self._table.name and reference.confidence < 1 and column.role != "parent":
            return "a guessed reference to its own kind"
        if reference.table == self._table.name and not column.nullable:
            return "every row would need another of its kind"
        return ColumnPlan(column, "reference")

    def _state(self, column: Column) -> ColumnPlan | None:
        own = words_of(column.name) - self._entity
        if column.type != "text" or not (column.role == "state" or own <= set(self._shape.signs.state_words)):
            return None
        if column.enum or column.role == "state" or column.name in self._uses.states:
            return ColumnPlan(column, "state")
        return None

    def _plain(self, column: Column) -> ColumnPlan | str:
        names = words_of(column.name)
        if names & set(self._shape.signs.secret_words):
            return "a secret"
        owner = self._joined(column)
        if owner:
            return f"known by {owner}"
        rule = self._rule(column)
        if rule is None or (rule.make == "about" and not self._tells):
            return "no words for it"
        if column.name.endswith(("_id", "_ids")) and rule.make != "uuid":
            return "an id of something outside"
        return ColumnPlan(adapted(column, rule, self._shape.signs), "rule", rule)

    def _joined(self, column: Column) -> str:
        """The reference beside it that already leads to what this column says (`list_name` beside `list_id`)."""
        for other in self._table.columns:
            stem = other.name.removesuffix("_id")
            if other.references is not None and stem != column.name and column.name.startswith(f"{stem}_"):
                return other.name
        return ""

    def _rule(self, column: Column) -> ValueRule | None:
        names = words_of(column.name)
        said = column.description.lower()
        for rule in self._shape.values:
            if column.type in rule.types and self._fits(rule, column, names, said):
                return rule
        return None

    def _fits(self, rule: ValueRule, column: Column, names: frozenset[str], said: str) -> bool:
        if rule.kinds and self._kind not in rule.kinds:
            return False
        if names & set(rule.avoid):
            return False
        if rule.only_beside and not self._others(column) & set(rule.only_beside):
            return False
        if rule.make == "moment" and not self._is_time(column, names, said):
            return False
        if (rule.make == "tags" and column.format != "array") or (rule.make == "map" and column.format == "array"):
            return False
        if rule.formats and (column.format or "").lower() in rule.formats and not rule.words:
            return True
        if rule.said and not any(piece in said for piece in rule.said):
            return False
        if not rule.words:
            return not rule.formats
        for written in rule.words:
            wanted = frozenset(_WORD.findall(written))
            alone = rule.alone or rule.make in {"name", "slug"}
            if wanted <= names and (not alone or names - wanted <= self._plainly(wanted)):
                return True
        return False

    def _others(self, column: Column) -> set[str]:
        """The words in the names of the other columns."""
        return {word for one in self._table.columns if one is not column for word in words_of(one.name)}

    def _plainly(self, wanted: Iterable[str]) -> frozenset[str]:
        """Words that may stand beside those of a name: the entity's own, plurals, and other words for a name."""
        plural = {word for one in wanted for word in (one, f"{one}s")}
        return self._entity | plural | set(self._shape.signs.name_words)

    def _is_time(self, column: Column, names: frozenset[str], said: str) -> bool:
        signs = self._shape.signs
        if column.type in {"timestamp", "date"}:
            return True
        if column.type == "integer":
            return any(piece in said for piece in signs.epoch_said)
        form = (column.format or "").lower()
        last = column.name.rsplit("_", 1)[-1]
        stated = form in signs.time_formats or any(piece in said for piece in signs.time_said)
        return stated or (not form and last in signs.time_words and len(names) > 1)


def adapted(column: Column, rule: ValueRule, signs: Signs) -> Column:
    """The column as its values need it: a moment that the source writes as text is a timestamp or a date."""
    if rule.make != "moment" or column.type != "text":
        return column
    form = (column.format or "").lower()
    dated = form in signs.day_formats or (not form and column.name.rsplit("_", 1)[-1] in signs.day_words)
    return column.model_copy(update={"type": "date" if dated else "timestamp", "format": None})

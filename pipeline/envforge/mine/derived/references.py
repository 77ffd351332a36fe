"""What an archetype's histories and figures name must be there: tables, columns, states; faults are told by field."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from envforge.core.errors import ConfigError
from envforge.core.records.archetype import Archetype, Lifecycle, RoleField
from envforge.core.records.derived import Elsewhere, Figure, History
from envforge.core.records.domain import Column

_NAME = re.compile(r"[a-z_][a-z0-9_]*")
_TABLES = "name a role or an archetype table"


def check_history(archetype: Archetype, history: History, life: Lifecycle, where: str) -> None:
    """Raises ConfigError where a history names what is not there, or a detour that nothing can take."""
    _named(history.table, f"{where}, table")
    for field in ("state", "created", "actor", "latest"):
        written = str(getattr(history, field))
        if written:
            _column(archetype, history.of, written, f"{where}, {field}")
    for state, place in history.milestones.items():
        told = f"{where}, milestones, {state}"
        if isinstance(place, Elsewhere):
            _column(archetype, place.table, place.by, f"{told}, by")
            _column(archetype, place.table, place.column, f"{told}, column")
        else:
            _column(archetype, history.of, place, told)
    steps = {(source, one.target) for one in life.transitions for source in one.source}
    for number, detour in enumerate(history.detours):
        for source, target in pairwise([detour.state, *detour.through, detour.state]):
            if source == target or (steps and (source, target) not in steps):
                remedy = f"go by its transitions: {', '.join(sorted(t for s, t in steps if s == source)) or 'none'}"
                told = f"{where}, detours, {number}"
                raise ConfigError(f"nothing leads from {source} to {target}", where=told, remedy=remedy)


def check_figure(archetype: Archetype, figure: Figure, where: str) -> None:
    """Raises ConfigError where a figure names what is not there, or what only follows from other rows itself."""
    _named(figure.column, f"{where}, column")
    if figure.of in {one.table for one in archetype.histories}:
        remedy = "count the rows that have the history"
        raise ConfigError(f"{figure.of} is a history, which no figure follows", where=f"{where}, of", remedy=remedy)
    if not dict(_columns(archetype, figure.of)):
        raise ConfigError(f"there is no table {figure.of}", where=f"{where}, of", remedy=_TABLES)
    _column(archetype, figure.of, figure.by, f"{where}, by")
    if figure.measure:
        held = _column(archetype, figure.of, figure.measure, f"{where}, measure")
        if held and "integer" not in held:
            remedy = "add up a column of whole numbers"
            raise ConfigError(f"{figure.measure} is no whole number", where=f"{where}, measure", remedy=remedy)
    for written, values in figure.where.items():
        told = f"{where}, where, {written}"
        _column(archetype, figure.of, written, told)
        known = _states(archetype, figure.of, written)
        strangers = [str(value) for value in values if known and value not in known]
        if strangers or not values:
            remedy = f"values: {', '.join(known) or 'at least one'}"
            fault = f"{strangers[0]!r} is no state" if strangers else "no value is named"
            raise ConfigError(fault, where=told, remedy=remedy)


def _named(name: str, where: str) -> None:
    if not _NAME.fullmatch(name):
        raise ConfigError(f"{name!r} is no name", where=where, remedy="use small letters, digits and underscores")


def _states(archetype: Archetype, table: str, column: str) -> tuple[str, ...]:
    found = (tuple(life.states) for life in archetype.lifecycles if (life.table, life.column) == (table, column))
    return next(found, ())


def _column(archetype: Archetype, table: str, written: str, where: str) -> tuple[str, ...]:
    """The types that a column may have, none where all. Raises ConfigError for a table or column that is not there."""
    held = dict(_columns(archetype, table))
    if not held:
        raise ConfigError(f"there is no table {table}", where=where, remedy=_TABLES)
    figures = {one.column for one in archetype.figures if one.table == table}
    if written.removeprefix(f"{table}.") in figures:
        remedy = "name a column that does not follow from others"
        raise ConfigError(f"{written} is a figure itself", where=where, remedy=remedy)
    if written not in held:
        raise ConfigError(f"{table} has no {written}", where=where, remedy=f"it has {', '.join(held)}")
    return held[written]


def _columns(archetype: Archetype, table: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Columns as they are written -> their types."""
    if table.startswith("@"):
        role = archetype.roles.get(table[1:])
        if role is not None:
            yield f"{table}.id", ()
            yield from ((f"{table}.{name}", _types(field)) for name, field in role.fields.items())
        return
    for one in archetype.tables:
        if one.name == table:
            yield from ((column.name, (column.type,)) for column in one.columns)


def _types(field: RoleField) -> tuple[str, ...]:
    added: Column | None = field.add
    return field.types or ((added.type,) if added is not None else ())

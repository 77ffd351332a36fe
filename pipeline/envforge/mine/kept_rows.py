"""A smaller environment: only the mined rows that the user asks to keep, and what still holds together with them.

A wish is one of `TABLE.COLUMN=FROM..TO` (either end may be open), `TABLE.COLUMN=A,B`, `TABLE=used` (rows that a row of
another table refers to) and `TABLE=none` (the table is left out; `*` in its name stands for anything).
"""

from __future__ import annotations

import dataclasses
import difflib
import fnmatch
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from envforge.core.contracts import Row
from envforge.core.errors import ConfigError
from envforge.core.records.domain import Column, Domain, Table
from envforge.core.records.environment import ProvenanceEntry
from envforge.mine.infer.foreign_keys import coverage
from envforge.mine.tables import without_tables

_WISH = re.compile(r"(?P<table>[a-z_][a-z0-9_*]*)(?:\.(?P<column>[A-Za-z_][A-Za-z0-9_]*))?=(?P<value>.+)")
_FORMS = "TABLE.COLUMN=FROM..TO, TABLE.COLUMN=A,B, TABLE=used or TABLE=none"
_NUMBERS = ("integer", "real", "boolean")
Rows = dict[str, list[Row]]


@dataclass(frozen=True)
class Wish:
    """Which rows of one table are kept."""

    table: str
    kind: Literal["range", "values", "used", "none"]
    column: str = ""
    low: str = ""
    high: str = ""
    values: tuple[str, ...] = ()


def read_wish(text: str) -> Wish:
    """What `--keep` says. Raises ConfigError."""
    found = _WISH.fullmatch(text)
    if found is None or (found["column"] is None) != (found["value"] in ("used", "none")):
        raise ConfigError(f"{text!r} says not which rows to keep", where="--keep", remedy=f"give {_FORMS}")
    table, column, value = found["table"], found["column"] or "", found["value"]
    if not column:
        return Wish(table, "used" if value == "used" else "none")
    low, dots, high = value.partition("..")
    if dots and (low or high):
        return Wish(table, "range", column, low, high)
    return Wish(table, "values", column, values=tuple(value.split(",")))


def wishes_for(wishes: Sequence[str], rows: Mapping[str, Sequence[Row]]) -> list[str]:
    """The wishes that name a table with rows here. Raises ConfigError for one that cannot be read."""
    known = [name for name, held in rows.items() if held]
    return [text for text in wishes if fnmatch.filter(known, read_wish(text).table)]


def keep_rows(
    domain: Domain, rows: Mapping[str, Sequence[Row]], provenance: Sequence[ProvenanceEntry], wishes: Sequence[str]
) -> tuple[Domain, Rows, list[ProvenanceEntry]]:
    """Domain, rows and provenance with what is wished for only; a row goes with the row that it must refer to.

    Raises ConfigError when a wish names what is not there, is no range of numbers, or keeps no row at all.
    """
    read = [(wish, text) for text in wishes for wish in _named(read_wish(text), domain, rows)]
    kept = {name: list(held) for name, held in rows.items()}
    for wish, text in read:
        if wish.kind in ("range", "values"):
            column = domain.table(wish.table).column(wish.column)
            kept[wish.table] = [row for row in kept[wish.table] if _fits(row.get(wish.column), column, wish)]
            _require(kept, wish.table, text)
    gone = {wish.table for wish, _ in read if wish.kind == "none"}
    smaller, _ = without_tables(domain, gone)
    kept = {name: held for name, held in kept.items() if name not in gone}
    used = {wish.table for wish, _ in read if wish.kind == "used"}
    while _drop_loose(smaller, kept) or _drop_unused(smaller, kept, used):
        pass
    for name in sorted(kept):
        if rows.get(name):
            _require(kept, name, " ".join(wishes))
    note = f"fewer rows by --keep: {', '.join(wishes)}"
    tables = tuple(_measured_again(table, kept) for table in smaller.tables)
    smaller = smaller.model_copy(update={"tables": tables, "notes": (*smaller.notes, note)})
    return smaller, kept, [entry for one in provenance for entry in _narrowed(one, smaller, rows, kept)]


def _named(wish: Wish, domain: Domain, rows: Mapping[str, Sequence[Row]]) -> list[Wish]:
    """The wish, for each table that it names."""
    known = [table.name for table in domain.tables if rows.get(table.name)]
    if wish.kind == "none":
        found = fnmatch.filter(known, wish.table)
        if found:
            return [dataclasses.replace(wish, table=name) for name in found]
    _known(wish.table, known, "table with mined rows")
    if wish.column:
        table = domain.table(wish.table)
        _known(wish.column, [column.name for column in table.columns], f"column of {wish.table}")
        if table.column(wish.column).type in _NUMBERS:
            for value in filter(None, (wish.low, wish.high, *wish.values)):
                _number(value)
    return [wish]


def _known(name: str, known: Sequence[str], what: str) -> None:
    if name not in known:
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.5) or sorted(known)
        raise ConfigError(f"there is no {what} {name!r}", where="--keep", remedy=f"there are: {', '.join(near)}")


def _require(kept: Rows, table: str, wish: str) -> None:
    if not kept[table]:
        raise ConfigError(f"no row of {table} is left", where=f"--keep {wish}", remedy="keep more")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ConfigError(f"{text!r} is no number", where="--keep", remedy="the column holds numbers") from None


def _fits(value: Any, column: Column, wish: Wish) -> bool:
    if value is None:
        return False
    if column.type in _NUMBERS:
        number = float(value)
        if wish.kind == "values":
            return number in {_number(one) for one in wish.values}
        return (not wish.low or number >= _number(wish.low)) and (not wish.high or number <= _number(wish.high))
    text = str(value)
    if wish.kind == "values":
        return text in wish.values
    # 2013-01-18 as the end of a range means that whole day, of timestamps too.
    return wish.low <= text and (not wish.high or text[: len(wish.high)] <= wish.high)


def _drop_loose(domain: Domain, kept: Rows) -> bool:
    """Rows whose reference must hold and leads to a row that is gone; True if there were any."""
    before = sum(map(len, kept.values()))
    for table in domain.tables:
        for column in table.columns if table.name in kept else ():
            reference = column.references
            if reference is None or reference.confidence < 1 or reference.table not in kept:
                continue
            there = {row.get(reference.column) for row in kept[reference.table]} | {None}
            kept[table.name] = [row for row in kept[table.name] if row.get(column.name) in there]
    return sum(map(len, kept.values())) < before


def _drop_unused(domain: Domain, kept: Rows, names: Collection[str]) -> bool:
    """Rows of `names` that no row of another table refers to; True if there were any."""
    before = sum(map(len, kept.values()))
    for name in sorted(names & kept.keys()):
        wanted = dict(_referring(domain, kept, name))
        kept[name] = [row for row in kept[name] if any(row.get(column) in held for column, held in wanted.items())]
    return sum(map(len, kept.values())) < before


def _referring(domain: Domain, kept: Rows, name: str) -> Iterable[tuple[str, set[Any]]]:
    """Column of `name` → the values of it that rows of other tables hold."""
    found: dict[str, set[Any]] = {}
    for table in domain.tables:
        for column in table.columns if table.name != name else ():
            if column.references is not None and column.references.table == name:
                values = {row.get(column.name) for row in kept.get(table.name, ())} - {None}
                found.setdefault(column.references.column, set()).update(values)
    return found.items()


def _measured_again(table: Table, kept: Rows) -> Table:
    """The table; references that hold for most rows only state the share among the rows that are left."""
    columns: list[Column] = []
    for column in table.columns:
        reference = column.references
        if reference is None or reference.confidence == 1 or reference.table not in kept:
            columns.append(column)
            continue
        there = [row.get(reference.column) for row in kept[reference.table]]
        share = coverage([row.get(column.name) for row in kept.get(table.name, ())], there).share
        changed = reference.model_copy(update={"confidence": min(round(share, 6), 0.999999)})
        columns.append(column.model_copy(update={"references": changed}))
    return table.model_copy(update={"columns": tuple(columns)})


def _narrowed(
    entry: ProvenanceEntry, domain: Domain, rows: Mapping[str, Sequence[Row]], kept: Rows
) -> Iterable[ProvenanceEntry]:
    """The entry over the rows that are left; nothing where none is."""
    if entry.table not in kept or len(kept[entry.table]) == len(rows.get(entry.table, ())):
        return [entry] if entry.table in kept else []
    if entry.keys == "all":
        return [entry.model_copy(update={"count": len(kept[entry.table])})]
    names = domain.table(entry.table).primary_key
    first, last = (tuple(end) for end in entry.keys)
    keys = sorted(key for row in kept[entry.table] if first <= (key := tuple(row[name] for name in names)) <= last)
    return [entry.model_copy(update={"keys": (keys[0], keys[-1]), "count": len(keys)})] if keys else []

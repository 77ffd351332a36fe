"""Listings of what is in one holder: tools that want to be told which ("the issues of this repository").

What is said of such a tool is what it did: for every holder that it answers for, its pages show the rows that the
holder has, each once, and no others. Holders that it refuses (in the trash, say) are remembered as closed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from envforge.core.records.domain import Table
from envforge.core.records.environment import ToolSpec
from envforge.synth.keys import Foreign, Keys

Pages: TypeAlias = Callable[[Mapping[str, Any]], list[Mapping[str, Any]] | None]
MOST_HOLDERS = 120
"""Holders that a tool is asked about, those with most rows first."""
LEAST_HOLDERS = 2
LEAST_ROWS = 2
"""Rows of a holder about which a goal could be."""


@dataclass(frozen=True)
class Part:
    """A parameter, and the column whose value it takes. `link`: its column with the key of the part before it."""

    parameter: str
    table: str
    column: str
    link: str = ""


@dataclass(frozen=True)
class Scope:
    """What a tool must be told: `parts` name a row of `holder`, step by step; rows hold its key in `column`.

    `links`: per part but the last the key that the next one holds. `closed`: keys of holders that the tool refuses.
    `hidden`: a flag; rows that have it are left out of what is shown ("" for none).
    """

    column: str
    holder: str
    key: str
    parts: tuple[Part, ...]
    links: tuple[str, ...] = ()
    closed: frozenset[Any] = frozenset()
    hidden: str = ""

    @property
    def by_key(self) -> bool:
        """The tool takes nothing but the holder's key."""
        return len(self.parts) == 1 and self.parts[0].column == self.key

    def source(self) -> str:
        """FROM with the holder as `p<last>` and every part before it."""
        last = len(self.parts) - 1
        joined = f'"{self.holder}" p{last}'
        for at in range(last, 0, -1):
            part, before = self.parts[at], self.parts[at - 1]
            joined += f' JOIN "{before.table}" p{at - 1} ON p{at - 1}."{self.links[at - 1]}" = p{at}."{part.link}"'
        return joined

    def value(self, at: int, holder: str) -> str:
        """SELECT of what a part's parameter takes for the holder whose key the expression gives."""
        last = len(self.parts) - 1
        return f'SELECT p{at}."{self.parts[at].column}" FROM {self.source()} WHERE p{last}."{self.key}" = {holder}'  # noqa: S608


def scopes_of(keys: Keys, tool: ToolSpec, tables: Mapping[str, Table]) -> Iterator[tuple[str, Scope]]:
    """Every table that a tool may list by what it must be told, with the scope."""
    places = _places(tool, tables)
    if not places:
        return
    parts: list[Part] = []
    links: list[str] = []
    for parameter, table, column in places:
        if not parts:
            parts.append(Part(parameter, table, column))
            continue
        held = _only(one for one in keys.foreign if (one.table, one.to_table) == (table, parts[-1].table))
        if held is None:
            return
        parts.append(Part(parameter, table, column, held.column))
        links.append(held.to_column)
    last = parts[-1]
    for name in sorted(set(tool.reads) & set(tables)):
        held = _only(one for one in keys.foreign if (one.table, one.to_table) == (name, last.table))
        if held is not None and name not in {part.table for part in parts}:
            yield name, Scope(held.column, last.table, held.to_column, tuple(parts), tuple(links))


def _places(tool: ToolSpec, tables: Mapping[str, Table]) -> list[tuple[str, str, str]]:
    """What each required parameter is the value of, in the tool's order; none where one is no value of a column."""
    required = set(tool.parameters.get("required", ()))
    found: list[tuple[str, str, str]] = []
    for parameter in (name for name in tool.parameters.get("properties", {}) if name in required):
        entity, _, column = tool.consumes.get(parameter, "").partition(".")
        table = next((one for one in tables.values() if one.entity == entity and one.has(column)), None)
        if table is None:
            return []
        found.append((parameter, table.name, column))
    return found


def _only(found: Iterator[Foreign]) -> Foreign | None:
    every = list(found)
    return every[0] if len(every) == 1 else None


def holders(keys: Keys, table: str, scope: Scope) -> list[tuple[Any, dict[str, Any]]]:
    """Holders with rows, those with most first: their keys, and what the tool is told of each."""
    last = len(scope.parts) - 1
    shown = ", ".join(f'p{at}."{part.column}"' for at, part in enumerate(scope.parts))
    sql = (
        f'SELECT p{last}."{scope.key}", {shown} FROM {scope.source()} JOIN "{table}" r '  # noqa: S608
        f'ON r."{scope.column}" = p{last}."{scope.key}" GROUP BY 1 HAVING count(*) >= {LEAST_ROWS} '
        f"ORDER BY count(*) DESC, 1 LIMIT {MOST_HOLDERS}"
    )
    names = [part.parameter for part in scope.parts]
    return [(row[0], dict(zip(names, row[1:], strict=True))) for row in keys.rows(sql)]


@dataclass(frozen=True)
class Shown:
    """What a tool showed: records of all holders that it answered for; those that it refused; a flag that hides."""

    records: list[Mapping[str, Any]]
    closed: frozenset[Any]
    hidden: str


def rows_of_holders(keys: Keys, table: Table, scope: Scope, pages: Pages) -> Shown | None:
    """None where the tool shows anything but the rows of a holder, or hardly ever answers."""
    asked, closed = holders(keys, table.name, scope), set[Any]()
    shown: dict[Any, list[Mapping[str, Any]]] = {}
    for holder, given in asked:
        records = pages(given)
        if records is None:
            closed.add(holder)
        elif any(name not in record for record in records for name in table.primary_key):
            return None
        else:
            shown[holder] = records
    flags = ["", *(column.name for column in table.columns if column.type == "boolean")]
    hidden = next((one for one in flags if _are_all(keys, table, scope, shown, one)), None)
    if hidden is None or len(shown) < LEAST_HOLDERS:
        return None
    return Shown([record for records in shown.values() for record in records], frozenset(closed), hidden)


def _are_all(
    keys: Keys, table: Table, scope: Scope, shown: Mapping[Any, Sequence[Mapping[str, Any]]], hidden: str
) -> bool:
    """What was shown is what each holder has, each row once; but for rows with the flag."""
    listed = ", ".join(f'"{name}"' for name in table.primary_key)
    test = f' AND "{hidden}" = 0' if hidden else ""
    for holder, records in shown.items():
        sql = f'SELECT {listed} FROM "{table.name}" WHERE "{scope.column}" = ?{test}'  # noqa: S608
        found = [tuple(record[name] for name in table.primary_key) for record in records]
        if sorted(found, key=repr) != sorted(keys.rows(sql, (holder,)), key=repr):
            return False
    return True

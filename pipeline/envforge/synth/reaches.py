"""Reaches: from a key to rows, and from what people say to a row, by one tool; each compared with the database.

A reach says which rows a tool shows for a key (the row itself, or all rows that refer to it). A finder says by which
column a tool finds rows without any key. Both are learned from calls that show them right for every key that was tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal, cast

from envforge.core.records.environment import ToolSpec
from envforge.core.seeds import stream
from envforge.synth.keys import Foreign, Keys
from envforge.synth.paging import paging_of
from envforge.synth.sights import Sight, records_in
from envforge.world.session import Session

TRIED = 14
"""Keys or rows that a reach is tried with."""
MOST_PAGES = 12
MOST_LISTED = 300
"""Rows that somebody lists to find one of them."""
LEAST_TRIED = 3
FEW_VALUES = 8
"""So many values a column has at most that may tell which rows are left out."""


@dataclass(frozen=True)
class Reach:
    """`tool(parameter=key of kind)` shows in `sight` the row itself (no `by`) or all rows that refer to it.

    `by` leads from the shown rows to the key, over another table where it has two parts; the first of them is turned
    round where that table holds both keys (`through`). `only`: a column and the
    values of it outside of which rows are left out. `repeats`: a row may be shown more than once.
    """

    tool: str
    parameter: str
    kind: str
    sight: Sight
    by: tuple[Foreign, ...] = ()
    only: tuple[str, tuple[Any, ...]] | None = None
    repeats: bool = False

    @property
    def through(self) -> bool:
        """A table of ties leads to the shown rows, which hold no key of what they are tied to."""
        return len(self.by) == 2 and (self.by[0].table, self.by[0].column) == (self.sight.table, self.own_key)

    @property
    def own_key(self) -> str:
        """The key column of the shown rows."""
        return self.sight.kind.rpartition(".")[2]


@dataclass(frozen=True)
class Finder:
    """`tool(parameter=value of column)` shows in `sight` the rows with that value, or (contains) with it inside.

    Without a parameter it shows all rows. `constants`: further arguments that it wants.
    """

    tool: str
    sight: Sight
    parameter: str = ""
    column: str = ""
    match: Literal["exact", "contains", "all"] = "exact"
    constants: Mapping[str, Any] = field(default_factory=lambda: dict[str, Any]())


def keys_between(by: tuple[Foreign, ...], keys: str) -> str:
    """SQL of the keys that the first of `by` holds for rows that refer to `keys` (a value or a SELECT)."""
    if len(by) == 1:
        return keys
    return f'SELECT "{by[0].to_column}" FROM "{by[1].table}" WHERE "{by[1].column}" IN ({keys})'  # noqa: S608


def value_in(record: Mapping[str, Any], path: Sequence[str]) -> Any:
    """The value of a field; None where it is not there."""
    value: Any = record
    for name in path:
        value = cast("Mapping[str, Any]", value).get(name) if isinstance(value, Mapping) else None
    return value


class Reaches:
    """Learns reaches and finders of one environment in one session, which only reads."""

    def __init__(self, keys: Keys, sights: Sequence[Sight], session: Session, seed: int) -> None:
        self._keys, self._session, self._seed = keys, session, seed
        self._sights = sights
        self._tools = {tool.name: tool for tool in keys.environment.tools}

    def reaches(self) -> tuple[Reach, ...]:
        """All reaches, in the order of the tools."""
        return tuple(found for tool in self._tools.values() for found in self._of_tool(tool))

    def finders(self) -> tuple[Finder, ...]:
        """All finders, in the order of the tools."""
        return tuple(found for sight in self._sights for found in self._found(self._tools[sight.tool], sight))

    def _of_tool(self, tool: ToolSpec) -> Iterator[Reach]:
        required = set(tool.parameters.get("required", ()))
        for parameter, kind in tool.consumes.items():
            if kind not in self._keys.kinds or not required <= {parameter} or not tool.annotations.read_only:
                continue
            sights = [sight for sight in self._sights if sight.tool == tool.name]
            rng = stream(self._seed, "reaches", tool.name, parameter)
            keys = [*self._keys.sample(kind, rng, TRIED), *self._odd(kind, sights)]
            shown = self._shown(tool, parameter, list(dict.fromkeys(keys)), sights)
            for sight in sights:
                tried = [(key, seen[sight.path, sight.kind]) for key, seen in shown]
                if len(tried) >= max(1, min(LEAST_TRIED, len(self._keys.values(*self._keys.kinds[kind])))):
                    yield from self._related(tool, parameter, kind, sight, tried)

    def _odd(self, kind: str, sights: Sequence[Sight]) -> Iterator[Any]:
        """Keys that rows with a rare value refer to: what a tool leaves out (cancelled, in the trash) is rare."""
        table, column = self._keys.kinds[kind]
        for sight in sights:
            for foreign in self._keys.foreign if sight.many else ():
                if foreign.table == sight.table and (foreign.to_table, foreign.to_column) == (table, column):
                    for name in self._keys.environment.template.tables[sight.table].columns:
                        yield from self._referred(foreign, name)

    def _referred(self, foreign: Foreign, column: str) -> list[Any]:
        values = self._keys.values(foreign.table, column)
        if not 2 <= len(values) <= FEW_VALUES:
            return []
        sql = (
            f'SELECT min("{foreign.column}"), max("{foreign.column}") FROM "{foreign.table}" '  # noqa: S608
            f'WHERE "{foreign.column}" IS NOT NULL GROUP BY "{column}" ORDER BY count(*), 1'
        )
        return [key for row in self._keys.rows(sql) for key in row]

    def _shown(
        self, tool: ToolSpec, parameter: str, keys: Sequence[Any], sights: Sequence[Sight]
    ) -> list[tuple[Any, dict[Any, list[Any]]]]:
        """Per key the keys of the rows that each sight shows; keys that the tool refuses are left out."""
        found: list[tuple[Any, dict[Any, list[Any]]]] = []
        for key in keys:
            results = self._all_pages(tool, {parameter: key})
            if results is not None:
                seen = {(s.path, s.kind): [v for r in results for v in _identities(r, s)] for s in sights}
                found.append((key, seen))
        return found

    def _related(
        self, tool: ToolSpec, parameter: str, kind: str, sight: Sight, tried: list[tuple[Any, list[Any]]]
    ) -> Iterator[Reach]:
        if sight.kind == kind and not sight.many and all(seen == [key] for key, seen in tried):
            yield Reach(tool.name, parameter, kind, sight)
            return
        for by in self._ways(sight, kind) if sight.many else ():
            only = self._only(sight, by, tried)
            if only is not False and any(seen for _, seen in tried):
                repeats = any(len(set(seen)) < len(seen) for _, seen in tried)
                yield Reach(tool.name, parameter, kind, sight, by, None if only is True else only, repeats)
                return

    def _ways(self, sight: Sight, kind: str) -> Iterator[tuple[Foreign, ...]]:
        """Foreign keys from the shown rows to the kind: direct ones, over a table between, through a table of ties."""
        goal = self._keys.kinds[kind]
        own = [foreign for foreign in self._keys.foreign if foreign.table == sight.table]
        yield from ((foreign,) for foreign in own if (foreign.to_table, foreign.to_column) == goal)
        for first in own:
            for second in self._keys.foreign:
                if second.table == first.to_table and (second.to_table, second.to_column) == goal:
                    yield first, second
        for tie in self._keys.ties:
            for near, far in (tie, tie[::-1]):
                if (near.to_table, near.to_column, far.to_table, far.to_column) == (
                    *self._keys.kinds[sight.kind],
                    *goal,
                ):
                    yield Foreign(near.to_table, near.to_column, near.table, near.column), far

    def _only(
        self, sight: Sight, by: tuple[Foreign, ...], tried: list[tuple[Any, list[Any]]]
    ) -> tuple[str, tuple[Any, ...]] | bool:
        """True when all rows are shown, False when others are, else the column that tells who is left out."""
        shown_rows: list[Mapping[str, Any]] = []
        left_out: list[Mapping[str, Any]] = []
        key_column = self._keys.kinds[sight.kind][1]
        for key, seen in tried:
            rows = self._referring(by, key)
            if set(seen) - {row[key_column] for row in rows}:
                return False
            shown_rows += [row for row in rows if row[key_column] in set(seen)]
            left_out += [row for row in rows if row[key_column] not in set(seen)]
        if not left_out:
            return True
        for column in left_out[0]:
            inside = {row[column] for row in shown_rows}
            if (
                inside
                and len(inside) <= FEW_VALUES
                and not inside & {row[column] for row in left_out}
                and len(shown_rows) > 9
            ):
                return column, tuple(sorted(inside, key=str))
        return False

    def _referring(self, by: tuple[Foreign, ...], key: Any) -> list[dict[str, Any]]:
        sql = f'SELECT * FROM "{by[0].table}" WHERE "{by[0].column}" IN ({keys_between(by, "?")})'  # noqa: S608
        names, rows = self._keys.environment.reader.query(sql, (key,))
        return [dict(zip(names, row, strict=True)) for row in rows]

    def _rows(self, table: str, column: str, value: Any) -> list[dict[str, Any]]:
        names, rows = self._keys.environment.reader.query(f'SELECT * FROM "{table}" WHERE "{column}" = ?', (value,))  # noqa: S608
        return [dict(zip(names, row, strict=True)) for row in rows]

    def _all_pages(self, tool: ToolSpec, arguments: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
        """The results of all pages; None when the tool refuses or there are too many."""
        paging = paging_of(tool)
        given = {**arguments, **({paging.size_parameter: paging.size} if paging.size_parameter else {})}
        results: list[Mapping[str, Any]] = []
        for _ in range(MOST_PAGES):
            result = self._session.call(tool.name, given).result
            if result is None:
                return None
            results.append(result)
            if not paging.cursor or not result.get(paging.following):
                return results
            given = {**given, paging.cursor: result[paging.following]}
        return None

    def _found(self, tool: ToolSpec, sight: Sight) -> Iterator[Finder]:
        required = set(tool.parameters.get("required", ()))
        schemas = cast("Mapping[str, Mapping[str, Any]]", tool.parameters.get("properties", {}))
        paging = paging_of(tool)
        plain = [name for name in schemas if name not in {*tool.consumes, paging.cursor, paging.size_parameter}]
        texts = [name for name in plain if schemas[name].get("type") == "string" and "enum" not in schemas[name]]
        if not sight.many or not tool.annotations.read_only:
            return
        rng = stream(self._seed, "finders", tool.name, sight.kind)
        for constants in _constants({name: schemas[name] for name in plain if "enum" in schemas[name]}):
            found = [f for name in texts if required <= {name} for f in self._by(tool, sight, name, constants, rng)]
            if not required:
                found += self._everything(tool, sight, constants)
            yield from found
            if found:
                return

    def _everything(self, tool: ToolSpec, sight: Sight, constants: Mapping[str, Any]) -> Iterator[Finder]:
        rows = len(self._keys.values(*self._keys.kinds[sight.kind]))
        results = self._all_pages(tool, constants) if rows <= MOST_LISTED else None
        if results is not None:
            seen = [value for result in results for value in _identities(result, sight)]
            if frozenset(seen) == self._keys.values(*self._keys.kinds[sight.kind]):
                yield Finder(tool.name, sight, match="all", constants=constants)

    def _by(
        self, tool: ToolSpec, sight: Sight, parameter: str, constants: Mapping[str, Any], rng: Random
    ) -> Iterator[Finder]:
        """Columns by which the parameter finds rows: the same for every row that was tried."""
        for column in [name for name in sight.fields if name in self._columns(sight.table)]:
            values = sorted(v for v in self._keys.values(sight.table, column) if isinstance(v, str) and v.strip())
            if len(values) < LEAST_TRIED:
                continue
            verdicts = [
                self._verdict(tool, sight, {**constants, parameter: value}, column, value)
                for value in rng.sample(values, min(len(values), LEAST_TRIED))
            ]
            if all(verdicts):
                verdicts += [
                    self._verdict(tool, sight, {**constants, parameter: value}, column, value)
                    for value in rng.sample(values, min(len(values), TRIED - LEAST_TRIED))
                ]
            if all(verdicts):
                match: Any = "contains" if "contains" in verdicts else "exact"
                yield Finder(tool.name, sight, parameter, column, match, constants)

    def _verdict(self, tool: ToolSpec, sight: Sight, given: Mapping[str, Any], column: str, value: str) -> str:
        """exact or contains when each row with the value is shown, and none without it; "" otherwise."""
        results = self._all_pages(tool, given)
        if not results:
            return ""
        shown = [record for result in results for record in records_in(result, sight.path, many=True)]
        keys = {value_in(record, sight.identity) for record in shown}
        key_column = self._keys.kinds[sight.kind][1]
        wanted = {row[key_column] for row in self._rows(sight.table, column, value)}
        values = [value_in(record, sight.fields[column]) for record in shown]
        if not wanted or not wanted <= keys or not keys <= self._keys.values(sight.table, key_column):
            return ""
        if all(isinstance(v, str) and v.casefold() == value.casefold() for v in values):
            return "exact"
        return "contains" if all(isinstance(v, str) and value.casefold() in v.casefold() for v in values) else ""

    def _columns(self, table: str) -> tuple[str, ...]:
        return self._keys.environment.template.tables[table].columns


def _identities(result: Mapping[str, Any], sight: Sight) -> list[Any]:
    found = [value_in(record, sight.identity) for record in records_in(result, sight.path, many=sight.many)]
    return [value for value in found if value is not None]


def _constants(choices: Mapping[str, Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """No further argument, or one choice of one parameter."""
    yield {}
    for name, schema in choices.items():
        for value in cast("list[Any]", schema["enum"]):
            yield {name: value}

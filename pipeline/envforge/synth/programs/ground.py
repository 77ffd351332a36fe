"""The ground of programs: tools that list rows of a table, by which columns they select, and how one row is looked up.

What is said of a tool is what it did: a listing is one whose pages show every row of the table, each once; a parameter
selects by a column when the rows shown are those of the database with that value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, cast

from envforge.core.records.domain import Table
from envforge.core.records.environment import ToolSpec
from envforge.core.seeds import stream
from envforge.synth.landscape import Landscape
from envforge.synth.nouns import sayable
from envforge.synth.paging import paging_of
from envforge.synth.programs.scoped import Scope, holders, rows_of_holders, scopes_of
from envforge.synth.sights import Field, Sight, records_in, same
from envforge.world.session import Session

_NO_NOUN = re.compile(r"(ive|ed|ing|al|ous|ic|by|to|of)$")
"""Labels that are no nouns: "name native", "discouraged according to"."""
MOST_PAGES = 150
TRIED = 3
Way: TypeAlias = Literal["equal", "least", "most"]


@dataclass(frozen=True)
class Selector:
    """A parameter that selects rows by a column: with this value, from it on, or up to it."""

    parameter: str
    column: str
    way: Way = "equal"


@dataclass(frozen=True)
class Listing:
    """A tool whose pages show all rows of a table, or of one holder (`scope`) all that it has.

    `fields`: column -> where a record shows it.
    """

    tool: str
    table: str
    path: Field
    fields: Mapping[str, Field]
    selectors: tuple[Selector, ...] = ()
    rows: int = 0
    scope: Scope | None = None

    def selector(self, column: str, way: Way = "equal") -> Selector | None:
        """The parameter that selects by the column."""
        return next((one for one in self.selectors if (one.column, one.way) == (column, way)), None)


@dataclass(frozen=True)
class Lookup:
    """A tool that shows one row whole, by its key."""

    tool: str
    parameter: str
    path: Field
    fields: Mapping[str, Field]


@dataclass(frozen=True)
class Bond:
    """A table that ties rows of one table to those of another. `owner`: the column of the row it belongs to.

    `shown`: table -> where a record of the listing shows its columns.
    """

    table: Table
    listing: Listing
    owner: str
    owner_table: str
    other: str
    other_table: str
    other_key: str
    words: str
    valued: bool
    shown: Mapping[str, Mapping[str, Field]] = field(default_factory=lambda: dict[str, Mapping[str, Field]]())


class Ground:
    """Listings, look-ups and bonds of one environment; learned in one session, which only reads."""

    def __init__(self, landscape: Landscape, seed: int) -> None:
        self.landscape, self._seed = landscape, seed
        self.keys = landscape.keys
        self.tables = {table.name: table for table in landscape.knowledge.blueprint.tables}
        self._template = landscape.environment.template.tables
        with landscape.environment.start(0) as session:
            self._session: Session = session
            found = [one for tool in landscape.environment.tools for one in self._listings(tool)]
            inner = [one for tool in landscape.environment.tools for one in self._scoped(tool)]
        self.listings: tuple[Listing, ...] = tuple(found)
        self.scoped: tuple[Listing, ...] = tuple(inner)
        self.bonds = tuple(self._bonds())

    def listing(self, table: str) -> Listing | None:
        """The tool that lists a table, the one that shows most first."""
        own = [one for one in self.listings if one.table == table]
        return max(own, key=lambda one: len(one.fields), default=None)

    def scoped_listing(self, table: str) -> Listing | None:
        """The tool that lists what one holder has of a table, the one that shows most first."""
        own = [one for one in self.scoped if one.table == table]
        return max(own, key=lambda one: len(one.fields), default=None)

    def lookup(self, table: str) -> Lookup | None:
        """The tool that shows one row of a table."""
        kind = self.keys.kind_of_table.get(table, "")
        for reach in self.landscape.reaches:
            if reach.kind == kind and not reach.by and reach.sight.kind == kind and not reach.sight.many:
                shown = {k: f[len(reach.sight.path) :] for k, f in reach.sight.fields.items()}
                return Lookup(reach.tool, reach.parameter, reach.sight.path, shown)
        return None

    def _listings(self, tool: ToolSpec) -> Iterator[Listing]:
        if tool.parameters.get("required") or not tool.annotations.read_only:
            return
        paging = paging_of(tool)
        if not paging.items:
            return
        records = self._pages(tool, {}, (paging.items,))
        for name in sorted(set(tool.reads)) if records else ():
            table = self.tables.get(name)
            fields = self._fields(table, records or []) if table is not None else {}
            if table is not None and fields and self._whole(table, fields, records or []):
                plain = Listing(tool.name, name, (paging.items,), fields, (), len(records or []))
                yield replace(plain, selectors=tuple(self._selectors(tool, plain, table)))

    def _scoped(self, tool: ToolSpec) -> Iterator[Listing]:
        paging = paging_of(tool)
        if not tool.parameters.get("required") or not tool.annotations.read_only or not paging.items:
            return
        path: Field = (paging.items,)
        for name, scope in scopes_of(self.keys, tool, self.tables):
            table = self.tables[name]
            shown = rows_of_holders(self.keys, table, scope, lambda given: self._pages(tool, given, path))
            fields = self._fields(table, shown.records) if shown else {}
            if shown and fields:
                told = replace(scope, closed=shown.closed, hidden=shown.hidden)
                plain = Listing(tool.name, name, path, fields, (), len(shown.records), told)
                yield replace(plain, selectors=tuple(self._selectors(tool, plain, table)))

    def _fields(self, table: Table, records: Sequence[Mapping[str, Any]]) -> dict[str, Field]:
        """Column -> field for columns that every record shows as its row has them; none without the whole key."""
        columns = self._template[table.name].columns
        rows = self.keys.rows(f'SELECT * FROM "{table.name}"')  # noqa: S608
        key = [columns.index(one) for one in table.primary_key]
        stored = {tuple(row[place] for place in key): row for row in rows}
        if any(name not in record for record in records for name in table.primary_key):
            return {}
        own = [stored.get(tuple(record[name] for name in table.primary_key)) for record in records]
        if any(row is None for row in own):
            return {}
        found: dict[str, Field] = {}
        for place, name in enumerate(columns):
            pairs = [(record.get(name), cast("Any", row)[place]) for record, row in zip(records, own, strict=True)]
            if all(name in record for record in records) and all(
                (a is None and b is None) or same(a, b) for a, b in pairs
            ):
                found[name] = (name,)
        return found

    def _whole(self, table: Table, fields: Mapping[str, Field], records: Sequence[Mapping[str, Any]]) -> bool:
        """Every row is shown, each once."""
        if not set(table.primary_key) <= set(fields):
            return False
        shown = [tuple(record[name] for name in table.primary_key) for record in records]
        count = self.keys.rows(f'SELECT count(*) FROM "{table.name}"')[0][0]  # noqa: S608
        return len(shown) == len(set(shown)) == count

    def _selectors(self, tool: ToolSpec, listing: Listing, table: Table) -> Iterator[Selector]:
        paging = paging_of(tool)
        told = {part.parameter for part in listing.scope.parts} if listing.scope else set[str]()
        for name in tool.parameters.get("properties", {}):
            if name in (paging.cursor, paging.size_parameter) or name in told:
                continue
            for column, way in _meanings(name, list(self._template[table.name].columns)):
                if self._selects(tool, listing, table, Selector(name, column, way)):
                    yield Selector(name, column, way)
                    break

    def _selects(self, tool: ToolSpec, listing: Listing, table: Table, one: Selector) -> bool:
        """In a scope: of the holder with most rows."""
        held, told, bound = "1", dict[str, Any](), tuple[Any, ...]()
        if listing.scope is not None:
            asked = holders(self.keys, table.name, listing.scope)
            holder, told = next(one for one in asked if one[0] not in listing.scope.closed)
            held, bound = f'"{listing.scope.column}" = ?', (holder,)
            held += f' AND "{listing.scope.hidden}" = 0' if listing.scope.hidden else ""
        known = self.keys.rows(f'SELECT DISTINCT "{one.column}" FROM "{table.name}" WHERE {held}', bound)  # noqa: S608
        values = sorted(row[0] for row in known if row[0] is not None and row[0] != "")
        rng = stream(self._seed, "selectors", tool.name, one.parameter)
        sign = {"equal": "=", "least": ">=", "most": "<="}[one.way]
        schema = cast("Mapping[str, Any]", tool.parameters["properties"])[one.parameter]
        for value in rng.sample(values, min(TRIED, len(values))):
            given = bool(value) if schema.get("type") == "boolean" else value
            records = self._pages(tool, {**told, one.parameter: given}, listing.path)
            key = ", ".join(f'"{name}"' for name in table.primary_key)
            sql = f'SELECT {key} FROM "{table.name}" WHERE {held} AND "{one.column}" {sign} ?'  # noqa: S608
            wanted = set(self.keys.rows(sql, (*bound, value)))
            if records is None or {tuple(r[name] for name in table.primary_key) for r in records} != wanted:
                return False
        return bool(values)

    def _pages(self, tool: ToolSpec, given: Mapping[str, Any], path: Field) -> list[Mapping[str, Any]] | None:
        """Records of all pages; None when the tool refuses or there are too many."""
        paging = paging_of(tool)
        arguments = {**given, **({paging.size_parameter: paging.size} if paging.size_parameter else {})}
        found: list[Mapping[str, Any]] = []
        for _ in range(MOST_PAGES):
            result = self._session.call(tool.name, arguments).result
            if result is None:
                return None
            found += records_in(result, path, many=True)
            if not paging.cursor or not result.get(paging.following):
                return found
            arguments = {**arguments, paging.cursor: result[paging.following]}
        return None

    def _bonds(self) -> Iterator[Bond]:
        # A history tells what happened to rows; whoever acted then is not tied to them.
        histories = {one.table for one in self.landscape.knowledge.blueprint.histories}
        for listing in [one for one in self.listings if one.table not in histories]:
            table = self.tables[listing.table]
            refers = [(c.name, c.references) for c in table.columns if c.references and c.name in table.primary_key]
            refers += [
                (c.name, c.references) for c in table.columns if c.references and c.name not in table.primary_key
            ]
            refers = [(name, ref) for name, ref in refers if ref and ref.confidence == 1.0 and name in listing.fields]
            paired = len(refers) == 2 and {name for name, _ in refers} <= set(table.primary_key)
            if len(refers) != 2 or not (paired or table.kind in ("link", "child")):
                continue
            (owner, one), (other, two) = refers
            if self.tables[one.table].primary_key != (one.column,) or not _bonds_alone(table, owner, other):
                continue
            valued = len([c for c in table.columns if c.role != "position"]) > 2
            label = re.sub(r" of an? .*", "", table.label)
            words = label.removeprefix(self.tables[one.table].label).strip() or label
            if _NO_NOUN.search(words) or not sayable(words):
                continue
            shown = {s.table: s.fields for s in self._sights(listing) if one.table != two.table}
            yield Bond(table, listing, owner, one.table, other, two.table, two.column, words, valued, shown)

    def _sights(self, listing: Listing) -> list[Sight]:
        return [s for s in self.landscape.sights if s.tool == listing.tool and s.path == listing.path]


def _bonds_alone(table: Table, owner: str, other: str) -> bool:
    """A pair of rows is tied once: the key is the pair, or one of the two with a place."""
    rest = set(table.primary_key) - {owner, other}
    return not rest or all(table.column(name).role == "position" for name in rest)


def _meanings(parameter: str, columns: Sequence[str]) -> Iterator[tuple[str, Way]]:
    """Columns that a parameter may select by, read from its name."""
    for column in columns:
        if parameter == column:
            yield column, "equal"
        if parameter in (f"min_{column}", f"{column}_after"):
            yield column, "least"
        if parameter in (f"max_{column}", f"{column}_before"):
            yield column, "most"
    for column in columns:
        if column.startswith(f"{parameter}_") or column.endswith(f"_{parameter}"):
            yield column, "equal"

"""Moves of the search for a shorter solution: reads of an episode that fewer calls might replace.

A move is proposed from the recorded data-flow: what calls asked for, what their results show of which type. It is not
yet sound; the search plays what it leads to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

from envforge.core.ids import canonical_json
from envforge.core.records.environment import ToolSpec
from envforge.gates.atoms import Path, atoms, value_at
from envforge.gates.solutions import Step
from envforge.synth.paging import paging_of
from envforge.synth.shorter_reads import Reads, Rows, page_names, rows_of, type_of
from envforge.synth.shorter_rules import (
    CountOnly,
    DirectLookup,
    Given,
    KnownRows,
    LargestPages,
    ListFilter,
    Literal,
    Rule,
)

MOST_LOOKS = 8
"""First pages of lists that are looked at for one kind of look-up; a list goes on where that shows several rows."""
MOST_PAGES = 40
"""Of a list that is looked at."""
MOST_FILTERS = 12
"""Tried for one list."""


@dataclass(frozen=True)
class Move:
    """A shortcut, and how many calls it may save at most."""

    rule: Rule
    saves: int


@dataclass(frozen=True)
class Lookup:
    """A call that asked for one row by its key, and the row."""

    number: int
    key: Any
    row: Mapping[str, Any]


@dataclass(frozen=True)
class Listing:
    """A list that may show what is looked up: where its rows and their keys stand, how it is asked for."""

    spec: ToolSpec
    items: str
    field: str
    given: Given
    concrete: Mapping[str, Any]
    """What `given` stands for in the episode."""

    def rule(self, tool: str, parameter: str, record: str, fields: tuple[str, ...]) -> KnownRows:
        """The list is read instead of the look-ups, in its largest pages."""
        paging = paging_of(self.spec)
        size: Given = ((paging.size_parameter, Literal(paging.size)),) if paging.size_parameter else ()
        source = ((self.spec.name, self.items, self.field),)
        given = (*self.given, *size)
        following = (paging.cursor, paging.following)
        return KnownRows(tool, parameter, record, fields, source, self.spec.name, given, *following)


class Moves(Reads):
    """What may be tried on one episode."""

    def all(self) -> list[Move]:
        """Those that may save the most first; the same moves in the same order for the same episode."""
        found = {
            canonical_json([move.rule.name, move.rule.source(0)]): move
            for part in (self._seen_rows, self._lists, self._filters, self._pages, self._counts, self._directs)
            for move in part()
            if move.saves > 0
        }
        return sorted(found.values(), key=lambda move: -move.saves)

    def _lookups(self, tool: str) -> tuple[str, str, list[Lookup]]:
        """Parameter and field of the row, and what was looked up; nothing unless each call asked by one key."""
        steps = self._reads[tool]
        names = {tuple(step.arguments) for _, step in steps}
        spec = self._semantics.tools[tool]
        parameter = next(iter(names))[0] if len(names) == 1 and len(next(iter(names))) == 1 else ""
        if not spec.consumes.get(parameter) or paging_of(spec).items:
            return "", "", []
        results = [cast("Mapping[str, Any]", step.seen.result) for _, step in steps]
        fields = {name for result in results for name in result}
        record = next(iter(fields)) if len(fields) == 1 else ""
        if record and not all(isinstance(result.get(record), dict) for result in results):
            return "", "", []
        rows = [cast("Mapping[str, Any]", result[record] if record else result) for result in results]
        found = zip(steps, rows, strict=True)
        return parameter, record, [Lookup(n, step.arguments[parameter], row) for (n, step), row in found]

    def _seen_rows(self) -> Iterator[Move]:
        """A look-up whose row an earlier result showed."""
        for tool in self._reads:
            parameter, record, looked = self._lookups(tool)
            kind = self._semantics.tools[tool].consumes.get(parameter, "")
            for source in self._reads if looked else ():
                for items, field in _places(self._semantics.tools[source], kind):
                    rows = [
                        (n, row) for n, step in self._reads[source] for row in rows_of(step.seen.result or {}, items)
                    ]
                    pairs = [(one.row, _last(rows, field, one)) for one in looked]
                    covered = [(own, row) for own, row in pairs if row is not None]
                    fields = _agreed(covered)
                    if len(fields) > 1:
                        rule = KnownRows(tool, parameter, record, fields, ((source, items, field),))
                        yield Move(rule, len(covered))

    def _lists(self) -> Iterator[Move]:
        """Several look-ups whose rows stand in a list that was not read."""
        for tool in self._reads:
            parameter, record, looked = self._lookups(tool)
            keys = {canonical_json(one.key) for one in looked}
            for listing in islice(self._listings(tool, parameter), MOST_LOOKS) if len(keys) > 1 else ():
                shown = self._look(listing.spec.name, listing.concrete, 1)
                if len({canonical_json(row.get(listing.field)) for row in shown} & keys) < 2:
                    continue
                rows = self._look(listing.spec.name, listing.concrete, min(MOST_PAGES, len(looked) - 1))
                by_key = {canonical_json(row.get(listing.field)): row for row in rows}
                pairs = [(one.row, by_key.get(canonical_json(one.key))) for one in looked]
                covered = [(own, row) for own, row in pairs if row is not None]
                fields = _agreed(covered)
                if len(fields) > 1:
                    yield Move(listing.rule(tool, parameter, record, fields), len(covered) - 1)

    def _listings(self, tool: str, parameter: str) -> Iterator[Listing]:
        """Lists with keys of the look-up's type, those of its entity first, in each way that they can be asked for."""
        own = self._semantics.tools[tool]
        kind = own.consumes[parameter]
        others = [spec for spec in self._read_only if spec.name != tool and spec.name not in self._reads]
        for spec in sorted(others, key=lambda spec: spec.entity != own.entity):
            for items, field in _places(spec, kind):
                for given, concrete in self._asked(spec) if items else ():
                    yield Listing(spec, items, field, given, concrete)

    def _asked(self, spec: ToolSpec) -> Iterator[tuple[Given, dict[str, Any]]]:
        """Ways to ask for a list: for all, or by one parameter."""
        required = set(spec.parameters.get("required", ()))
        if not required:
            yield (), {}
        for name in self._own_parameters(spec):
            if required <= {name}:
                for value, concrete in self._values(spec, name):
                    yield ((name, value),), {name: concrete}

    def _filters(self) -> Iterator[Move]:
        """A list of several pages that has a parameter for what is wanted of it."""
        for tool in self._reads:
            groups = self._groups(tool)
            spec = self._semantics.tools[tool]
            saves = len(self._reads[tool]) - len(groups)
            if saves < 1:
                continue
            shown = {str(value).casefold() for rows in groups.values() for row in rows for _, value in atoms(row)}
            used = {name for _, step in self._reads[tool] for name in step.arguments}
            tried = 0
            for name in self._own_parameters(spec):
                for value, concrete in self._values(spec, name) if name not in used else ():
                    fits = any(str(concrete).casefold() in text for text in shown)
                    if fits and tried < MOST_FILTERS:
                        tried += 1
                        yield Move(ListFilter(tool, ((name, value),)), saves)

    def _pages(self) -> Iterator[Move]:
        """A list that was read in small pages."""
        for tool, steps in self._reads.items():
            paging = paging_of(self._semantics.tools[tool])
            saves = len(steps) - len(self._groups(tool))
            name = paging.size_parameter
            if name and saves > 0 and any(step.arguments.get(name) != paging.size for _, step in steps):
                yield Move(LargestPages(tool, name, paging.size), saves)

    def _counts(self) -> Iterator[Move]:
        """A list of several pages whose number of rows stands in one result."""
        for tool, steps in self._reads.items():
            paging = paging_of(self._semantics.tools[tool])
            groups = self._groups(tool)
            if not paging.items or len(steps) - len(groups) < 1:
                continue
            asked = {name for _, step in steps for name in step.arguments} - page_names(paging)
            shows = tuple(
                (field, name)
                for name in sorted(asked)
                for field in _fields([row for rows in groups.values() for row in rows])
                if all(
                    row.get(field) == step.arguments.get(name)
                    for _, step in steps
                    for row in rows_of(step.seen.result or {}, paging.items)
                )
            )
            for spec in self._read_only:
                names = set(spec.parameters.get("properties", {}))
                if asked <= names and set(spec.parameters.get("required", ())) <= asked:
                    dropped = () if spec.name == tool else tuple(sorted(page_names(paging)))
                    for total in _numbers(spec):
                        rule = CountOnly(tool, paging.items, spec.name, total, dropped, shows)
                        yield Move(rule, len(steps) - len(groups))

    def _directs(self) -> Iterator[Move]:
        """A look-up whose result gives nothing but the key of the next one."""
        for first, steps in self._reads.items():
            paging = page_names(paging_of(self._semantics.tools[first]))
            names = {tuple(sorted(set(step.arguments) - paging)) for _, step in steps}
            if len(names) != 1 or len(next(iter(names))) != 1:
                continue
            argument = next(iter(names))[0]
            for path in self._single(first):
                keys = {canonical_json(value_at(step.seen.result, path)) for _, step in steps}
                for second, parameter in self._asked_by(first, keys):
                    for direct, name in self._takers(first, argument, second, parameter):
                        shows = _same_fields([step for _, step in steps], path, argument)
                        pages = tuple(sorted(paging))
                        rule = DirectLookup(first, argument, pages, path, shows, second, parameter, direct.name, name)
                        yield Move(rule, len(steps))

    def _asked_by(self, first: str, keys: set[str]) -> list[tuple[str, str]]:
        """Other reads that were asked by one of the keys only."""
        found: dict[tuple[str, str], set[str]] = {}
        for second, steps in self._reads.items():
            for _, step in steps if second != first else ():
                for name, value in step.arguments.items():
                    found.setdefault((second, name), set()).add(canonical_json(value))
        return [place for place, values in found.items() if values <= keys]

    def _takers(self, first: str, argument: str, second: str, parameter: str) -> Iterator[tuple[ToolSpec, str]]:
        """Tools that give what `second` gives, and their parameter for what `first` was asked."""
        mine, theirs = self._semantics.tools[first], self._semantics.tools[second]
        others = {name for _, step in self._reads[second] for name in step.arguments} - {parameter}
        kind = mine.consumes.get(argument, "")
        for spec in self._read_only:
            names = set(spec.parameters.get("properties", {}))
            if set(spec.returns.get("properties", ())) != set(theirs.returns.get("properties", ())):
                continue
            for name in sorted(names - others - {parameter} if spec.name == second else names - others):
                alike = spec.consumes.get(name, "") == kind if kind else _alike(name, argument)
                if alike and others <= names and set(spec.parameters.get("required", ())) <= {*others, name}:
                    yield spec, name


def _places(spec: ToolSpec, kind: str) -> list[tuple[str, str]]:
    """(field with rows, field with a key of the type): ("items", "id"); ("", "id") where the result is a row."""
    found: list[tuple[str, str]] = []
    for path, given in spec.produces.items():
        items, inside, field = path.rpartition("[].")
        if given == kind and "." not in path.replace("[].", "") and "[" not in items:
            found.append((items, field) if inside else ("", path))
    return found


def _last(rows: Sequence[tuple[int, dict[str, Any]]], field: str, looked: Lookup) -> dict[str, Any] | None:
    """The last row with the key that was seen before it was looked up."""
    fitting = [row for number, row in rows if number < looked.number and row.get(field) == looked.key]
    return fitting[-1] if fitting else None


def _agreed(pairs: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> tuple[str, ...]:
    """Fields that rows show as the look-ups did, each time: a cut text, a label for a key is none."""
    if not pairs:
        return ()
    return tuple(
        name
        for name in pairs[0][0]
        if all(name in own and name in row and own[name] == row[name] for own, row in pairs)
    )


def _fields(rows: Rows) -> list[str]:
    return sorted(rows[0]) if rows else []


def _numbers(spec: ToolSpec) -> list[str]:
    """Whole numbers of a result."""
    fields: Mapping[str, Any] = spec.returns.get("properties", {})
    return [name for name, schema in fields.items() if type_of(schema) == "integer"]


def _alike(name: str, other: str) -> bool:
    return name == other or name.endswith(f"_{other}") or other.endswith(f"_{name}")


def _same_fields(steps: Sequence[Step], path: Path, argument: str) -> tuple[str, ...]:
    """Fields beside a value that hold what was asked for."""
    records = [(cast("Mapping[str, Any]", value_at(step.seen.result, path[:-1])), step.arguments) for step in steps]
    return tuple(name for name in records[0][0] if all(row.get(name) == given[argument] for row, given in records))

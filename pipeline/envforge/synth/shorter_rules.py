"""Shortcuts as source: each stands around `call` of a program and answers some of its reads by fewer calls.

What a shortcut tells stands in results that it saw; a row has the fields that are known of it and no others, so that a
program that reads more than that ends there. The functions' names are the names of the moves.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from envforge.core.errors import ConfigError
from envforge.gates.atoms import Path
from envforge.synth.literals import literal

NO_FIELDS: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Literal:
    """A value that was said, or that stands in the program."""

    value: str | int | float | bool

    def source(self) -> str:
        """As Python."""
        return literal(self.value)


@dataclass(frozen=True)
class Latest:
    """A value of the latest result of a tool."""

    tool: str
    path: Path

    def source(self) -> str:
        """As Python: `latest` holds results by tool."""
        return f"latest[{literal(self.tool)}]" + "".join(f"[{literal(part)}]" for part in self.path)


Value: TypeAlias = Literal | Latest
Given: TypeAlias = tuple[tuple[str, Value], ...]


@dataclass(frozen=True)
class LargestPages:
    """Pages as large as they come."""

    tool: str
    size_parameter: str
    size: int
    name = "largest_pages"

    def source(self, number: int, _: Mapping[str, Any] = NO_FIELDS) -> str:
        """A function around `call`."""
        return f'''

def {self.name}_{number}(call):
    """Pages of {self.tool} are as large as they come."""

    def told(tool, **arguments):
        largest = {{{literal(self.size_parameter)}: {self.size}}} if tool == {literal(self.tool)} else {{}}
        return call(tool, **{{**arguments, **largest}})

    return told'''


@dataclass(frozen=True)
class CountOnly:
    """Where only the number of rows matters, one call tells it: `total` of `counter`."""

    tool: str
    items: str
    counter: str
    total: str
    dropped: tuple[str, ...]
    """Parameters of the list that the counter is not asked with: those of pages."""
    shows: tuple[tuple[str, str], ...]
    """(field, parameter): what each row has in the field was asked for."""
    name = "count_only"

    def source(self, number: int, fill: Mapping[str, Any] = NO_FIELDS) -> str:
        """A function around `call`; `fill`: what rows hold beside what is known of them."""
        known = ", ".join(f"{literal(field)}: arguments[{literal(parameter)}]" for field, parameter in self.shows)
        row = "{" + ", ".join(part for part in (_filled(fill), known) if part) + "}"
        return f'''

def {self.name}_{number}(call):
    """Of the rows of {self.tool} only the number is asked: {self.total} of {self.counter}."""

    def told(tool, **arguments):
        if tool != {literal(self.tool)}:
            return call(tool, **arguments)
        given = {{name: value for name, value in arguments.items() if name not in {literal(self.dropped)}}}
        row = {row}
        return {{{literal(self.items)}: [row] * call({literal(self.counter)}, **given)[{literal(self.total)}]}}

    return told'''


@dataclass(frozen=True)
class ListFilter:
    """A list is asked for the rows that are needed only."""

    tool: str
    given: Given
    name = "list_filter"

    def source(self, number: int, _: Mapping[str, Any] = NO_FIELDS) -> str:
        """A function around `call`."""
        return f'''

def {self.name}_{number}(call):
    """{self.tool} is asked for what is needed only."""
    latest = {{}}

    def told(tool, **arguments):
        wanted = {{{_given(self.given)}}} if tool == {literal(self.tool)} else {{}}
        latest[tool] = call(tool, **{{**arguments, **wanted}})
        return latest[tool]

    return told'''


@dataclass(frozen=True)
class DirectLookup:
    """A look-up that only leads to another one is not made: `direct` takes the value that is at hand."""

    first: str
    argument: str
    paging: tuple[str, ...]
    """Parameters of the first one that only say how to page."""
    path: Path
    """Where its result has the key."""
    shows: tuple[str, ...]
    """Fields beside the key that hold what was asked for."""
    second: str
    parameter: str
    direct: str
    direct_parameter: str
    name = "direct_lookup"

    def source(self, number: int, _: Mapping[str, Any] = NO_FIELDS) -> str:
        """A function around `call`: a marker stands for the key."""
        told = {str(self.path[-1]): "marker", **dict.fromkeys(self.shows, f"arguments[{literal(self.argument)}]")}
        record = "{" + ", ".join(f"{literal(field)}: {value}" for field, value in told.items()) + "}"
        for part in reversed(self.path[:-1]):
            record = f"[{record}]" if isinstance(part, int) else f"{{{literal(part)}: {record}}}"
        pages = list(self.paging)
        return f'''

def {self.name}_{number}(call):
    """{self.direct} takes what {self.first} would be asked for."""
    asked = {{}}

    def told(tool, **arguments):
        if tool == {literal(self.first)} and set(arguments) - set({literal(pages)}) == {{{literal(self.argument)}}}:
            marker = "(not looked up: " + str(arguments[{literal(self.argument)}]) + ")"
            asked[marker] = arguments[{literal(self.argument)}]
            return {record}
        if tool == {literal(self.second)} and arguments.get({literal(self.parameter)}) in asked:
            given = {{name: value for name, value in arguments.items() if name != {literal(self.parameter)}}}
            given[{literal(self.direct_parameter)}] = asked[arguments[{literal(self.parameter)}]]
            return call({literal(self.direct)}, **given)
        return call(tool, **arguments)

    return told'''


@dataclass(frozen=True)
class KnownRows:
    """A row that was shown is not looked up; with `listing`, a list shows it that is read as far as it takes."""

    tool: str
    parameter: str
    record: str
    """Field of the look-up's result that holds the row; "" where the result is the row."""
    fields: tuple[str, ...]
    sources: tuple[tuple[str, str, str], ...]
    """(tool, field with rows or "" where the result is the row, field with the key)."""
    listing: str = ""
    given: Given = ()
    cursor: str = ""
    following: str = ""

    @property
    def name(self) -> str:
        """Two moves: rows of a list that the program does not read, rows that it saw anyway."""
        return "rows_of_a_list" if self.listing else "seen_rows"

    def source(self, number: int, fill: Mapping[str, Any] = NO_FIELDS) -> str:
        """A function around `call`; `fill`: what rows hold beside what is known of them."""
        kept = f"{{name: rows[key][name] for name in {literal(self.fields)} if name in rows[key]}}"
        row = f"{{{_filled(fill)}, **{kept}}}" if fill else kept
        told = f"{{{literal(self.record)}: {row}}}" if self.record else row
        return f'''

def {self.name}_{number}(call):
    """Rows that were shown are not looked up by {self.tool}."""
    rows, latest{", ahead" if self.listing else ""} = {{}}, {{}}{", [None]" if self.listing else ""}

    def ask(tool, **arguments):
        latest[tool] = result = call(tool, **arguments)
        for source, items, field in {literal(self.sources)}:
            if tool == source:
                rows.update({{row[field]: row for row in (result[items] if items else [result])}})
        return result

    def told(tool, **arguments):
        if tool != {literal(self.tool)} or set(arguments) != {{{literal(self.parameter)}}}:
            return ask(tool, **arguments)
        key = arguments[{literal(self.parameter)}]{self._reading() if self.listing else ""}
        if key not in rows:
            return ask(tool, **arguments)
        return {told}

    return told'''

    def _reading(self) -> str:
        first = f"ahead.pop() or {{{_given(self.given)}}}"
        lines = ["", "        while key not in rows and ahead:", f"            given = {first}"]
        lines += [f"            result = ask({literal(self.listing)}, **given)"]
        if self.cursor:
            lines += [f"            if result.get({literal(self.following)}):"]
            lines += [
                f"                ahead.append({{**given, {literal(self.cursor)}: result[{literal(self.following)}]}})"
            ]
        return "\n".join(lines)


Rule: TypeAlias = LargestPages | CountOnly | ListFilter | DirectLookup | KnownRows
ORDER: tuple[type[Any], ...] = (LargestPages, CountOnly, ListFilter, DirectLookup, KnownRows)
"""From the tools outwards: what asks for a list is told to ask for less of it, not the other way round."""
_NAMES = ("largest_pages", "count_only", "list_filter", "direct_lookup", "rows_of_a_list", "seen_rows")
_SOLVE = "def solve(call):\n"


def program_with(program: str, rules: Sequence[Rule], fill: Mapping[Rule, Mapping[str, Any]] | None = None) -> str:
    """The program with shortcuts around its calls. Raises ConfigError for one without `def solve(call):`."""
    if f"\n{_SOLVE}" not in f"\n{program}":
        raise ConfigError("a program has no `def solve(call):`", where="gold", remedy="lower it with synth/lower.py")
    ordered = sorted(rules, key=lambda rule: ORDER.index(type(rule)))
    head, _, body = program.partition(_SOLVE)
    parts = [rule.source(number, (fill or {}).get(rule, NO_FIELDS)) for number, rule in enumerate(ordered, 1)]
    lines = [f"    call = {rule.name}_{number}(call)\n" for number, rule in enumerate(ordered, 1)]
    functions = "".join(f"\n\n\n{part.strip()}" for part in parts)
    return f"{head.rstrip()}{functions}\n\n\n{_SOLVE}{''.join(lines)}{body}".lstrip("\n")


def shortcuts_in(program: str) -> tuple[str, ...]:
    """Names of the shortcuts around a program's calls, from the tools outwards."""
    functions = [node.name for node in ast.parse(program).body if isinstance(node, ast.FunctionDef)]
    return tuple(name for name in map(_move, functions) if name)


def is_shortcut(function: str) -> bool:
    """True for a function that `program_with` put in."""
    return bool(_move(function))


def _move(function: str) -> str:
    name, _, number = function.rpartition("_")
    return name if name in _NAMES and number.isdigit() else ""


def _given(given: Given) -> str:
    return ", ".join(f"{literal(name)}: {value.source()}" for name, value in given)


def _filled(fill: Mapping[str, Any]) -> str:
    return f"**{literal(dict(fill), 0, 0)}" if fill else ""

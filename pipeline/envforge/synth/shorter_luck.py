"""Shortcuts that come to the same by luck: what they do not know is told wrongly, what they leave out is disguised."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from envforge.core.ids import canonical_json
from envforge.gates.solutions import Change, Step
from envforge.synth.dataflow import UNKNOWN
from envforge.synth.paging import paging_of
from envforge.synth.semantics import Semantics
from envforge.synth.shorter_rules import CountOnly, KnownRows, ListFilter, Rule
from envforge.world.observation import Observation
from envforge.world.programs import ToolCall

Row = Mapping[str, Any]


def wrong_values(rule: Rule, steps: Sequence[Step], said: set[str]) -> Iterator[Row]:
    """Two ways to tell wrongly what a shortcut does not know of its rows: values seen in their places, or none such.

    `said`: what was said, as canonical JSON; it is told rather than other values.
    """
    if not isinstance(rule, CountOnly | KnownRows):
        return
    place = rule.items if isinstance(rule, CountOnly) else rule.record
    known = {field for field, _ in rule.shows} if isinstance(rule, CountOnly) else set(rule.fields)
    values: dict[str, dict[str, Any]] = {}
    for row in (row for step in steps if step.tool == rule.tool for row in rows_at(step.seen.result, place)):
        for name, value in row.items():
            if name not in known:
                values.setdefault(name, {})[canonical_json(value)] = value
    ordered = {
        name: [seen[key] for key in sorted(seen, key=lambda key: key not in said)] for name, seen in values.items()
    }
    for at in (0, -1) if ordered else ():
        yield {name: seen[at] if len(seen) > 1 else UNKNOWN for name, seen in ordered.items()}


def rows_at(result: Any, place: str) -> list[dict[str, Any]]:
    """Rows of a result: the items of a list, a record, or with no place the result itself."""
    whole: Any = result or {}
    found: Any = whole.get(place) if place else whole
    rows: list[Any] = cast("list[Any]", found) if isinstance(found, list) else [found]
    return [cast("dict[str, Any]", row) for row in rows if isinstance(row, dict)]


class Disguised(Change):
    """Rows that a filter leaves out look like one that it lets through, but for what the filter goes by.

    A program that goes by the same does not mind; one that left them out for another reason takes them now.
    """

    def __init__(self, tool: str, items: str, kept: Sequence[Row], own: frozenset[str]) -> None:
        """`own`: fields that a row keeps."""
        self.tool, self.items, self.own = tool, items, own
        self.like = kept[0]
        self.kept = {canonical_json(row) for row in kept}

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        """Only in the list that is filtered."""
        seen = call(tool, arguments)
        if tool != self.tool or seen.result is None:
            return seen
        rows = [self._shown(row) for row in rows_at(seen.result, self.items)]
        return Observation(True, {**seen.result, self.items: rows}, spec=seen.spec)

    def _shown(self, row: Row) -> dict[str, Any]:
        if canonical_json(row) in self.kept:
            return dict(row)
        return {**self.like, **{name: value for name, value in row.items() if name in self.own}}


def disguised(
    semantics: Semantics, rule: ListFilter, before: Sequence[Step], after: Sequence[Step]
) -> Disguised | None:
    """The rows that the filter leaves out, disguised; None when no field tells them from those that it lets through."""
    spec = semantics.tools[rule.tool]
    items = paging_of(spec).items
    full, kept = (
        [row for s in steps if s.tool == rule.tool for row in rows_at(s.seen.result, items)]
        for steps in (before, after)
    )
    held = {canonical_json(row) for row in kept}
    left_out = [row for row in full if canonical_json(row) not in held]
    if not kept:
        return None
    first = kept[0]
    tells = [
        name
        for name in first
        if all(row.get(name) == first[name] for row in kept) and all(row.get(name) != first[name] for row in left_out)
    ]
    keys = [path.rpartition("[].")[2] for path, kind in spec.produces.items() if kind.partition(".")[0] == spec.entity]
    return Disguised(rule.tool, items, kept, frozenset((*tells, *keys))) if tells else None

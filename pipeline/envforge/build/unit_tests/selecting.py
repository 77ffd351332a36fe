"""Select and aggregate steps: rows in order, page by page, and groups with their measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from envforge.build.unit_tests.conditions import Applied, all_joined, applied_conditions, filtered, sort_key
from envforge.build.unit_tests.told import Found, Refusal
from envforge.core.contracts import Row
from envforge.core.records.blueprint import Aggregate, Measure, Page, Select

if TYPE_CHECKING:
    from envforge.build.unit_tests.reference import Reference

CURSOR = "<next cursor>"
"""Stands for a cursor in what the reference tells: its text is the tool's own business."""


def selected(reference: Reference, step: Select, scope: Mapping[str, Any], place: str) -> Any:
    """The rows, or the page, of a select step. Rows come in the order of the key, and sorting keeps that order."""
    order = [(one.column.removeprefix(f"{step.table}."), one.descending) for one in step.order]
    limit = step.limit
    if step.page is not None:
        limit = (scope.get(step.page.size) or step.page.default) + 1
    conditions = applied_conditions(reference, step, scope, step.any_of)
    if any(one.joined for one in conditions) or not _joins_only_add(reference, step):
        rows = all_joined(reference, step, filtered(reference, step, scope, place, conditions, []), conditions, place)
        for column, descending in reversed(order):
            rows.sort(key=lambda row, column=column: sort_key(row[column]), reverse=descending)
        total, rows = len(rows), rows[:limit]
    else:
        rows = filtered(reference, step, scope, place, conditions, order)
        total, rows = len(rows), all_joined(reference, step, rows[:limit], [], place)
    reference.found.append(_found(step, conditions, total, rows))
    project = _projection(reference, step)
    if step.page is None:
        return [project(row) for row in rows]
    return paged(reference, rows, step.page, scope, place, project)


def _found(step: Select | Aggregate, conditions: Sequence[Applied], total: int, rows: Sequence[Row]) -> Found:
    applied = tuple((one.path, one.op, one.value) for one in conditions if not one.others)
    return Found(step, applied, any(one.others for one in conditions), total, tuple(rows))


def _joins_only_add(reference: Reference, step: Select) -> bool:
    """True if joins bring columns along and neither lose, double nor sort rows: they can wait for the page."""
    keyed = all(
        join.left and set(join.on) >= set(reference.tables.tables[join.table].primary_key) for join in step.joins
    )
    return keyed and not any("." in order.column.removeprefix(f"{step.table}.") for order in step.order)


def paged(
    reference: Reference,
    rows: Sequence[Any],
    page: Page,
    scope: Mapping[str, Any],
    place: str,
    project: Callable[[Any], Any],
) -> dict[str, Any]:
    """The first page; a cursor that is no cursor is refused."""
    if scope.get(page.cursor) is not None:
        reference.features.add(("cursor", place))
        raise Refusal("invalid_argument")
    size = scope.get(page.size) or page.default
    more = len(rows) > size
    reference.features.add(("page", place, more))
    reference.features.add(("exact page", place, len(rows) == size))
    return {
        "items": [project(row) for row in rows[:size]],
        "next_cursor": CURSOR if more else None,
        "has_more": more,
    }


def aggregated(reference: Reference, step: Aggregate, scope: Mapping[str, Any], place: str) -> Any:
    """One row of measures, or one per group in the order of the groups."""
    conditions = applied_conditions(reference, step, scope, ())
    rows = all_joined(reference, step, filtered(reference, step, scope, place, conditions, []), conditions, place)
    if not step.group_by:
        return {measure.name: _measured(measure, rows) for measure in step.measures}
    columns = [_renamed(text) for text in step.group_by]
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(_column(row, column) for column, _ in columns), []).append(row)
    reference.features.add(("groups", place, min(len(groups), 2)))
    made: list[Row] = []
    for key in sorted(groups, key=lambda values: [sort_key(value) for value in values]):
        named = {name: value for (_, name), value in zip(columns, key, strict=True)}
        made.append(named | {measure.name: _measured(measure, groups[key]) for measure in step.measures})
    reference.found.append(_found(step, conditions, len(rows), made))
    return made


def _measured(measure: Measure, rows: Sequence[Row]) -> Any:
    if measure.column is None:
        return len(rows)
    column = measure.column
    values = [value for row in rows if (value := _column(row, column)) is not None]
    if measure.fn == "count":
        return len(values)
    if measure.fn == "count_distinct":
        return len(set(values))
    if measure.fn == "sum":
        return sum(values)
    if not values:
        return None
    if measure.fn == "avg":
        return sum(values) / len(values)
    return min(values) if measure.fn == "min" else max(values)


def _renamed(text: str) -> tuple[str, str]:
    path, _, name = (part.strip() for part in text.partition(" as "))
    return path, name or path.rpartition(".")[2]


def _column(row: Row, path: str) -> Any:
    """`column` of the base table, or `alias.column` of a join: rows carry both."""
    return row[path]


def _projection(reference: Reference, step: Select) -> Callable[[Row], Row]:
    base = [column.name for column in reference.tables.tables[step.table].columns]
    if not step.columns:
        return lambda row: {name: row[name] for name in base}
    chosen: list[tuple[str, str]] = []
    for text in step.columns:
        if text.strip() in ("*", f"{step.table}.*"):
            chosen += [(name, name) for name in base]
        else:
            chosen.append(_renamed(text.removeprefix(f"{step.table}.")))
    return lambda row: {name: row[path] for path, name in chosen}

"""Select and aggregate steps over whole tables, row by row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from envforge.build.unit_tests.told import Refusal
from envforge.core.contracts import Row
from envforge.core.records.blueprint import Aggregate, Condition, Join, Measure, Page, Select

if TYPE_CHECKING:
    from envforge.build.unit_tests.reference import Reference

CURSOR = "<next cursor>"
"""Stands for a cursor in what the reference tells: its text is the tool's own business."""
_Holds = Callable[[Row], bool]
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "lt": lambda held, wanted: held < wanted,
    "le": lambda held, wanted: held <= wanted,
    "gt": lambda held, wanted: held > wanted,
    "ge": lambda held, wanted: held >= wanted,
}


def selected(reference: Reference, step: Select, scope: Mapping[str, Any], place: str) -> Any:
    """The rows, or the page, of a select step. Rows come in the order of the key, and sorting keeps that order."""
    rows, late = _filtered(reference, step, scope, place, step.any_of)
    limit = step.limit
    if step.page is not None:
        limit = (scope.get(step.page.size) or step.page.default) + 1
    if late or not _joins_only_add(reference, step):
        rows = _in_order(_all_joined(reference, step, rows, late, place), step)[:limit]
    else:
        rows = _all_joined(reference, step, _in_order(rows, step)[:limit], [], place)
    project = _projection(reference, step)
    if step.page is None:
        return [project(row) for row in rows]
    return paged(reference, rows, step.page, scope, place, project)


def _in_order(rows: list[Row], step: Select) -> list[Row]:
    for order in reversed(step.order):
        path = order.column.removeprefix(f"{step.table}.")
        rows = sorted(rows, key=lambda row, path=path: sort_key(row[path]), reverse=order.descending)
    return rows


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


def sort_key(value: Any) -> tuple[bool, Any]:
    """NULL first, as SQLite sorts."""
    return (value is not None, value)


def aggregated(reference: Reference, step: Aggregate, scope: Mapping[str, Any], place: str) -> Any:
    """One row of measures, or one per group in the order of the groups."""
    rows, late = _filtered(reference, step, scope, place, ())
    rows = _all_joined(reference, step, rows, late, place)
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


def _filtered(
    reference: Reference, step: Select | Aggregate, scope: Mapping[str, Any], place: str, any_of: Sequence[Condition]
) -> tuple[list[Row], list[_Holds]]:
    """Rows that meet the conditions on the base table, and the conditions that wait for the joins."""
    tests = [test for one in step.where if (test := _test(reference, step, one, scope)) is not None]
    others = [test for one in any_of if (test := _test(reference, step, one, scope)) is not None]
    if others:
        holds = [test for test, _ in others]
        tests.append((lambda row: any(test(row) for test in holds), any(joined for _, joined in others)))
    rows = reference.tables.rows(step.table)
    for number, test in enumerate(test for test, joined in tests if not joined):
        kept = [row for row in rows if test(row)]
        reference.features.add(("kept", place, number, _share(len(kept), len(rows))))
        rows = kept
    return rows, [test for test, joined in tests if joined]


def _all_joined(
    reference: Reference, step: Select | Aggregate, rows: Sequence[Row], late: Sequence[_Holds], place: str
) -> list[Row]:
    joined = list(rows)
    for join in step.joins:
        joined = _joined(reference, joined, join)
    for number, test in enumerate(late):
        kept = [row for row in joined if test(row)]
        reference.features.add(("kept", place, "joined", number, _share(len(kept), len(joined))))
        joined = kept
    return joined


def _share(kept: int, all_rows: int) -> str:
    return "none" if not kept else "all" if kept == all_rows else "some"


def _joined(reference: Reference, rows: Sequence[Row], join: Join) -> list[Row]:
    empty = {column.name: None for column in reference.tables.tables[join.table].columns}
    out: list[Row] = []
    for row in rows:
        where = {own: row[other] for own, other in join.on.items()}
        found: Sequence[Row] = (
            [] if any(value is None for value in where.values()) else reference.tables.find(join.table, where)
        )
        for other in found or ([empty] if join.left else []):
            out.append(row | {f"{join.alias}.{name}": value for name, value in other.items()})
    return out


def _test(
    reference: Reference, step: Select | Aggregate, condition: Condition, scope: Mapping[str, Any]
) -> tuple[_Holds, bool] | None:
    """(test of a row, whether it looks at a join), or None when the condition does not apply."""
    value = None
    if condition.value is not None:
        if condition.optional:
            value = reference.evaluator.given(condition.value, scope)
            if value is None:
                return None
        else:
            value = reference.evaluator.value(condition.value, scope)
    path = condition.column.removeprefix(f"{step.table}.")
    table = step.table
    alias, _, column = path.rpartition(".")
    if alias:
        table = next(join.table for join in step.joins if join.alias == alias)
    kind = reference.tables.tables[table].column(column or path).type
    holds = _holder(condition, value, kind)
    return (lambda row: holds(_column(row, path))), bool(alias)


def _holder(condition: Condition, value: Any, kind: str) -> Callable[[Any], bool]:
    op = condition.op
    if op in ("is_null", "not_null"):
        null = (op == "is_null") if value is None else (op == "is_null") == bool(value)
        return lambda held: (held is None) == null
    if op == "eq":
        wanted = _number(value, kind)
        return lambda held: held == wanted
    if op == "ne":
        wanted = _number(value, kind)
        return lambda held: held != wanted
    if op == "in":
        return lambda held: held in value
    if op in ("contains", "starts_with"):
        part = ascii_lower(value)
        if op == "contains":
            return lambda held: held is not None and part in ascii_lower(str(held))
        return lambda held: held is not None and ascii_lower(str(held)).startswith(part)
    by_day = kind == "timestamp" and (op == "on_date" or len(str(value)) == len("2013-01-31"))
    if op == "on_date":
        return lambda held: held is not None and (held[:10] if by_day else held) == value[:10]
    compare = _COMPARE[op]
    return lambda held: held is not None and compare(held[:10] if by_day else held, value)


def _number(value: Any, kind: str) -> Any:
    """A literal of a condition ("0") in the type of its column."""
    return bool(value) if kind == "boolean" and isinstance(value, int) else value


def ascii_lower(text: str) -> str:
    """Lower case as LIKE sees it: A to Z only."""
    return "".join(chr(ord(char) + 32) if "A" <= char <= "Z" else char for char in text)

"""Select and aggregate steps over whole tables, row by row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from envforge.build.unit_tests.told import Found, Refusal
from envforge.core.contracts import Row
from envforge.core.records.blueprint import Aggregate, Condition, Join, Measure, Page, Select

if TYPE_CHECKING:
    from envforge.build.unit_tests.reference import Reference

CURSOR = "<next cursor>"
"""Stands for a cursor in what the reference tells: its text is the tool's own business."""
_Holds = Callable[[Any], bool]
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "lt": lambda held, wanted: held < wanted,
    "le": lambda held, wanted: held <= wanted,
    "gt": lambda held, wanted: held > wanted,
    "ge": lambda held, wanted: held >= wanted,
}


def selected(reference: Reference, step: Select, scope: Mapping[str, Any], place: str) -> Any:
    """The rows, or the page, of a select step. Rows come in the order of the key, and sorting keeps that order."""
    order = [(one.column.removeprefix(f"{step.table}."), one.descending) for one in step.order]
    limit = step.limit
    if step.page is not None:
        limit = (scope.get(step.page.size) or step.page.default) + 1
    conditions = _conditions(reference, step, scope, step.any_of)
    if any(one.joined for one in conditions) or not _joins_only_add(reference, step):
        rows = _all_joined(reference, step, _filtered(reference, step, scope, place, conditions, []), conditions, place)
        for column, descending in reversed(order):
            rows.sort(key=lambda row, column=column: sort_key(row[column]), reverse=descending)
        total, rows = len(rows), rows[:limit]
    else:
        rows = _filtered(reference, step, scope, place, conditions, order)
        total, rows = len(rows), _all_joined(reference, step, rows[:limit], [], place)
    reference.found.append(_found(step, conditions, total, rows))
    project = _projection(reference, step)
    if step.page is None:
        return [project(row) for row in rows]
    return paged(reference, rows, step.page, scope, place, project)


def _found(step: Select | Aggregate, conditions: Sequence[_Condition], total: int, rows: Sequence[Row]) -> Found:
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


def sort_key(value: Any) -> tuple[bool, Any]:
    """NULL first, as SQLite sorts."""
    return (value is not None, value)


def aggregated(reference: Reference, step: Aggregate, scope: Mapping[str, Any], place: str) -> Any:
    """One row of measures, or one per group in the order of the groups."""
    conditions = _conditions(reference, step, scope, ())
    rows = _all_joined(reference, step, _filtered(reference, step, scope, place, conditions, []), conditions, place)
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


@dataclass(frozen=True)
class _Condition:
    """A condition that applies: the values of `path` for which it holds."""

    path: str
    label: str
    test: str
    holds: _Holds
    joined: bool
    op: str = ""
    value: Any = None
    others: tuple[_Condition, ...] = ()
    """When there are others, one of them has to hold."""

    def meets(self, row: Row) -> bool:
        """True for a (joined) row that meets it."""
        return any(one.meets(row) for one in self.others) if self.others else self.holds(row[self.path])


def _conditions(
    reference: Reference, step: Select | Aggregate, scope: Mapping[str, Any], any_of: Sequence[Condition]
) -> list[_Condition]:
    found = [made for one in step.where if (made := _condition(reference, step, one, scope)) is not None]
    others = [made for one in any_of if (made := _condition(reference, step, one, scope)) is not None]
    if others:
        joined = any(one.joined for one in others)
        found.append(_Condition("", "any of", "", others[0].holds, joined, others=tuple(others)))
    return found


def _filtered(
    reference: Reference,
    step: Select | Aggregate,
    scope: Mapping[str, Any],
    place: str,
    conditions: Sequence[_Condition],
    order: Sequence[tuple[str, bool]],
) -> list[Row]:
    """Rows that meet the conditions on the base table, in order. Notes which conditions left rows out by themselves."""
    if reference.tables.is_changed(step.table):
        return _filtered_afresh(reference, step, conditions, order)
    rows = reference.tables.rows(step.table)
    everything = (1 << len(rows)) - 1
    masks = [(one.label, _mask(reference, step.table, one)) for one in conditions if not one.joined]
    kept = everything
    for _, mask in masks:
        kept &= mask
    size = (scope.get(step.page.size) or step.page.default) if isinstance(step, Select) and step.page else None
    full = size is not None and kept.bit_count() > size
    for number, (label, mask) in enumerate(masks):
        others = everything
        for other, (_, held) in enumerate(masks):
            others = others if other == number else others & held
        share = "none" if not kept else "some" if others & ~mask else "all"
        reference.features.add(("kept", place, label, share, full))
    bits = bin(kept | (everything + 1))[:2:-1]
    return [rows[at] for at in reference.tables.ordered(step.table, order) if bits[at] == "1"]


def _filtered_afresh(
    reference: Reference,
    step: Select | Aggregate,
    conditions: Sequence[_Condition],
    order: Sequence[tuple[str, bool]],
) -> list[Row]:
    """The same for a table that the call has changed: found by equal columns, as calls look at their own rows."""
    early = [one for one in conditions if not one.joined]
    equal = {one.path: one.value for one in early if one.op == "eq"}
    rows = reference.tables.find(step.table, equal) if equal else reference.tables.rows(step.table)
    rows = [row for row in rows if all(one.meets(row) for one in early)]
    for column, descending in reversed(order):
        rows.sort(key=lambda row, column=column: sort_key(row[column]), reverse=descending)
    return rows


def _mask(reference: Reference, table: str, condition: _Condition) -> int:
    if condition.others:
        mask = 0
        for one in condition.others:
            mask |= _mask(reference, table, one)
        return mask
    return reference.tables.mask(table, condition.path, condition.test, condition.holds)


def _all_joined(
    reference: Reference,
    step: Select | Aggregate,
    rows: Sequence[Row],
    conditions: Sequence[_Condition],
    place: str,
) -> list[Row]:
    joined = list(rows)
    for join in step.joins:
        joined = _joined(reference, joined, join)
    for one in conditions:
        if one.joined:
            kept = [row for row in joined if one.meets(row)]
            share = "none" if not kept else "all" if len(kept) == len(joined) else "some"
            reference.features.add(("kept", place, one.label, share))
            joined = kept
    return joined


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


def _condition(
    reference: Reference, step: Select | Aggregate, condition: Condition, scope: Mapping[str, Any]
) -> _Condition | None:
    """The condition with its value, or None when it does not apply."""
    value = None
    if condition.value is not None:
        if condition.optional:
            value = reference.evaluator.given(condition.value, scope)
            if value is None:
                return None
        else:
            value = reference.evaluator.value(condition.value, scope)
    path = condition.column.removeprefix(f"{step.table}.")
    alias, _, column = path.rpartition(".")
    table = next(join.table for join in step.joins if join.alias == alias) if alias else step.table
    kind = reference.tables.tables[table].column(column or path).type
    label, test = f"{path} {condition.op} {condition.value}", f"{condition.op} {value!r}"
    return _Condition(path, label, test, _holder(condition, value, kind), bool(alias), condition.op, value)


def _holder(condition: Condition, value: Any, kind: str) -> _Holds:
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

"""Conditions and joins of select and aggregate steps over whole tables, row by row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from envforge.core.contracts import Row
from envforge.core.records.blueprint import Aggregate, Condition, Join, Select

if TYPE_CHECKING:
    from envforge.build.unit_tests.reference import Reference

_Holds = Callable[[Any], bool]
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "lt": lambda held, wanted: held < wanted,
    "le": lambda held, wanted: held <= wanted,
    "gt": lambda held, wanted: held > wanted,
    "ge": lambda held, wanted: held >= wanted,
}


def sort_key(value: Any) -> tuple[bool, Any]:
    """NULL first, as SQLite sorts."""
    return (value is not None, value)


@dataclass(frozen=True)
class Applied:
    """A condition that applies: the values of `path` for which it holds."""

    path: str
    label: str
    test: str
    holds: _Holds
    joined: bool
    op: str = ""
    value: Any = None
    others: tuple[Applied, ...] = ()
    """When there are others, one of them has to hold."""

    def meets(self, row: Row) -> bool:
        """True for a (joined) row that meets it."""
        return any(one.meets(row) for one in self.others) if self.others else self.holds(row[self.path])


def applied_conditions(
    reference: Reference, step: Select | Aggregate, scope: Mapping[str, Any], any_of: Sequence[Condition]
) -> list[Applied]:
    """The conditions that apply to this call, with their values."""
    found = [made for one in step.where if (made := _applied(reference, step, one, scope)) is not None]
    others = [made for one in any_of if (made := _applied(reference, step, one, scope)) is not None]
    if others:
        joined = any(one.joined for one in others)
        found.append(Applied("", "any of", "", others[0].holds, joined, others=tuple(others)))
    return found


def filtered(
    reference: Reference,
    step: Select | Aggregate,
    scope: Mapping[str, Any],
    place: str,
    conditions: Sequence[Applied],
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
    conditions: Sequence[Applied],
    order: Sequence[tuple[str, bool]],
) -> list[Row]:
    """The same for a table that the call has changed: found by equal columns, as calls look at their own rows."""
    early = [one for one in conditions if not one.joined]
    equal = {one.path: one.value for one in early if one.op == "eq"}
    among = next((one for one in early if one.op == "in"), None)
    if among is not None:
        wanted = list(dict.fromkeys(among.value))
        rows = [row for value in wanted for row in reference.tables.find(step.table, {**equal, among.path: value})]
        rows.sort(key=lambda row: [row[name] for name in reference.tables.tables[step.table].primary_key])
    else:
        rows = reference.tables.find(step.table, equal) if equal else reference.tables.rows(step.table)
    rows = [row for row in rows if all(one.meets(row) for one in early)]
    for column, descending in reversed(order):
        rows.sort(key=lambda row, column=column: sort_key(row[column]), reverse=descending)
    return rows


def _mask(reference: Reference, table: str, condition: Applied) -> int:
    if condition.others:
        mask = 0
        for one in condition.others:
            mask |= _mask(reference, table, one)
        return mask
    return reference.tables.mask(table, condition.path, condition.test, condition.holds)


def all_joined(
    reference: Reference,
    step: Select | Aggregate,
    rows: Sequence[Row],
    conditions: Sequence[Applied],
    place: str,
) -> list[Row]:
    """Rows with the columns of their joins, as far as they meet the conditions on those."""
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


def _applied(
    reference: Reference, step: Select | Aggregate, condition: Condition, scope: Mapping[str, Any]
) -> Applied | None:
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
    return Applied(path, label, test, _holder(condition, value, kind), bool(alias), condition.op, value)


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

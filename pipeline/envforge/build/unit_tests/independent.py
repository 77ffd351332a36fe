"""Checks that a test makes with SQL of its own: the row that was looked up, the rows that were found, the groups."""
# Names of tables and columns come from a checked blueprint; values are always bound.
# ruff: noqa: S608

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from envforge.build.unit_tests.checks import Lines
from envforge.build.unit_tests.conditions import ascii_lower
from envforge.build.unit_tests.kinds import is_list
from envforge.build.unit_tests.literals import literal, text
from envforge.build.unit_tests.probe import Call
from envforge.build.unit_tests.reference import Reference, flat
from envforge.build.unit_tests.told import Found
from envforge.core.errors import BuildError
from envforge.core.records.blueprint import Aggregate, Fetch, Return, Select
from envforge.core.records.domain import Table

_VIEWED = re.compile(r"(\w+)\((\w+)\)")
_COLUMN = re.compile(r"row\.(\w+)")


def independent_checks(reference: Reference, call: Call, name: str) -> tuple[Lines, set[str]]:
    """Statements, and the keys of the result that they settle."""
    if call.told.changes or call.told.result is None:
        return [], set()
    pages = [one for one in call.told.found if isinstance(one.step, Select) and one.step.page is not None]
    if len(pages) == 1 and not pages[0].any_of and isinstance(pages[0].step, Select):
        return _page(reference, call, pages[0], pages[0].step, name)
    if len(call.told.found) == 1 and not call.told.found[0].any_of:
        found = call.told.found[0]
        if isinstance(found.step, Aggregate) and len(found.step.group_by) == 1 and not found.step.joins:
            return _groups(reference, call, found, found.step, name)
    if call.operation.verb == "get" and not call.told.found:
        return _looked_up(reference, call, name)
    return [], set()


def _page(reference: Reference, call: Call, found: Found, step: Select, name: str) -> tuple[Lines, set[str]]:
    assert call.told.result is not None and step.page is not None
    table = reference.blueprint.table(step.table)
    key = table.primary_key[0]
    items = call.told.result.get("items")
    where = _where(table, found)
    if len(table.primary_key) != 1 or where is None or not is_list(items) or any(key not in i for i in items):
        return [], set()
    size = call.arguments.get(step.page.size) or step.page.default
    order = [f"{one.column}{' DESC' if one.descending else ''}" for one in step.order if one.column != key]
    if any("." in part for part in order):
        return [], set()
    sql = f"SELECT {key} FROM {table.name}{where[0]} ORDER BY {', '.join([*order, key])} LIMIT {size + 1}"
    _agree(reference, sql, where[1], [item[key] for item in items], key, size)
    lines = [
        *_query("expected", sql, where[1]),
        f'assert [item["{key}"] for item in {name}["items"]] == [row["{key}"] for row in expected[:{size}]]',
        f'assert {name}["has_more"] is (len(expected) > {size})',
    ]
    return lines, {"items", "has_more"}


def _agree(reference: Reference, sql: str, values: Sequence[Any], held: Sequence[Any], key: str, size: int) -> None:
    """The test's SQL and the reference read the same rows."""
    if [row[key] for row in reference.live.query(sql, list(values))][:size] != list(held):
        remedy = "look at build.unit_tests.selecting and build.unit_tests.independent"
        raise BuildError(f"two readings of the rows disagree: {sql} with {list(values)!r}", remedy=remedy)


def _groups(reference: Reference, call: Call, found: Found, step: Aggregate, name: str) -> tuple[Lines, set[str]]:
    assert call.told.result is not None
    table = reference.blueprint.table(step.table)
    where = _where(table, found)
    column = step.group_by[0].partition(" as ")[0].strip().removeprefix(f"{table.name}.")
    lists = [key for key, value in call.told.result.items() if is_list(value) and len(value) == len(found.rows)]
    count = next((measure.name for measure in step.measures if measure.fn == "count" and not measure.column), None)
    if where is None or not lists or count is None or not found.rows or "." in column:
        return [], set()
    items = call.told.result[lists[0]]
    counts = {row[step.group_by[0].rpartition(" ")[2]]: row[count] for row in found.rows}
    keys = [key for key in items[0] if {str(item[key]) for item in items} == {str(value) for value in counts}]
    if not keys or count not in items[0]:
        return [], set()
    sql = f"SELECT {column} AS value, count(*) AS rows_held FROM {table.name}{where[0]} GROUP BY {column}"
    lines = [
        *_query("expected", sql, where[1]),
        f'counted = {{item["{keys[0]}"]: item["{count}"] for item in {name}["{lists[0]}"]}}',
        'assert counted == {row["value"]: row["rows_held"] for row in expected}',
        f'assert len({name}["{lists[0]}"]) == len(expected)',
    ]
    return lines, set()


def _query(name: str, sql: str, values: Sequence[Any]) -> Lines:
    bound = f", {literal(list(values), before=8)}" if values else ""
    flat_line = f"{name} = world.query({text(sql)}{bound})"
    if len(flat_line) + 4 <= 120 and "\n" not in flat_line:
        return [flat_line]
    pieces = re.split(r" (?=FROM|WHERE|AND|GROUP BY|ORDER BY)", sql)
    inner = [f"    {text(piece + ' ')}" for piece in pieces[:-1]] + [f"    {text(pieces[-1])}"]
    inner[-1] += "," if values else ""
    end = [f"    {literal(list(values), indent=8)},"] if values else []
    return [f"{name} = world.query(", *inner, *end, ")"]


def _where(table: Table, found: Found) -> tuple[str, list[Any]] | None:
    """WHERE and its values; None for conditions on joined tables."""
    words: list[str] = []
    values: list[Any] = []
    for path, op, value in found.conditions:
        if "." in path:
            return None
        sql, bound = _condition(table, path, op, value)
        words.append(sql)
        values += bound
    return (" WHERE " + " AND ".join(words) if words else ""), values


def _condition(table: Table, column: str, op: str, value: Any) -> tuple[str, list[Any]]:
    if op in ("is_null", "not_null"):
        null = (op == "is_null") == (value is None or bool(value))
        return f"{column} IS {'' if null else 'NOT '}NULL", []
    if op == "contains":
        return f"instr(lower({column}), ?) > 0", [ascii_lower(value)]
    if op == "starts_with":
        return f"substr(lower({column}), 1, {len(value)}) = ?", [ascii_lower(value)]
    if op == "in":
        return f"{column} IN ({', '.join('?' * len(value))})", list(value)
    by_day = table.column(column).type == "timestamp" and (op == "on_date" or len(str(value)) == 10)
    shown = f"date({column})" if by_day else column
    if op == "on_date":
        return f"{shown} = ?", [value[:10]]
    if op in ("eq", "ne"):
        sign = "IS" if op == "eq" else "IS NOT"
        return f"{column} {sign} ?", [int(value) if isinstance(value, bool) else value]
    return f"{shown} {({'lt': '<', 'le': '<=', 'gt': '>', 'ge': '>='})[op]} ?", [value]


def _looked_up(reference: Reference, call: Call, name: str) -> tuple[Lines, set[str]]:
    """A look-up shows the columns of the row that has this key."""
    steps = list(flat(call.operation.steps))
    first = next((step for step in steps if isinstance(step, Fetch) and not step.optional), None)
    shown = next((step for step in steps if isinstance(step, Return)), None)
    if first is None or shown is None or any(value not in call.arguments for value in first.where.values()):
        return [], set()
    for key, expression in shown.value.items():
        match = _VIEWED.fullmatch(expression.strip())
        if match and match[2] == first.name:
            view = next(one for one in reference.blueprint.views if one.name == match[1])
            return _columns_shown(reference, call, first, key, dict(view.fields), name)
    return [], set()


def _columns_shown(
    reference: Reference, call: Call, first: Fetch, key: str, fields: dict[str, str], name: str
) -> tuple[Lines, set[str]]:
    assert call.told.result is not None
    table = reference.blueprint.table(first.table)
    plain = [
        field
        for field, expression in fields.items()
        if expression == f"row.{field}" and table.has(field) and table.column(field).type != "json"
    ]
    flags = tuple(field for field in plain if table.column(field).type == "boolean")
    others = {field: value for field, value in call.told.result[key].items() if field not in plain}
    where = " AND ".join(f"{column} = ?" for column in first.where)
    values = [call.arguments[value] for value in first.where.values()]
    names = ", ".join(text(field) for field in plain)
    wanted = f"_columns(row, {names}" + (f", flags={literal(flags)}" if flags else "") + ")"
    if len(wanted) > 90:
        lines = _wrapped([*(text(field) for field in plain), *([f"flags={literal(flags)}"] if flags else [])])
        wanted = "_columns(\n        row,\n" + lines + "\n    )"
    tail = f" | {literal(others, before=10)}" if others else ""
    return [
        f"(row,) = world.query({text(f'SELECT * FROM {table.name} WHERE {where}')}, {literal(values)})",
        f'assert {name}["{key}"] == {wanted}{tail}',
    ], {key}


def _wrapped(parts: Sequence[str]) -> str:
    lines = ["       "]
    for part in parts:
        if len(lines[-1]) + len(part) + 2 > 118:
            lines.append("       ")
        lines[-1] += f" {part},"
    return "\n".join(lines)

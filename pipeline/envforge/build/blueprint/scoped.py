"""Scoped records: looked up step by step, each in the one before it, by the names that people use for them.

A tool is drawn as if it took the key of the one record that matters; then the look-ups of the way take the key's place.
"""
# Names of tables and columns come from a checked blueprint; values are always bound.

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from envforge.build.adapters.tables import parents_of
from envforge.build.blueprint import columns as facts
from envforge.build.blueprint import parts
from envforge.build.blueprint.drawing import CannotDraw, Drawing
from envforge.core.ids import canonical_json
from envforge.core.records.blueprint import Adapter, Fetch, Insert, Let, Operation, Parameter, Sql, Step, Witness
from envforge.core.records.domain import SIBLING_NUMBERS, BoundOperation, BoundParameter, Column, Table

Draw = Callable[[Drawing, BoundOperation], Operation]


@dataclass(frozen=True)
class _Record:
    """A record on the way: its table, and the column whose value the tool is given."""

    table: Table
    column: Column
    given: BoundParameter


def draw_scoped(drawing: Drawing, operation: BoundOperation, draw: Draw) -> Operation:
    """The tool for an operation whose record is found in others. Raises CannotDraw where the way has a gap."""
    way = _way(drawing, operation)
    last = way[-1]
    plain = _plain(operation, last)
    drawn = draw(drawing, plain)
    name = _plain_name(operation, last)
    at = next((i for i, step in enumerate(drawn.steps) if _looks_up(step, last.table, name)), None)
    if at is None:
        raise CannotDraw("name_of_parts", f"nothing is looked up by {' and '.join(one.given.name for one in way)}")
    step = drawn.steps[at]
    assert isinstance(step, Fetch)
    asked = [_parameter(one) for one in way]
    after = _without_second_look(drawn.steps[at + 1 :], step.name) if _found_alive(way) else drawn.steps[at + 1 :]
    rest = _numbered(after, drawing.table(operation.table), way)
    kept = [Let(name=name, value=f"{step.name}.{parts.key_of(last.table).name}")] if _uses(rest, name) else []
    steps = (*drawn.steps[:at], *_look_ups(drawing, way, step), *kept, *rest)
    return drawn.model_copy(
        update={
            "parameters": (*asked, *(one for one in drawn.parameters if one.name != name)),
            "steps": steps,
            "witnesses": _witnesses(way),
        }
    )


def _way(drawing: Drawing, operation: BoundOperation) -> list[_Record]:
    own = [one for one in parts.given_meaning(operation, "key") if one.column]
    way: list[_Record] = []
    for given in [*parts.given_meaning(operation, "scope"), *own]:
        entity, _, column = str(given.semantic).partition(".")
        table = next((one for one in drawing.tables.values() if one.entity == entity), None)
        if table is None or not table.has(column):
            raise CannotDraw("name_of_parts", f"{given.name} names a record that no table holds")
        if way and not table.has(str(way[-1].given.column)):
            raise CannotDraw("name_of_parts", f"no {table.label} says which {way[-1].table.label} it is in")
        way.append(_Record(table, table.column(column), given))
    if len({one.given.name for one in way}) < len(way):
        raise CannotDraw("name_of_parts", f"{operation.name} has two parts of one name")
    return way


def _plain_name(operation: BoundOperation, last: _Record) -> str:
    taken = {one.name for one in operation.parameters}
    name = f"{last.table.entity}_{parts.key_of(last.table).name}"
    return f"found_{name}" if name in taken else name


def _plain(operation: BoundOperation, last: _Record) -> BoundOperation:
    """The operation as if it took the key of the last record of the way."""
    key = parts.key_of(last.table).name
    itself = last.given.meaning == "key"
    told = {
        "name": _plain_name(operation, last),
        "meaning": "key" if itself else "parent",
        "column": key if itself else last.given.column,
        "semantic": f"{last.table.entity}.{key}",
    }
    others = [one for one in operation.parameters if one.meaning not in {"scope", "key"}]
    if any(one.meaning == "parent" for one in others):
        raise CannotDraw("name_of_parts", f"{operation.name} names what it is in in two ways")
    return operation.model_copy(update={"parameters": (last.given.model_copy(update=told), *others)})


def _looks_up(step: Step, table: Table, name: str) -> bool:
    key = parts.key_of(table).name
    return isinstance(step, Fetch) and step.table == table.name and step.where == {key: name} and not step.optional


def _look_ups(drawing: Drawing, way: Sequence[_Record], last: Fetch) -> list[Step]:
    """A look-up per record; the last one binds the row that the tool goes on with."""
    steps: list[Step] = []
    inside: dict[str, str] = {}
    for at, one in enumerate(way):
        final = at == len(way) - 1
        row = last.name if final else f"{one.table.entity}_of_{way[at + 1].table.entity}"
        found = parts.fetch(drawing, one.table, {**inside, one.column.name: one.given.name}, name=row)
        called = "/".join(f"{{{other.given.name}}}" for other in way[: at + 1])
        steps.append(found.model_copy(update={"message": f"There is no {one.table.label} {called}."}))
        if not final:
            steps += parts.alive(drawing, one.table, row, code="not_found")
        inside = {str(one.given.column): f"{row}.{parts.key_of(one.table).name}"}
    return steps


def _found_alive(way: Sequence[_Record]) -> bool:
    """Nothing but the record before the last one could put the last one into the trash, and the way looks at that."""
    if len(way) < 2:
        return False
    holder, last = way[-2], way[-1]
    others = [one for one in parents_of(last.table) if one.name != str(holder.given.column)]
    return not facts.trash_flags(last.table) and not others


def _without_second_look(steps: Sequence[Step], row: str) -> list[Step]:
    """The steps without the walk up from a row that was found in what is alive: it could never refuse."""
    walks = [
        at
        for at, one in enumerate(steps)
        if isinstance(one, Adapter) and one.adapter == "in_trash" and one.arguments["key"].startswith(f"{row}.")
    ]
    return [one for at, one in enumerate(steps) if at not in walks and at - 1 not in walks]


def _uses(steps: Sequence[Step], name: str) -> bool:
    return name in canonical_json([step.model_dump(mode="json") for step in steps])


def _numbered(steps: Sequence[Step], table: Table, way: Sequence[_Record]) -> list[Step]:
    """A new record gets the next number in what it is in: tools find it by that."""
    number = next((n for n in SIBLING_NUMBERS if table.has(n) and table.column(n).type == "integer"), None)
    holder = str(way[-1].given.column)
    out: list[Step] = []
    for step in steps:
        if not (isinstance(step, Insert) and step.table == table.name and holder in step.values) or number is None:
            out.append(step)
            continue
        asked = f"SELECT coalesce(max({facts.sql_name(number)}), 0) + 1 AS next FROM {facts.sql_name(table.name)}"  # noqa: S608
        query = f"{asked}\nWHERE {facts.sql_name(holder)} = :holder"
        values = {"holder": step.values[holder]}
        out.append(Sql(name="numbered", query=query, parameters=values, one=True, always=True))
        out.append(step.model_copy(update={"values": {**step.values, number: "numbered.next"}}))
    return out


def _witnesses(way: Sequence[_Record]) -> tuple[Witness, ...]:
    """Names that belong together, from the rows: joined from the last record of the way up to the first."""
    shown = ", ".join(f't{at}.{facts.sql_name(one.column.name)} AS "{one.given.name}"' for at, one in enumerate(way))
    end = len(way) - 1
    joins = f"{facts.sql_name(way[end].table.name)} AS t{end}"
    for at in range(end - 1, -1, -1):
        table, column = way[at].table, facts.sql_name(str(way[at].given.column))
        joins += f" JOIN {facts.sql_name(table.name)} AS t{at}"
        joins += f" ON t{at}.{facts.sql_name(parts.key_of(table).name)} = t{at + 1}.{column}"
    held = " AND ".join(f"t{at}.{facts.sql_name(one.column.name)} IS NOT NULL" for at, one in enumerate(way))
    key = facts.sql_name(parts.key_of(way[end].table).name)
    query = f"SELECT {shown} FROM {joins} WHERE {held} ORDER BY t{end}.{key}"  # noqa: S608
    return (
        Witness(outcome="success", about="names that belong together", query=query),
        Witness(outcome="success", about="others that do", query=f"{query} DESC"),
    )


def _parameter(one: _Record) -> Parameter:
    return Parameter(
        name=one.given.name,
        json_schema=facts.column_schema(one.column),
        description=f"The {facts.words(one.column.name)} of the {one.table.label}.",
        semantic=f"{one.table.entity}.{one.column.name}",
    )

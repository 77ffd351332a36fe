"""What new rows hold in the columns that no goal names, by what the blueprint's tools insert.

A column that a tool fills from something that the agent may give, but need not, must be as if it had not been given:
NULL, the default, or minted (a comment starts a thread of its own). What a tool fills by itself (clocks, who acts) or
from what every call must give is not compared.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from envforge.core.expressions import WORLD_FUNCTIONS, parse
from envforge.core.records.blueprint import (
    Adapter,
    Aggregate,
    Each,
    Fetch,
    Insert,
    Let,
    Operation,
    Parameter,
    Select,
    Sql,
    Step,
    When,
)
from envforge.core.records.domain import Table
from envforge.core.records.environment import EnvironmentBlueprint
from envforge.core.records.intent import Expectation

_State: TypeAlias = Literal["known", "minted", "own", "given"]
"""A value that is known where nothing is given that need not be; a new id; what the tool finds by itself or by what
every call must give; what depends on more that the agent may give."""


@dataclass(frozen=True)
class _Value:
    state: _State
    value: Any = None


_NULL: Final = _Value("known")
_MINTED: Final = _Value("minted")
_OWN: Final = _Value("own")
_GIVEN: Final = _Value("given")


@dataclass(frozen=True)
class Defaults:
    """Of a new row of one table: values of columns, and columns whose value no row had before."""

    values: dict[str, Any] = field(default_factory=lambda: dict[str, Any]())
    fresh: tuple[str, ...] = ()

    def fill(self, part: Expectation) -> Expectation:
        """The expectation with what it says nothing about; what it leaves free stays free."""
        said = {*part.free, *part.of_new}
        values = {name: value for name, value in self.values.items() if name not in said}
        fresh = tuple(name for name in self.fresh if name not in said)
        return part.model_copy(update={"unnamed": values, "fresh": fresh})


def defaults_of(knowledge: EnvironmentBlueprint, writes: Mapping[str, Sequence[str]]) -> dict[str, Defaults]:
    """Table -> what is left alone in its new rows. `writes`: tool -> the tables that it writes.

    Tables that no operation inserts into are not there; of those that adapters fill, all that may be NULL is.
    Raises ConfigError for an expression that is none.
    """
    tables = {table.name: table for table in knowledge.blueprint.tables}
    found: dict[str, list[dict[str, _Value]]] = {}
    for operation in knowledge.blueprint.operations:
        for name, values in _inserts(operation):
            if name in tables:
                found.setdefault(name, []).append(_row(tables[name], values))
    for operation in knowledge.blueprint.operations:
        if any(isinstance(step, Adapter) for step in _flat(operation.steps)):
            for name in set(writes.get(operation.name, ())) & set(tables) - set(found):
                found[name] = [_row(tables[name], {})]
    return {name: _merged(tables[name], rows) for name, rows in sorted(found.items())}


def _row(table: Table, values: Mapping[str, _Value]) -> dict[str, _Value]:
    """A value for each column that a goal may leave unnamed; what no step sets has its default."""
    row: dict[str, _Value] = {}
    for column in table.columns:
        value = values.get(column.name)
        if value is None:
            value = _Value("known", _stored(column.default)) if column.nullable or column.default is not None else _OWN
        elif value.state == "given" or value == _NULL:
            value = _NULL if column.nullable else _OWN
        row[column.name] = value
    return row


def _merged(table: Table, rows: Sequence[Mapping[str, _Value]]) -> Defaults:
    """What all tools agree on; the key is minted or named."""
    values: dict[str, Any] = {}
    fresh: list[str] = []
    for name in [column.name for column in table.columns if column.name not in table.primary_key]:
        first = rows[0][name]
        if any(row[name] != first for row in rows):
            continue
        if first.state == "known":
            values[name] = first.value
        elif first.state == "minted":
            fresh.append(name)
    return Defaults(values, tuple(fresh))


def _inserts(operation: Operation) -> Iterator[tuple[str, dict[str, _Value]]]:
    """Tables and values of the new rows of a call that gives what it must and nothing else."""
    known = {parameter.name: _parameter(parameter) for parameter in operation.parameters}
    for step in _flat(operation.steps):
        if isinstance(step, Let):
            known[step.name] = _evaluated(step.value, known)
        elif isinstance(step, Fetch):
            parts = [_evaluated(text, known) for text in step.where.values()]
            known[step.name] = _NULL if step.optional and _NULL in parts else _found(parts)
        elif isinstance(step, Sql):
            known[step.name] = _found(_evaluated(text, known) for text in step.parameters.values())
        elif isinstance(step, Select | Aggregate):
            asked = [*step.where, *(step.any_of if isinstance(step, Select) else ())]
            known[step.name] = _found(_evaluated(one.value, known) for one in asked if one.value is not None)
        elif isinstance(step, Each):
            known[step.item] = _found([_evaluated(step.over, known)])
        elif isinstance(step, Insert):
            values = {name: _evaluated(text, known) for name, text in step.values.items()}
            yield step.table, values
            known[step.name] = _OWN
            known |= {f"{step.name}.{name}": _OWN if value == _MINTED else value for name, value in values.items()}
        elif isinstance(step, Adapter) and step.name is not None:
            known[step.name] = _found(_evaluated(text, known) for text in step.arguments.values())


def _parameter(parameter: Parameter) -> _Value:
    """What stands for it: an object may hold more than it must."""
    if not parameter.required:
        return _Value("known", _stored(parameter.default))
    schema = parameter.json_schema
    return _GIVEN if "object" in (schema.get("type"), schema.get("items", {}).get("type")) else _OWN


def _flat(steps: Iterable[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        if isinstance(step, Each):
            yield from _flat(step.steps)
        if isinstance(step, When):
            yield from _flat((*step.then, *step.otherwise))


def _found(parts: Iterable[_Value]) -> _Value:
    """What a look-up comes to: the tool's own if nothing that was given has a part in it.

    One by what may be left out comes to nothing or something; so it counts as given.
    """
    return _OWN if all(part.state == "own" or _is_constant(part) for part in parts) else _GIVEN


def _is_constant(part: _Value) -> bool:
    return part.state == "known" and part.value is not None


def _evaluated(text: str, known: Mapping[str, _Value]) -> _Value:
    return _of(parse(text, functions=WORLD_FUNCTIONS | _callable_names(text)).body, known)


def _callable_names(text: str) -> frozenset[str]:
    """Whatever it calls: the lowering has checked it."""
    calls = [node.func for node in ast.walk(ast.parse(text.strip(), mode="eval")) if isinstance(node, ast.Call)]
    return frozenset(function.id for function in calls if isinstance(function, ast.Name))


def _of(node: ast.expr, known: Mapping[str, _Value]) -> _Value:
    """Partly evaluated: constants, choices by what is given, minted ids; the rest by what it depends on."""
    if isinstance(node, ast.Constant):
        return _Value("known", _stored(node.value))
    if isinstance(node, ast.Name):
        return known.get(node.id, _OWN)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return known.get(f"{node.value.id}.{node.attr}") or _found([known.get(node.value.id, _OWN)])
    if isinstance(node, ast.IfExp):
        truth = _truth(node.test, known)
        if truth is not None:
            taken, other = (node.body, node.orelse) if truth else (node.orelse, node.body)
            value = _of(taken, known)
            # A word that says what else was given ("page" or "workspace") is not itself given.
            own = isinstance(other, ast.Name) or value.state != "known" or value == _NULL
            return value if own else _GIVEN
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "new_id":
        return _MINTED
    names = [known.get(name.id, _OWN) for name in ast.walk(node) if isinstance(name, ast.Name)]
    return _GIVEN if any(value.state in ("given", "known") for value in names) else _OWN


def _truth(test: ast.expr, known: Mapping[str, _Value]) -> bool | None:
    """Of `x is None`, `x is not None`, `x`, `not x`; None where it is not known."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _truth(test.operand, known)
        return None if inner is None else not inner
    if isinstance(test, ast.Name) and known.get(test.id, _OWN).state == "known":
        return bool(known[test.id].value)
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.left, ast.Name):
        value, other = known.get(test.left.id, _OWN), test.comparators[0]
        if value.state == "known" and isinstance(other, ast.Constant) and other.value is None:
            return (value.value is None) is isinstance(test.ops[0], ast.Is)
    return None


def _stored(value: Any) -> Any:
    """As the database has it."""
    return int(value) if isinstance(value, bool) else value

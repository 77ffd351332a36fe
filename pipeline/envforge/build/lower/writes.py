"""The writing steps as statements: insert, update, delete."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Mapping

from envforge.build.lower.body import Body, tuple_doc
from envforge.build.lower.derived import changing
from envforge.build.lower.expressions import Value
from envforge.build.lower.layout import HARD, Doc, Nest, bracketed, parenthesised_if_broken, quoted
from envforge.build.lower.printer import breaks_inside, constant_node, expression_doc
from envforge.build.lower.shapes import Scalar, Shape, row_of
from envforge.build.lower.source import ColumnUse, identifier
from envforge.build.lower.sql import column_lines, equality, given_test, sql_doc
from envforge.core.errors import BuildError
from envforge.core.records.blueprint import Delete, Insert, Require, Update
from envforge.core.records.domain import Column, Table


def write_insert(body: Body, step: Insert, *, whole: bool) -> Shape:
    """`name = {…}` and its INSERT. With `whole`, columns without a value are spelled out as well."""
    table = body.table(step.table)
    body.writes.add(table.name)
    values = {name: _stored(body, table, name, text) for name, text in step.values.items()}
    for column in table.columns:
        if column.name in values:
            continue
        if not column.nullable and column.default is None and column.name not in table.primary_key:
            raise BuildError(f"the insert into {table.name} lacks {column.name}", where=body.where)
        if whole or column.default is not None:
            values[column.name] = constant_node(_default(column))
    values = {column.name: values[column.name] for column in table.columns if column.name in values}
    pairs: list[Doc] = [(quoted(name), ": ", _dict_value(node)) for name, node in values.items()]
    body.write((f"{step.name} = ", _exploded("{", pairs, "}") if len(pairs) > 2 else bracketed("{", pairs, "}")))
    names = [identifier(name, body.where) for name in values]
    into = column_lines(f"INSERT INTO {identifier(table.name, body.where)}", names, brackets=("(", ")"))
    marks = [f":{name}" for name in values]
    lines = [*into.split("\n"), *column_lines("VALUES", marks, brackets=("(", ")")).split("\n")]
    changing(body, step, lambda: body.write(sql_doc("execute", lines, step.name)))
    return row_of(table)


def _exploded(opening: str, parts: list[Doc], closing: str) -> Doc:
    lines: list[Doc] = []
    for part in parts:
        lines += [HARD, part, ","]
    return (opening, Nest(tuple(lines)), HARD, closing)


def _dict_value(node: ast.expr) -> Doc:
    return expression_doc(node) if breaks_inside(node) else parenthesised_if_broken(expression_doc(node))


def _default(column: Column) -> object:
    return int(column.default) if isinstance(column.default, bool) else column.default


def _stored(body: Body, table: Table, name: str, text: str) -> ast.expr:
    """The expression as the column stores it: JSON columns take text."""
    if not table.has(name):
        known = ", ".join(column.name for column in table.columns)
        raise BuildError(f"{table.name} has no column {name!r}", where=body.where, remedy=f"columns: {known}")
    value = body.compile(text)
    if table.column(name).type != "json" or _is_json_text(value):
        return value.node
    return ast.Call(ast.Name("_to_json", ast.Load()), [value.node], [])


def _is_json_text(value: Value) -> bool:
    if isinstance(value.node, ast.Constant) and value.node.value is None:
        return True
    return isinstance(value.shape, Scalar) and value.shape.stored and value.shape.type == "json"


def _key(body: Body, table: Table, where: Mapping[str, str]) -> tuple[str, list[ast.expr]]:
    """The WHERE clause over equal columns, and its values."""
    if not where:
        raise BuildError(f"a change of {table.name} without a condition", where=body.where)
    shape = row_of(table)
    words: list[str] = []
    values: list[ast.expr] = []
    for name, text in where.items():
        if name not in shape.columns:
            raise BuildError(f"{table.name} has no column {name!r}", where=body.where)
        column = ColumnUse(identifier(name, body.where), name, shape.columns[name])
        clause = equality(column, body.compile(text))
        words += [str(piece) for piece in clause.sql]
        values += clause.values
    return "WHERE " + " AND ".join(words), values


def write_update(body: Body, step: Update, *, alone: bool) -> None:
    """The UPDATE. `alone` says that it is the tool's only write, so that giving nothing is a mistake."""
    changing(body, step, lambda: _write_update(body, step, alone=alone))


def _write_update(body: Body, step: Update, *, alone: bool) -> None:
    table = body.table(step.table)
    body.writes.add(table.name)
    fixed = {name: _stored(body, table, name, text) for name, text in step.set.items()}
    condition, keys = _key(body, table, step.where)
    if step.set_given:
        _write_given(body, step, table, fixed, condition, keys, alone=alone)
        return
    if not fixed:
        raise BuildError(f"the update of {table.name} sets nothing", where=body.where)
    columns = [f"{identifier(column, body.where)} = ?" for column in fixed]
    lines = [f"UPDATE {identifier(table.name, body.where)}", column_lines("SET", columns), condition]
    body.write(sql_doc("execute", lines, tuple_doc([*fixed.values(), *keys])))


def _write_given(
    body: Body,
    step: Update,
    table: Table,
    fixed: Mapping[str, ast.expr],
    condition: str,
    keys: list[ast.expr],
    *,
    alone: bool,
) -> None:
    changes = body.spare("changes", "changed")
    body.write((f"{changes} = ", _given_call(body, step, table)))
    names = _parameters_of(body, step)
    if alone and not _was_required(body, names):
        with body.block(f"if not {changes}"):
            hint = f"Give at least one of {', '.join(names)}." if len(names) > 1 else f"Give {names[0]}."
            body.raise_error(
                "invalid_argument", "There is nothing to change.", hint, when="There is nothing to change."
            )
    for column, node in fixed.items():
        body.write((f"{changes}[{quoted(column)}] = ", body.value(node)))
    every = ast.parse(f"{changes}.values()", mode="eval").body
    assigned = f"SET {{_assignments({changes})}}"
    lines = [f"UPDATE {identifier(table.name, body.where)}", assigned, condition]
    statement = sql_doc("execute", lines, tuple_doc([ast.Starred(every, ast.Load()), *keys]), template=True)
    if alone or fixed:
        body.write(statement)
        return
    with body.block(f"if {changes}"):
        body.write(statement)


def _given_call(body: Body, step: Update, table: Table) -> Doc:
    """The call that keeps the columns with a value; a dict for columns that cannot be keywords."""
    values = {column: _given_value(body, table, column, text) for column, text in step.set_given.items()}
    names = [identifier(column, body.where) for column in values]
    if any(keyword.iskeyword(column) for column in values) or any('"' in name for name in names):
        pairs: list[Doc] = [(quoted(column), ": ", _dict_value(node)) for column, node in values.items()]
        return ("_given", bracketed("(", [("**", bracketed("{", pairs, "}"))], ")"))
    return ("_given", bracketed("(", [(f"{column}=", _dict_value(node)) for column, node in values.items()], ")"))


def _was_required(body: Body, names: list[str]) -> bool:
    """True if a step of the operation already demands that one of the parameters is given."""
    for other in body.operation.steps:
        if isinstance(other, Require):
            tree = ast.parse(other.that.strip(), mode="eval").body
            parts = tree.values if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.Or) else [tree]
            if {ast.unparse(part) for part in parts} == {f"{name} is not None" for name in names}:
                return True
    return False


def _parameters_of(body: Body, step: Update) -> list[str]:
    """The parameters that the values of `set_given` come from, in their order."""
    used = {name for text in step.set_given.values() for name in body.compile(text).names}
    return [parameter.name for parameter in body.operation.parameters if parameter.name in used] or sorted(used)


def _given_value(body: Body, table: Table, column: str, text: str) -> ast.expr:
    """The value for a `set_given` column; computed values stay None when what they need was not given."""
    value = body.compile(text)
    node = _stored(body, table, column, text)
    if isinstance(value.node, ast.Name):
        return node
    needed = [name for name in sorted(value.names) if Value(value.node, body.scope[name]).may_be_none]
    if not needed:
        return node
    tests = [given_test(Value(ast.Name(name, ast.Load()), body.scope[name])) for name in needed]
    return ast.IfExp(tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), list(tests)), node, ast.Constant(None))


def write_delete(body: Body, step: Delete) -> None:
    """The DELETE."""
    table = body.table(step.table)
    body.writes.add(table.name)
    condition, keys = _key(body, table, step.where)
    lines = ["DELETE", f"FROM {identifier(table.name, body.where)}", condition]
    values = tuple_doc(keys) if keys else None
    changing(body, step, lambda: body.write(sql_doc("execute", lines, values)))

"""SQL text for the structured steps: conditions, statements and their layout; values are always bound."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from envforge.build.lower.expressions import Value
from envforge.build.lower.layout import HARD, Doc, block_text, bracketed, joined, quoted
from envforge.build.lower.shapes import Scalar
from envforge.build.lower.source import ColumnUse, Source
from envforge.core.errors import BuildError
from envforge.core.records.blueprint import Condition

_SIGNS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_ONE_LINE = 84
_SQL_WIDTH = 92


@dataclass(frozen=True)
class Clause:
    """One condition: SQL (pieces of text and expressions to fill in), bound values, and when it applies."""

    sql: tuple[str | ast.expr, ...]
    values: tuple[ast.expr, ...] = ()
    test: ast.expr | None = None

    @property
    def template(self) -> bool:
        """True if the SQL has pieces to fill in at run time."""
        return any(isinstance(piece, ast.expr) for piece in self.sql)


def equality(column: ColumnUse, value: Value) -> Clause:
    """`column = ?`, or `IS` where either side may be NULL: equal as Python means it."""
    if isinstance(value.node, ast.Constant) and value.node.value is None:
        return Clause((f"{column.sql} IS NULL",))
    return Clause((f"{column.sql} {'IS' if value.may_be_none else '='} ?",), (value.node,))


def condition_clause(source: Source, condition: Condition, value: Value | None, where: str) -> Clause:
    """The clause for one condition. Raises BuildError when it lacks the value that its operator needs."""
    column = source.column(condition.column)
    if condition.op in ("is_null", "not_null"):
        return _null_clause(column, condition, value)
    if value is None:
        raise BuildError(f"the condition on {condition.column} has no value", where=where)
    guarded = Value(value.node, Scalar("any")) if condition.optional else value
    clause = _compare(column, condition.op, guarded, value)
    test = given_test(value) if condition.optional else None
    return Clause(clause.sql, clause.values, test)


def _null_clause(column: ColumnUse, condition: Condition, value: Value | None) -> Clause:
    yes, no = f"{column.sql} IS NULL", f"{column.sql} IS NOT NULL"
    if condition.op == "not_null":
        yes, no = no, yes
    if value is None:
        return Clause((yes,))
    # With a value the condition is a switch: true asks for it, false for its opposite.
    pick = ast.IfExp(value.node, ast.Constant(yes), ast.Constant(no))
    return Clause((pick,), (), given_test(value) if condition.optional else None)


def _compare(column: ColumnUse, op: str, value: Value, typed: Value) -> Clause:
    if op == "eq":
        return equality(column, value)
    if op == "ne":
        loose = value.may_be_none or column.type.nullable
        return Clause((f"{column.sql} {'IS NOT' if loose else '!='} ?",), (value.node,))
    if op in ("contains", "starts_with"):
        escaped = ast.Call(ast.Name("_like", ast.Load()), [value.node], [])
        parts: list[ast.expr] = [ast.FormattedValue(escaped, -1), ast.Constant("%")]
        pattern = ast.JoinedStr([ast.Constant("%"), *parts] if op == "contains" else parts)
        return Clause((f"{column.sql} LIKE ? ESCAPE '!'",), (pattern,))
    if op == "in":
        marks = ast.Call(ast.Name("_marks", ast.Load()), [value.node], [])
        return Clause((f"{column.sql} IN (", marks, ")"), (ast.Starred(value.node, ast.Load()),))
    by_date = isinstance(typed.shape, Scalar) and typed.shape.type == "date"
    sql = column.sql
    if column.type.type == "timestamp" and (op == "on_date" or by_date):
        sql = f"substr({sql}, 1, 10)"
    if op != "on_date":
        return Clause((f"{sql} {_SIGNS[op]} ?",), (value.node,))
    day = value.node if by_date else ast.Call(ast.Name("_date_of", ast.Load()), [value.node], [])
    return Clause((f"{sql} = ?",), (day,))


def given_test(value: Value) -> ast.expr:
    """The Python condition that an optional value was given."""
    return ast.Compare(value.node, [ast.IsNot()], [ast.Constant(None)])


def sql_doc(method: str, lines: Sequence[str | Doc], values: Doc | None, *, template: bool = False) -> Doc:
    """`world.<method>(SQL, values)`: on one line if the SQL is short, else as a block with a line per clause."""
    whole = " ".join(line.strip() for line in lines if isinstance(line, str))
    arguments: list[Doc]
    short = (
        len(lines) <= (3 if template else 5) and len(whole) <= _ONE_LINE and "\n" not in whole and "JOIN" not in whole
    )
    if short and not (template and ('"' in whole or "'" in whole)):
        arguments = [("f" if template else "") + quoted(whole)]
    else:
        body = [block_text(part) for line in lines if isinstance(line, str) for part in line.split("\n")]
        opening = 'f"""' if template else '"""'
        arguments = [(opening, HARD, joined([*body, '"""'], (HARD,)))]
    if values is not None:
        arguments.append(values)
    return (f"world.{method}", bracketed("(", arguments, ")"))


def column_lines(word: str, columns: Sequence[str], *, brackets: tuple[str, str] = ("", "")) -> str:
    """`word a, b, c`, in brackets if given, continued on lines that are indented to the first column."""
    opening, closing = brackets
    lines = [f"{word} {opening}"]
    margin = " " * len(lines[0])
    for number, column in enumerate(columns):
        item = column + (closing if number == len(columns) - 1 else ",")
        if number and len(lines[-1]) + 1 + len(item) > _SQL_WIDTH:
            lines.append(margin + item)
        else:
            lines[-1] += f" {item}" if number else item
    return "\n".join(lines)

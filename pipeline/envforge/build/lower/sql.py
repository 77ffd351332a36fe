"""SQL text for the structured steps: names resolved against the tables, values always bound."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from envforge.build.lower.expressions import Value
from envforge.build.lower.layout import HARD, Doc, block_text, bracketed, joined, quoted
from envforge.build.lower.shapes import RowOf, Scalar, row_of
from envforge.core.errors import BuildError
from envforge.core.records.blueprint import Condition, Join, Order
from envforge.core.records.domain import Table

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_RESERVED = frozenset(
    [
        "add",
        "all",
        "alter",
        "and",
        "as",
        "asc",
        "between",
        "by",
        "case",
        "cast",
        "check",
        "collate",
        "commit",
        "constraint",
        "create",
        "cross",
        "current_date",
        "current_time",
        "current_timestamp",
        "default",
        "deferrable",
        "delete",
        "desc",
        "distinct",
        "drop",
        "each",
        "else",
        "end",
        "escape",
        "except",
        "exists",
        "foreign",
        "from",
        "full",
        "group",
        "having",
        "if",
        "in",
        "index",
        "inner",
        "insert",
        "intersect",
        "into",
        "is",
        "isnull",
        "join",
        "key",
        "left",
        "like",
        "limit",
        "match",
        "natural",
        "no",
        "not",
        "notnull",
        "null",
        "of",
        "offset",
        "on",
        "or",
        "order",
        "outer",
        "over",
        "primary",
        "references",
        "right",
        "rollback",
        "row",
        "select",
        "set",
        "table",
        "temp",
        "then",
        "to",
        "transaction",
        "trigger",
        "union",
        "unique",
        "update",
        "using",
        "values",
        "view",
        "when",
        "where",
        "window",
        "with",
    ]
)
_SIGNS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_ONE_LINE = 84
_SQL_WIDTH = 92


def identifier(name: str, where: str) -> str:
    """A table or column name as SQL. Raises BuildError if it is not a plain name."""
    if not _NAME.fullmatch(name):
        raise BuildError(f"{name!r} is not a name for a table or column", where=where)
    return f'"{name}"' if name.lower() in _RESERVED else name


@dataclass(frozen=True)
class ColumnUse:
    """A resolved column: its SQL, the key it has in result rows, and its type."""

    sql: str
    key: str
    type: Scalar


class Source:
    """The FROM side of a query: a base table and its joins. Columns are qualified only if there are joins."""

    def __init__(self, tables: Mapping[str, Table], table: str, joins: Sequence[Join], where: str) -> None:
        self._where = where
        self._rows: dict[str, RowOf] = {table: row_of(_table(tables, table, where))}
        self.base = _table(tables, table, where)
        self.tables = [table, *(join.table for join in joins)]
        self._qualify = bool(joins)
        self._lines = [f"FROM {identifier(table, where)}"]
        for join in joins:
            self._join(tables, join)

    def _join(self, tables: Mapping[str, Table], join: Join) -> None:
        if join.alias in self._rows:
            raise BuildError(f"the alias {join.alias!r} is used twice", where=self._where)
        joined_row = row_of(_table(tables, join.table, self._where))
        before = dict(self._rows)
        if join.left:
            columns = {name: Scalar(c.type, True, c.stored) for name, c in joined_row.columns.items()}
            joined_row = RowOf(columns, label=join.table)
        self._rows[join.alias] = joined_row
        pairs: list[str] = []
        for own, other in join.on.items():
            left = self.column(f"{join.alias}.{own}").sql
            pairs.append(f"{left} = {self._among(before, other).sql}")
        if not pairs:
            raise BuildError(f"the join to {join.table} has no columns", where=self._where)
        alias, table = identifier(join.alias, self._where), identifier(join.table, self._where)
        name = table if join.alias == join.table else f"{table} AS {alias}"
        self._lines.append(f"{'LEFT JOIN' if join.left else 'JOIN'} {name} ON {' AND '.join(pairs)}")

    def column(self, text: str) -> ColumnUse:
        """`column`, `alias.column` or either with ` as name`. Raises BuildError if there is no such column."""
        return self._among(self._rows, text)

    def _among(self, rows: Mapping[str, RowOf], text: str) -> ColumnUse:
        path, _, name = (part.strip() for part in text.partition(" as "))
        alias, _, column = path.rpartition(".")
        row = rows.get(alias or self.base.name)
        if row is None or column not in row.columns:
            known = ", ".join(sorted(row.columns)) if row else ", ".join(sorted(rows))
            raise BuildError(f"no column {path!r} in {', '.join(rows)}", where=self._where, remedy=f"known: {known}")
        sql = identifier(column, self._where)
        if self._qualify:
            sql = f"{identifier(alias or self.base.name, self._where)}.{sql}"
        key = name or column
        identifier(key, self._where)
        return ColumnUse(sql, key, row.columns[column])

    def lines(self) -> list[str]:
        """FROM and JOIN lines."""
        return list(self._lines)

    def selected(self, columns: Sequence[str]) -> tuple[list[str], RowOf]:
        """The SELECT list and the shape of its rows; all columns of the base table if none are named."""
        if not columns:
            star = f"{identifier(self.base.name, self._where)}.*" if self._qualify else "*"
            return [star], self._rows[self.base.name]
        out: list[str] = []
        shape: dict[str, Scalar] = {}
        for text in columns:
            if text.strip() in ("*", f"{self.base.name}.*"):
                out.append(f"{identifier(self.base.name, self._where)}.*")
                shape.update(self._rows[self.base.name].columns)
                continue
            use = self.column(text)
            if use.key in shape:
                raise BuildError(f"two result columns are called {use.key!r}", where=self._where)
            plain = use.sql.rpartition(".")[2].strip('"') == use.key
            out.append(use.sql if plain else f"{use.sql} AS {identifier(use.key, self._where)}")
            shape[use.key] = use.type
        return out, RowOf(shape, label=f"the selected row of {self.base.name}")

    def order_line(self, order: Sequence[Order]) -> str:
        """ORDER BY the given columns, then the primary key, so that the order is total."""
        parts = [f"{self.column(item.column).sql}{' DESC' if item.descending else ''}" for item in order]
        named = {self.column(item.column).sql for item in order}
        keys = [self.column(key).sql for key in self.base.primary_key]
        return "ORDER BY " + ", ".join(parts + [key for key in keys if key not in named])


def _table(tables: Mapping[str, Table], name: str, where: str) -> Table:
    if name not in tables:
        raise BuildError(f"there is no table {name!r}", where=where, remedy=f"tables: {', '.join(sorted(tables))}")
    return tables[name]


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

"""Names in SQL: identifiers, and the FROM side of a query with the columns that it offers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from envforge.build.lower.shapes import RowOf, Scalar, row_of
from envforge.core.errors import BuildError
from envforge.core.records.blueprint import Join, Order
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

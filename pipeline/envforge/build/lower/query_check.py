"""A written query, checked before it becomes part of a tool: it prepares, only reads, and its names are known."""

from __future__ import annotations

import re
import sqlite3
import textwrap
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise

from envforge.build.lower.shapes import Scalar
from envforge.core.errors import BuildError
from envforge.core.records.domain import Table

_ALLOWED = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE})
_UNSTEADY = frozenset(
    {"changes", "current_date", "current_time", "current_timestamp", "last_insert_rowid", "load_extension"}
    | {"random", "randomblob", "total_changes"}
)
_PARAMETER = re.compile(r":([A-Za-z_]\w*)")
_TEXT = re.compile(r"'(?:[^']|'')*'")
_CLAUSE = re.compile(r"\b(FROM|(?:LEFT )?JOIN|WHERE|GROUP BY|HAVING|ORDER BY|LIMIT)\b")


@dataclass(frozen=True)
class CheckedQuery:
    """What a query reads and the columns of its rows."""

    reads: set[str]
    columns: dict[str, Scalar]


def check_query(query: str, parameters: set[str], tables: Sequence[Table], *, where: str) -> CheckedQuery:
    """Prepare the query on empty tables. Raises BuildError if it is not one plain SELECT over them."""
    plain = _TEXT.sub("''", query)
    used = set(_PARAMETER.findall(plain))
    if used != parameters:
        odd = ", ".join(sorted(used ^ parameters))
        raise BuildError(f"query and parameters disagree on {odd}", where=where, remedy="bind each :name exactly once")
    if "'now'" in query.lower():
        raise BuildError("the query reads the host's clock", where=where, remedy="bind now() as a parameter")
    reads: set[str] = set()

    def authorise(action: int, first: str | None, second: str | None, _db: str | None, _trigger: str | None) -> int:
        if action == sqlite3.SQLITE_READ and first:
            reads.add(first)
        hidden = action == sqlite3.SQLITE_READ and str(first).lower().startswith("sqlite_")
        unsteady = action == sqlite3.SQLITE_FUNCTION and str(second).lower() in _UNSTEADY
        return sqlite3.SQLITE_OK if action in _ALLOWED and not unsteady and not hidden else sqlite3.SQLITE_DENY

    with closing(sqlite3.connect(":memory:")) as connection:
        for table in tables:
            names = ", ".join(f'"{column.name}"' for column in table.columns)
            connection.execute(f'CREATE TABLE "{table.name}" ({names})')
        connection.set_authorizer(authorise)
        try:
            cursor = connection.execute(query, dict.fromkeys(parameters, 1))
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise BuildError(f"the query does not work: {error}", where=where, remedy="one SELECT only") from error
        names = [str(column[0]) for column in cursor.description or ()]
    known = {table.name for table in tables}
    return CheckedQuery(reads & known, {name: _type(name, reads, tables) for name in names})


def _type(name: str, reads: set[str], tables: Sequence[Table]) -> Scalar:
    """SQLite does not say where a result column comes from; a name that means one type everywhere tells it."""
    columns = [table.column(name) for table in tables if table.name in reads and table.has(name)]
    types = {column.type for column in columns}
    if len(types) == 1:
        return Scalar(types.pop(), nullable=True, stored=True)
    return Scalar("any", nullable=True)


def laid_out(query: str) -> list[str]:
    """The query's lines without common indentation; a query on one long line gets a line per clause."""
    lines = [line.rstrip() for line in textwrap.dedent(query).strip().split("\n") if line.strip()]
    return lines if len(lines) > 1 else _broken(lines[0])


def _broken(query: str) -> list[str]:
    if len(query) <= 84:
        return [query]
    spans = [match.span() for match in _TEXT.finditer(query)]
    starts = [
        match.start()
        for match in _CLAUSE.finditer(query)
        if not any(first <= match.start() < last for first, last in spans) and _depth(query, match.start(), spans) == 0
    ]
    cuts = [0, *[start for start in starts if start], len(query)]
    return [query[first:last].strip() for first, last in pairwise(cuts)]


def _depth(query: str, end: int, spans: Iterable[tuple[int, int]]) -> int:
    texts = list(spans)
    depth = 0
    for position, char in enumerate(query[:end]):
        if char in "()" and not any(first <= position < last for first, last in texts):
            depth += 1 if char == "(" else -1
    return depth

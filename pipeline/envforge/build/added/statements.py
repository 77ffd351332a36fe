"""The SQL of a tool: plain strings only, so that what they read and write is known before anything runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from envforge.core.records.domain import Verb

_METHODS = ("query", "execute")
_WRITES: dict[type[exp.Expr], Verb] = {exp.Insert: "create", exp.Update: "update", exp.Delete: "delete"}


@dataclass(frozen=True)
class Statement:
    """A table that a statement names. `verb`: what it does to it; None: it reads."""

    table: str
    verb: Verb | None = None

    @property
    def writes(self) -> bool:
        """It changes the table."""
        return self.verb is not None


@dataclass(frozen=True)
class Statements:
    """What a function's SQL does, and what is wrong with it."""

    statements: tuple[Statement, ...]
    problems: tuple[str, ...]


def statements_of(function: ast.FunctionDef, tables: set[str]) -> Statements:
    """Every statement of a function."""
    found: list[Statement] = []
    problems: list[str] = []
    for text in _texts(function, problems):
        try:
            (parsed,) = sqlglot.parse(text, dialect="sqlite")
        except (SqlglotError, ValueError) as error:
            problems.append(f"is no single SQL statement: {text[:80]!r} ({str(error).splitlines()[0][:80]})")
            continue
        if parsed is not None:
            found += _tables(parsed, tables, problems)
    return Statements(tuple(found), tuple(problems))


def _texts(function: ast.FunctionDef, problems: list[str]) -> Iterator[str]:
    # As they stand in the text: the first table that is named is what the tool is about.
    calls = sorted((node for node in ast.walk(function) if isinstance(node, ast.Call)), key=lambda node: node.lineno)
    for node in calls:
        if not (isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS):
            continue
        text = node.args[0] if node.args else None
        if isinstance(text, ast.Constant) and isinstance(text.value, str):
            yield text.value
        else:
            problems.append(f"line {node.lineno}: the SQL of world.{node.func.attr} has to be a plain string")


def _tables(parsed: exp.Expr, tables: set[str], problems: list[str]) -> Iterator[Statement]:
    verb: Verb | None = next((word for kind, word in _WRITES.items() if isinstance(parsed, kind)), None)
    if verb is None and not isinstance(parsed, exp.Query):
        problems.append(f"{parsed.key.upper()} is no statement of a tool")
        return
    if isinstance(parsed, exp.Update | exp.Delete) and not _narrowed(parsed):
        problems.append(f"{parsed.key.upper()} without a WHERE on a value touches every row")
    target = parsed.this.find(exp.Table) if verb is not None else None
    aliases = {one.alias for one in parsed.find_all(exp.CTE)}
    for table in parsed.find_all(exp.Table):
        if table.name in aliases:
            continue
        if table.name not in tables:
            problems.append(f"there is no table {table.name!r}")
        else:
            yield Statement(table.name, verb if table is target else None)


def _narrowed(parsed: exp.Expr) -> bool:
    """A WHERE that depends on a column and on a value that the caller gave."""
    where = parsed.args.get("where")
    if where is None:
        return False
    return any(where.find_all(exp.Column)) and any(where.find_all(exp.Placeholder))

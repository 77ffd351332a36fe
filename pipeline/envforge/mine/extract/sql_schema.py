"""Table definitions of a SQL dump: columns, their types, primary and foreign keys."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from envforge.core.records.extraction import StatedReference
from envforge.mine.extract.sql_statements import MAX_SCHEMA_TEXT, Dialect, Name, Schema

Family = Literal["integer", "boolean", "flag", "real", "date", "timestamp", "json", "text", ""]
_FAMILIES: tuple[tuple[Family, tuple[str, ...]], ...] = (
    ("boolean", ("BOOLEAN", "BIT")),
    ("integer", ("INT", "SERIAL", "BIGSERIAL", "SMALLSERIAL", "BIGINT", "SMALLINT", "TINYINT", "MEDIUMINT", "UINT")),
    ("real", ("FLOAT", "DOUBLE", "DECIMAL", "REAL", "MONEY", "SMALLMONEY", "BIGDECIMAL", "UDECIMAL", "UDOUBLE")),
    ("date", ("DATE", "DATE32")),
    ("timestamp", ("TIMESTAMP", "DATETIME", "TIMESTAMPTZ", "TIMESTAMPLTZ", "SMALLDATETIME", "DATETIME2")),
    ("json", ("JSON", "JSONB")),
    ("text", ("TEXT", "VARCHAR", "CHAR", "NCHAR", "NVARCHAR", "BPCHAR", "ENUM", "UUID", "NAME", "INET", "SET",
              "MEDIUMTEXT", "LONGTEXT", "TINYTEXT", "TIME", "TIMETZ", "INTERVAL", "YEAR")),
)  # fmt: skip
_PARSER: dict[Dialect, str | None] = {"pg": "postgres", "mysql": "mysql", "sqlite": "sqlite", "": None}
"""What the parser calls the dialects."""
_FAMILY: dict[str, Family] = {name: family for family, members in _FAMILIES for name in members}


@dataclass
class Definition:
    """A table as the dump defines it."""

    name: Name
    columns: dict[str, Family] = field(default_factory=lambda: dict[str, Family]())
    key: tuple[str, ...] = ()
    references: list[StatedReference] = field(default_factory=lambda: list[StatedReference]())
    line: int = 0


class SchemaBook:
    """All table definitions of a dump, by name in lower case."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect: Dialect = dialect
        self.tables: dict[Name, Definition] = {}

    def add(self, schema: Schema) -> str | None:
        """Take in a statement; why it could not be read, if so."""
        if len(schema.text) > MAX_SCHEMA_TEXT:
            return f"a table definition of more than {MAX_SCHEMA_TEXT:,} characters"
        import sqlglot  # slow to import, and only some themes have a dump
        from sqlglot import exp
        from sqlglot.errors import SqlglotError

        logging.getLogger("sqlglot").setLevel(logging.ERROR)  # what it cannot parse is said here, once
        try:
            tree: Any = sqlglot.parse_one(schema.text, dialect=_PARSER[self._dialect])
        except (SqlglotError, RecursionError, ValueError) as error:
            return f"the statement cannot be parsed: {' '.join(str(error).split())[:120]}"
        if isinstance(tree, exp.Create) and isinstance(tree.this, exp.Schema):
            definition = Definition(_name(tree.this.this), line=schema.line)
            self.tables[_low(definition.name)] = definition
            for item in tree.this.expressions:
                _column(definition, item)
        elif isinstance(tree, exp.Alter):
            known = self.find(_name(tree.this))
            if known is None:
                return None
            definition = known
        elif isinstance(tree, exp.Create):
            return "the table is made from a query, which is not run"
        else:
            return None  # an ALTER of something that says nothing about columns or keys
        for owner, reference in _constraints(tree):
            _constrain(definition, owner, reference)
        return None

    def find(self, name: Name) -> Definition | None:
        """The definition of a table, with or without its schema's name."""
        low = _low(name)
        if low in self.tables:
            return self.tables[low]
        same = [found for key, found in self.tables.items() if key[-1] == low[-1] and (len(key) == 1 or len(low) == 1)]
        return same[0] if len(same) == 1 else None


def _low(name: Name) -> Name:
    return tuple(part.lower() for part in name)


def _name(table: Any) -> Name:
    return tuple(part.name for part in table.parts) if hasattr(table, "parts") else (str(table.name),)


def _column(definition: Definition, item: Any) -> None:
    from sqlglot import exp

    if isinstance(item, exp.ColumnDef):
        definition.columns[item.name] = _family(item.args.get("kind"))
        if item.find(exp.PrimaryKeyColumnConstraint):
            definition.key = (*definition.key, item.name)
    elif isinstance(item, exp.Identifier):  # SQLite: a column without a type
        definition.columns[item.name] = ""


def _family(kind: Any) -> Family:
    if kind is None:
        return ""
    name = str(getattr(kind.this, "name", kind.this)).upper()
    family = _FAMILY.get(name, "")
    sizes = [str(size.name or size.this) for size in kind.expressions]
    if name in ("TINYINT", "BIT") and sizes == ["1"]:
        return "flag"
    return "" if kind.args.get("nested") or (name == "BIT") else family


def _constraints(tree: Any) -> Iterator[tuple[Any, Any]]:
    """(what holds the columns, reference or None) of each key constraint."""
    from sqlglot import exp

    for key in tree.find_all(exp.PrimaryKey):
        yield key, None
    for key in tree.find_all(exp.ForeignKey):
        yield key, key.args.get("reference")
    for constraint in tree.find_all(exp.ColumnConstraint):
        if isinstance(constraint.args.get("kind"), exp.Reference):
            yield constraint.parent, constraint.args["kind"]


def _constrain(definition: Definition, owner: Any, reference: Any) -> None:
    from sqlglot import exp

    own = (owner.name,) if isinstance(owner, exp.ColumnDef) else tuple(part.name for part in owner.expressions)
    if isinstance(owner, exp.PrimaryKey):
        definition.key = own
    elif reference is not None:
        target = reference.this
        table = target.this if isinstance(target, exp.Schema) else target
        columns = tuple(part.name for part in target.expressions) if isinstance(target, exp.Schema) else ()
        stated = StatedReference(own, ".".join(_name(table)), columns)
        if stated not in definition.references:
            definition.references.append(stated)

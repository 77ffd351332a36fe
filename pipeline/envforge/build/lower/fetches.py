"""Fetch steps, and the functions that tools share when they look up the same thing in the same words."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Sequence
from dataclasses import dataclass

from envforge.build.lower.body import Body, Module, tuple_doc
from envforge.build.lower.expressions import Value
from envforge.build.lower.layout import INDENT, Doc, bracketed, quoted, render
from envforge.build.lower.messages import message_node, message_words, split_message
from envforge.build.lower.printer import expression_doc
from envforge.build.lower.queries import first_or_none
from envforge.build.lower.shapes import ANYTHING, Shape, row_of
from envforge.build.lower.source import ColumnUse, identifier
from envforge.build.lower.sql import equality, sql_doc
from envforge.core.errors import BuildError
from envforge.core.ids import canonical_json
from envforge.core.records.blueprint import Delete, Fetch, Insert, Operation
from envforge.core.records.domain import Table
from envforge.core.steps import all_steps
from envforge.gates.tool_rules import FORBIDDEN_NAMES

_TYPES = {"integer": "int", "real": "float", "boolean": "bool"}


@dataclass(frozen=True)
class Lookup:
    """A Fetch without the names of its caller: message and hint refer to columns."""

    table: str
    columns: tuple[str, ...]
    message: str
    hint: str

    def key(self) -> str:
        """Equal look-ups have equal keys."""
        return canonical_json([self.table, self.columns, self.message, self.hint])


def lookup_of(module: Module, step: Fetch, operation: Operation) -> Lookup | None:
    """The look-up that a step makes; None if its words depend on more than what it looks for, or it cannot fail."""
    table = module.tables.get(step.table)
    where = f"operation {operation.name}"
    if table is None or step.optional or _reads_again(step, table, operation):
        return None
    columns = {text.strip(): column for column, text in step.where.items()}
    message = _renamed(step.message or _default_message(table, step), columns, where)
    hint = _renamed(step.hint or _default_hint(module, table, step), columns, where)
    if message is None or hint is None or len(columns) < len(step.where):
        return None
    return Lookup(step.table, tuple(step.where), message, hint)


def _renamed(message: str, columns: dict[str, str], where: str) -> str | None:
    out = ""
    for is_expression, text in split_message(message, where=where):
        if not is_expression:
            out += text.replace("{", "{{").replace("}", "}}")
        elif text.strip() in columns:
            out += "{" + columns[text.strip()] + "}"
        else:
            return None
    return out


def _default_message(table: Table, step: Fetch) -> str:
    parts = [f"{column} {{{text}}}" for column, text in step.where.items()]
    return f"There is no {table.label or table.entity} with {' and '.join(parts)}."


def _default_hint(module: Module, table: Table, step: Fetch) -> str:
    for column in step.where:
        finder = module.finders.get(f"{table.entity}.{column}")
        if finder:
            return f"Use {finder} to find one."
    return ""


def _reads_again(step: Fetch, table: Table, operation: Operation) -> bool:
    """True for a look-up by the key of a row that the operation has in hand: it is there."""
    steps = list(all_steps(operation.steps))
    if step.optional or any(isinstance(other, Delete) and other.table == step.table for other in steps):
        return False
    kept = {id(other) for other in steps if isinstance(other, Fetch | Insert) and other.table == step.table}
    kept -= {id(other) for other in steps if isinstance(other, Fetch) and other.optional}
    other_names = {str(getattr(other, "name", "")) for other in steps if id(other) not in kept}
    rows = {str(getattr(other, "name", "")) for other in steps if id(other) in kept} - other_names
    own = {column for column, text in step.where.items() if text.strip() in {f"{row}.{column}" for row in rows}}
    return own == set(step.where) == set(table.primary_key)


def shared_lookups(module: Module, operations: Sequence[Operation]) -> dict[str, Lookup]:
    """Function name -> look-up, for every look-up that is made twice or more; fills `module.fetchers`."""
    counts: dict[str, int] = {}
    found: dict[str, Lookup] = {}
    for operation in operations:
        for step in all_steps(operation.steps):
            lookup = lookup_of(module, step, operation) if isinstance(step, Fetch) else None
            if lookup:
                counts[lookup.key()] = counts.get(lookup.key(), 0) + 1
                found.setdefault(lookup.key(), lookup)
    out: dict[str, Lookup] = {}
    for key in sorted((key for key in counts if counts[key] > 1), key=lambda key: (-counts[key], key)):
        lookup = found[key]
        table = module.tables[lookup.table]
        name = f"_get_{table.entity}"
        if lookup.columns != table.primary_key:
            name += "_by_" + "_and_".join(lookup.columns)
        if name not in out:
            out[name] = lookup
            module.fetchers[key] = name
    return dict(sorted(out.items()))


def lookup_function(module: Module, name: str, lookup: Lookup) -> str:
    """The source of a shared look-up function."""
    table = module.tables[lookup.table]
    names = {column: _parameter(table, column) for column in lookup.columns}
    shape = row_of(table)
    arguments: list[Doc] = ["world: World"]
    arguments += [f"{names[c]}: {_TYPES.get(shape.columns[c].type, 'str')}" for c in lookup.columns]
    words = [f"{identifier(column, name)} = ?" for column in lookup.columns]
    by = " and ".join(column.replace("_", " ") for column in lookup.columns)
    query = sql_doc(
        "query",
        ["SELECT *", f"FROM {identifier(table.name, name)}", *_where(words), *_tie_break(table, lookup.columns)],
        tuple_doc([ast.Name(names[column], ast.Load()) for column in lookup.columns]),
    )

    def column_value(text: str) -> Value:
        return Value(ast.Name(names[text], ast.Load()), ANYTHING)

    parts: list[Doc] = [quoted("not_found")]
    parts += [
        expression_doc(message_node(text, column_value, where=name)) for text in (lookup.message, lookup.hint) if text
    ]
    lines = [
        render((f"def {name}", bracketed("(", arguments, ")"), " -> dict:")),
        f'    """The {table.label or table.entity} with this {by}. Raises ToolError(not_found)."""',
        render(("rows = ", query), indent=INDENT),
        "    if not rows:",
        render(("raise ToolError", bracketed("(", parts, ")")), indent=2 * INDENT),
        "    return rows[0]",
    ]
    return "\n".join(lines)


def _parameter(table: Table, column: str) -> str:
    if column in FORBIDDEN_NAMES or keyword.iskeyword(column) or column in ("world", "rows"):
        return f"{table.entity}_{column}"
    return column


def _where(words: list[str]) -> list[str]:
    return ["WHERE " + " AND ".join(words)]


def _tie_break(table: Table, columns: Sequence[str]) -> list[str]:
    """Which row it is when the columns do not tell: the first by key."""
    wanted = set(columns)
    if any(wanted >= set(key) for key in (table.primary_key, *table.unique)):
        return []
    return ["ORDER BY " + ", ".join(table.primary_key), "LIMIT 1"]


def write_fetch(body: Body, step: Fetch, *, used: bool) -> Shape:
    """The look-up of one row; the shape of the row. Without `used` it only makes sure that there is one."""
    table = body.table(step.table)
    body.reads.add(table.name)
    shape = row_of(table, optional=step.optional)
    unknown = sorted(step.where.keys() - shape.columns.keys())
    if unknown or not step.where:
        raise BuildError(f"{table.name} has no column {', '.join(unknown)!r}", where=body.where)
    if _reads_again(step, table, body.operation):
        body.assign(step.name, (_query(body, table, step), "[0]"))
        return shape
    message = step.message or _default_message(table, step)
    if not step.optional:
        body.note_error("not_found", message_words(message, where=body.where))
    lookup = lookup_of(body.module, step, body.operation)
    shared = body.module.fetchers.get(lookup.key()) if lookup else None
    if shared:
        values: list[Doc] = [expression_doc(body.compile(text).node) for text in step.where.values()]
        target = f"{step.name} = " if used else ""
        body.write((f"{target}{shared}", bracketed("(", ["world", *values], ")")))
        return shape
    query = _query(body, table, step)
    if step.optional:
        first_or_none(body, step.name, query)
        return shape
    rows = body.spare("rows", "found")
    body.assign(rows, query)
    with body.block(f"if not {rows}"):
        hint = step.hint or _default_hint(body.module, table, step)
        body.write(("raise ", body.error_doc("not_found", message, hint)))
    if used:
        body.write(f"{step.name} = {rows}[0]")
    return shape


def _query(body: Body, table: Table, step: Fetch) -> Doc:
    shape = row_of(table)
    words: list[str] = []
    values: list[ast.expr] = []
    for column, text in step.where.items():
        use = ColumnUse(identifier(column, body.where), column, shape.columns[column])
        clause = equality(use, body.compile(text))
        words += [str(piece) for piece in clause.sql]
        values += clause.values
    lines = ["SELECT *", f"FROM {identifier(table.name, body.where)}", *_where(words)]
    lines += _tie_break(table, tuple(step.where))
    return sql_doc("query", lines, tuple_doc(values) if values else None)

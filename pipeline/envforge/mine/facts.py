"""Facts only: names, numbers, codes and dates of a source are kept; its prose is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from envforge.core.contracts import Row
from envforge.core.records.domain import BoundOperation, Column, Domain, Table

_LONG_TEXT = 160
_MANY_WORDS = 8.0


def facts_only_rows(domain: Domain, rows: Mapping[str, Sequence[Row]]) -> tuple[Domain, dict[str, list[Row]]]:
    """The domain and rows without columns of free text, and parameters that concern them; a note says which.

    Only tables with rows are touched: what has no rows yet holds nobody's text.
    """
    prose = {table.name: _prose_columns(table, rows.get(table.name, ())) for table in domain.tables}
    if not any(prose.values()):
        return domain, {name: list(kept) for name, kept in rows.items()}
    tables = tuple(_without_columns(table, prose[table.name]) for table in domain.tables)
    operations = tuple(_without_parameters(item, prose.get(item.table, frozenset())) for item in domain.operations)
    dropped = [f"{name}.{column}" for name, columns in prose.items() for column in sorted(columns)]
    note = f"facts only: free text left out ({', '.join(dropped)})"
    smaller = domain.model_copy(
        update={"tables": tables, "operations": operations, "notes": (*domain.notes, note)},
    )
    kept = {
        name: [{c: v for c, v in row.items() if c not in prose.get(name, frozenset())} for row in held]
        for name, held in rows.items()
    }
    return smaller, kept


def facts_only_documents(documents: Mapping[str, str]) -> dict[str, str]:
    """No document at all: a document is its author's text."""
    del documents
    return {}


def _prose_columns(table: Table, rows: Sequence[Row]) -> frozenset[str]:
    fixed = {*table.primary_key, *(name for columns in table.unique for name in columns)}
    return frozenset(
        column.name
        for column in table.columns
        if column.name not in fixed and _is_prose(column, [row.get(column.name) for row in rows])
    )


def _is_prose(column: Column, values: Sequence[object]) -> bool:
    if column.type not in ("text", "json") or column.enum or column.references is not None or column.format:
        return False
    texts = [value for value in values if isinstance(value, str) and value]
    if not texts:
        return False
    if column.role == "body" or any(len(text) > _LONG_TEXT or "\n" in text for text in texts):
        return True
    return sum(len(text.split()) for text in texts) / len(texts) > _MANY_WORDS


def _without_columns(table: Table, names: frozenset[str]) -> Table:
    if not names:
        return table
    return table.model_copy(
        update={
            "columns": tuple(column for column in table.columns if column.name not in names),
            "indexes": tuple(columns for columns in table.indexes if not names & set(columns)),
        }
    )


def _without_parameters(operation: BoundOperation, names: frozenset[str]) -> BoundOperation:
    if not names:
        return operation
    kept = tuple(parameter for parameter in operation.parameters if parameter.column not in names)
    return operation.model_copy(update={"parameters": kept})

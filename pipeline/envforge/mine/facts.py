"""Facts only: names, numbers, codes and dates of a source are kept; its prose is not.

Prose stands in three places: in columns of rows, in documents, and in what a specification says of its operations,
parameters, records and fields. The last is needed while rows are made (it tells cents from euros), so it goes when the
database is filled; what is said instead is made from names and types, when tools are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast

from envforge.core.contracts import Row
from envforge.core.records.base import Record
from envforge.core.records.domain import BoundOperation, BoundParameter, Column, Domain, Table
from envforge.core.records.extraction import ApiOperation, Extraction, Shape

_LONG_TEXT = 160
_MANY_WORDS = 8.0
_SENTENCE_ENDS = (".", "!", "?", "。")
_RUN = 6
"""Words in a row that two people do not write by chance."""
_TOLD = ("description", "summary")
_SAID_OF_A_TYPE = frozenset({"description", "title", "example", "examples", "markdownDescription"})
_LINK = re.compile(r"\]\([^)\s]*\)")
_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_Described = TypeVar("_Described", Table, Column, BoundOperation, BoundParameter)


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


def prose_of(extractions: Iterable[Extraction]) -> frozenset[str]:
    """What the sources say of their operations, records and fields: whole texts, sentences, and runs of words."""
    found: set[str] = set()
    for extraction in extractions:
        for stated in (*extraction.operations, *extraction.shapes.values()):
            for text in _told(stated):
                found.update(_pieces(text))
    return frozenset(found)


def _told(stated: ApiOperation | Shape) -> Iterator[str]:
    waiting: list[object] = [stated]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Record):
            values: dict[str, object] = {name: getattr(one, name) for name in type(one).model_fields}
            yield from (text for name in _TOLD if isinstance(text := values.pop(name, None), str))
            waiting.extend(values.values())
        elif isinstance(one, tuple):
            waiting.extend(cast("tuple[object, ...]", one))


def _pieces(text: str) -> Iterator[str]:
    for part in (text, *_SENTENCE_END.split(text)):
        words = _words(part)
        if len(words) > 1:
            yield " ".join(words)
    yield from _runs(_words(text))


def _words(text: str) -> list[str]:
    return _WORD.findall(_LINK.sub("] ", text).lower())


def _runs(words: Sequence[str]) -> Iterator[str]:
    return (" ".join(words[start : start + _RUN]) for start in range(len(words) - _RUN + 1))


def without_prose(domain: Domain, prose: frozenset[str]) -> Domain:
    """The domain without any text that is, or holds a run of words of, the sources' own."""
    tables = tuple(
        _told_without(table, prose, columns=tuple(_told_without(column, prose) for column in table.columns))
        for table in domain.tables
    )
    operations = tuple(
        _told_without(
            operation, prose, parameters=tuple(_parameter_without(one, prose) for one in operation.parameters)
        )
        for operation in domain.operations
    )
    return domain.model_copy(update={"tables": tables, "operations": operations})


def _told_without(one: _Described, prose: frozenset[str], **changed: object) -> _Described:
    return one.model_copy(update={"description": _ours(one.description, prose), **changed})


def _ours(text: str, prose: frozenset[str]) -> str:
    words = _words(text)
    theirs = " ".join(words) in prose or any(run in prose for run in _runs(words))
    return "" if theirs else text


def _parameter_without(parameter: BoundParameter, prose: frozenset[str]) -> BoundParameter:
    return _told_without(parameter, prose, json_type=_schema_without(parameter.json_type, prose))


def _schema_without(value: Any, prose: frozenset[str]) -> Any:
    """A JSON Schema without texts of the sources; a property may be called like a keyword."""
    if isinstance(value, list):
        return [_schema_without(item, prose) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    return {
        key: _schema_without(item, prose)
        for key, item in cast("dict[str, Any]", value).items()
        if not (key in _SAID_OF_A_TYPE and isinstance(item, str) and not _ours(item, prose))
    }


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
    if column.role == "body" or any(len(text) > _LONG_TEXT or "\n" in text or _is_sentence(text) for text in texts):
        return True
    return sum(len(text.split()) for text in texts) / len(texts) > _MANY_WORDS


def _is_sentence(text: str) -> bool:
    # Long names are titles of standards and of committees: they do not end as sentences do.
    return text.rstrip()[-1:] in _SENTENCE_ENDS and len(text.split()) >= _MANY_WORDS


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

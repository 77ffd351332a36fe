"""From the oracle to what a task carries: checks on the final state and the answer, answer schema, rubric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from envforge.core.ids import canonical_json
from envforge.core.records.intent import AnswerField, Intent
from envforge.core.records.task import Check, RubricItem
from envforge.synth.oracle import ExpectedRows, Oracle
from envforge.world.engine.guard import DOCUMENTS_TABLE

GUARD = "unchanged"
"""Id of the check that nothing else changed."""
_JSON_TYPES = {str: "string", int: "integer", float: "number", type(None): "null"}


def checks_of(oracle: Oracle, intent: Intent) -> tuple[Check, ...]:
    """One check per changed row (equal new rows share one), one per answer field, and one guard of weight 0."""
    checks = [check for part in oracle.expected for check in _row_checks(part)]
    checks = [check.model_copy(update={"id": f"{check.id}-{n}"}) for check, n in _numbered(checks)]
    checks += [
        Check(
            id=f"answer-{name}",
            kind="answer",
            path=name,
            expect=oracle.answer[name],
            match=field.match,
            tolerance=field.tolerance,
        )
        for name, field in intent.answer.items()
    ]
    return (*checks, Check(id=GUARD, kind="unchanged", weight=0.0, free=oracle.allowed))


def _row_checks(part: ExpectedRows) -> Iterator[Check]:
    """Checks without their number."""
    if part.table == DOCUMENTS_TABLE:
        match = "normalised_text" if part.normalised else "exact"
        for row in part.rows:
            yield Check(id="document", kind="document", path=row["path"], expect=row.get("text"), match=match)
        return
    shared: dict[str, Any] = {"id": f"{part.change}-{part.table}", "table": part.table}
    if part.change == "insert":
        for _, equal in groupby(part.rows, key=canonical_json):
            rows = list(equal)
            more: dict[str, Any] = {"count": len(rows), "normalised": part.normalised}
            more |= {"fresh": part.fresh, "of_new": dict(part.of_new)}
            yield Check(**shared, kind="row", expect=rows[0], inserted=True, **more)
        return
    for row in part.rows:
        where = {column: row[column] for column in part.key}
        if part.change == "delete":
            yield Check(**shared, kind="absent", where=where)
            continue
        values = {column: value for column, value in row.items() if column not in where}
        yield Check(
            **shared, kind="row", where=where, expect=values, free_columns=part.free, normalised=part.normalised
        )


def _numbered(checks: Sequence[Check]) -> Iterator[tuple[Check, int]]:
    """Each check with its number among those of one name, from 1."""
    counts: dict[str, int] = {}
    for check in checks:
        counts[check.id] = counts.get(check.id, 0) + 1
        yield check, counts[check.id]


def answer_schema(oracle: Oracle, intent: Intent) -> dict[str, Any]:
    """A JSON Schema object for the answer: what is wanted, never how to find it."""
    return {
        "type": "object",
        "properties": {name: _field_schema(field, oracle.answer[name]) for name, field in intent.answer.items()},
        "required": list(intent.answer),
        "additionalProperties": False,
    }


def _field_schema(field: AnswerField, value: Any) -> dict[str, Any]:
    kind: Any = [field.json_type, "null"] if field.optional else field.json_type
    schema: dict[str, Any] = {"type": kind, "description": field.description}
    if field.json_type != "array":
        return schema
    if field.item_type != "object":
        return {**schema, "items": {"type": field.item_type}}
    names = field.fields or tuple(value[0] if value else ())
    properties = {name: _column_schema([item[name] for item in value]) for name in names}
    items = {"type": "object", "properties": properties, "required": list(names), "additionalProperties": False}
    return {**schema, "items": items}


def _column_schema(values: Sequence[Any]) -> dict[str, Any]:
    """The types that the values of one field have."""
    found = {_JSON_TYPES[type(value)] for value in values}
    kinds = sorted(found - {"integer"} if "number" in found else found)
    return {"type": kinds[0] if len(kinds) == 1 else kinds} if kinds else {}


_DONE = {"update": "changed as asked", "insert": "added as asked", "delete": "removed as asked"}


def rubric_of(oracle: Oracle, checks: Sequence[Check]) -> tuple[RubricItem, ...]:
    """What a good solution does, in words; each item is backed by checks, all positive weight shared equally."""
    items: list[RubricItem] = []
    documents = tuple(check.id for check in checks if check.kind == "document")
    if documents:
        what = "The one document is" if len(documents) == 1 else f"All {len(documents)} documents are"
        items.append(_item("document", f"{what} as asked.", documents))
    rows_of = [part for part in oracle.expected if part.rows and part.table != DOCUMENTS_TABLE]
    for table, change in dict.fromkeys((part.table, part.change) for part in rows_of):
        backing = tuple(check.id for check in checks if check.id.rpartition("-")[0] == f"{change}-{table}")
        rows = sum(len(part.rows) for part in rows_of if (part.table, part.change) == (table, change))
        what = f"{'The one row' if rows == 1 else f'All {rows} rows'} of {table} {'is' if rows == 1 else 'are'}"
        items.append(_item(f"{change}-{table}", f"{what} {_DONE[change]}.", backing))
    for check in checks:
        if check.kind == "answer":
            items.append(_item(check.id, f"The answer says the right {check.path.replace('_', ' ')}.", (check.id,)))
    guards = tuple(check.id for check in checks if check.weight == 0)
    items.append(RubricItem(id=GUARD, text="Nothing else is changed.", checks=guards, weight=0.0))
    return tuple(items)


def _item(name: str, text: str, backing: tuple[str, ...]) -> RubricItem:
    return RubricItem(id=name, text=text, checks=backing, weight=float(len(backing)))

"""Values worth trying for each parameter, taken from the rows: spread over states, with and without children."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from envforge.build.adapters.tables import BagTables
from envforge.build.unit_tests.bag_arguments import OF_PROPERTIES, bag_values, is_typed
from envforge.build.unit_tests.bag_values import definitions_of
from envforge.build.unit_tests.document_calls import document_calls
from envforge.build.unit_tests.document_writing import WRITING
from envforge.build.unit_tests.documents import document_values
from envforge.build.unit_tests.expressions import add_days
from envforge.build.unit_tests.kinds import is_list
from envforge.build.unit_tests.reference import Reference
from envforge.build.unit_tests.samples import Samples, distinct
from envforge.build.unit_tests.uses import Use, adapter_uses, target_of, uses_of
from envforge.core.records.blueprint import Operation, Parameter
from envforge.core.records.domain import Table

_MOST_WAYS = 12


class Candidates:
    """Candidate arguments over the initial rows of one environment."""

    def __init__(self, reference: Reference) -> None:
        self._reference = reference
        self._blueprint = reference.blueprint
        self._rows = Samples(reference)
        self._column_values: dict[Use, list[Any]] = {}

    def valid(self, operation: Operation, parameter: Parameter, arguments: Mapping[str, Any]) -> list[Any]:
        """Values that may be accepted, given the other arguments."""
        uses = uses_of(operation)[parameter.name]
        schema = parameter.json_schema
        adapter = adapter_uses(operation).get(parameter.name)
        if adapter is not None:
            told = document_values(self._reference, adapter, arguments)
            if told is not None:
                return told
            made = bag_values(self._reference, operation, parameter, adapter, arguments)
            if made is not None:
                return made
        if schema.get("enum"):
            return [value for value in schema["enum"] if value is not None]
        target = target_of(self._blueprint, parameter, uses)
        if target is not None:
            keys = self._rows.keys(*target)
            return [[key] for key in keys] if _kind(schema) == "array" else keys
        return distinct(self._plain(parameter, uses))

    def _plain(self, parameter: Parameter, uses: Sequence[Use]) -> Iterator[Any]:
        schema, kind = parameter.json_schema, _kind(parameter.json_schema)
        if kind == "boolean":
            yield from (True, False)
        if kind == "string" and _must_be_new(uses):
            yield from self._texts(parameter, [use for use in uses if use.how == "stored"])
        for use in uses:
            if use.how != "stored":
                if use not in self._column_values:
                    self._column_values[use] = list(self._from_column(use))
                yield from self._column_values[use]
        if kind in ("integer", "number"):
            yield from _numbers(schema, kind)
        elif kind == "string":
            yield from self._texts(parameter, uses)
        elif kind == "array":
            items = Parameter(
                name=parameter.name, json_schema=schema.get("items") or {"type": "string"}, description=""
            )
            inner = list(self._plain(items, uses))
            yield inner[:1]
            yield inner[:2]
        elif kind == "object":
            yield {"note": "checked"}

    def invalid(self, operation: Operation, parameter: Parameter) -> list[Any]:
        """Values that are refused: unknown ids, wrong choices and formats, empty texts, numbers out of range."""
        schema, kind = parameter.json_schema, _kind(parameter.json_schema)
        bad: list[Any] = []
        if schema.get("enum"):
            bad.append("no_such_choice")
        elif kind == "string":
            target = target_of(self._blueprint, parameter, uses_of(operation)[parameter.name])
            bad += [self._rows.unknown(*target)] if target else ["not-a-date"] if schema.get("format") else []
            bad.append("   ")
            bad += [] if target else self._out_of_reach(schema.get("format"))
        elif kind in ("integer", "number"):
            target = target_of(self._blueprint, parameter, uses_of(operation)[parameter.name])
            bad += [self._rows.unknown(*target)] if target else []
            bad += [schema["minimum"] - 1] if "minimum" in schema else []
            bad += [schema["maximum"] + 1] if "maximum" in schema else []
            bad.append("many")
        elif kind == "boolean":
            bad.append("yes")
        elif kind == "array":
            target = target_of(self._blueprint, parameter, uses_of(operation)[parameter.name])
            bad += [[self._rows.unknown(*target)]] if target else []
            bad += ["not a list", *([[]] if schema.get("minItems") else [])]
        elif kind == "object":
            bad.append("not an object")
        if not target_of(self._blueprint, parameter, uses_of(operation)[parameter.name]) and "cursor" in parameter.name:
            bad.insert(0, "no-such-cursor")
        return bad

    def _out_of_reach(self, form: str | None) -> list[str]:
        """Times that rules about how far ahead or back something may lie refuse: more than a year from now."""
        today = self._reference.live.now()
        today = {"date": today[:10], "date-time": today}.get(form or "", "")
        return [add_days(today, 400), add_days(today, -400)] if today else []

    def _from_column(self, use: Use) -> Iterator[Any]:
        rows = self._reference.tables.rows(use.table)
        counts = Counter(row[use.column] for row in rows)
        counts.pop(None, None)
        if not counts:
            return
        values = sorted(counts)
        if use.how in ("contains", "starts_with"):
            yield from _parts_of([str(value) for value in values], use.how)
        elif use.how in ("lt", "le", "gt", "ge"):
            yield from (values[len(values) * place // 4] for place in (1, 3, 2))
        elif use.how == "on_date":
            yield from (value[:10] for value in (values[len(values) // 2], values[0]))
        else:
            ranked = sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))
            yield from (ranked[0][0], ranked[-1][0], ranked[len(ranked) // 2][0])

    def _texts(self, parameter: Parameter, uses: Sequence[Use]) -> Iterator[str]:
        words = parameter.name.replace("_", " ").strip()
        today = self._reference.live.now()
        form = parameter.json_schema.get("format")
        made = {
            "date": [add_days(today[:10], 3), add_days(today[:10], 40)],
            "date-time": [add_days(today, 3), add_days(today, 40)],
            "email": ["rosa.lindgren@example.org"],
            "uri": ["https://example.org/notes"],
            "url": ["https://example.org/notes"],
            "time": ["09:30"],
        }
        if form in made:
            yield from made[form]
        elif not any(use.how != "stored" for use in uses):
            longest = parameter.json_schema.get("maxLength")
            yield from (text[:longest].rstrip() for text in (f"Checked {words}", f"A second {words}"))

    def takes_typed(self, operation: Operation) -> bool:
        """True if a parameter takes typed properties, children, a filter or sort keys."""
        return any(is_typed(adapter) or adapter[0] in WRITING for adapter in adapter_uses(operation).values())

    def typed(self, operation: Operation) -> Iterator[dict[str, Any]]:
        """A collection, or an item of it, with values for its properties: until every kind of value has been met.
        For documents, texts in their formats.
        """
        yield from document_calls(self._reference, operation)
        bag = self._reference.bag
        named = {name: adapter for name, adapter in adapter_uses(operation).items() if adapter in OF_PROPERTIES}
        if bag is None or not named:
            return
        uses = uses_of(operation)
        targets = {one.name: target_of(self._blueprint, one, uses[one.name]) for one in operation.parameters}
        met: set[str] = set()
        for row in self._reference.tables.rows(bag.collections.name):
            collection = row[bag.collections.primary_key[0]]
            fresh = {
                name
                for name, one in definitions_of(self._reference, collection).items()
                if one.kind is not None and one.type not in met
            }
            met |= {definitions_of(self._reference, collection)[name].type for name in fresh}
            held = self._item_or_collection(bag, targets, collection)
            for parameter in operation.parameters if fresh and held else ():
                for value in self.valid(operation, parameter, held) if parameter.name in named else ():
                    if _is_about(value, fresh):
                        yield {**held, parameter.name: value}

    def _item_or_collection(
        self, bag: BagTables, targets: Mapping[str, tuple[Table, str] | None], collection: Any
    ) -> dict[str, Any]:
        """The argument that leads to a collection: the collection, or an item of it that is not in the trash."""
        for name, target in targets.items():
            if target is not None and target[0].name == bag.collections.name:
                return {name: collection}
        for name, target in targets.items():
            if target is not None and target[0].name == bag.items.name:
                inside = self._reference.tables.find(bag.items.name, {bag.bag.item_parent_column: collection})
                alive = [item for item in inside if not any(item[flag] for flag in (*bag.trash, *bag.kept))]
                return {name: alive[0][target[1]]} if alive else {}
        return {}

    def correlated(self, operation: Operation) -> Iterator[dict[str, Any]]:
        """Arguments that belong together because one row holds them all."""
        uses = uses_of(operation)
        targets = {
            parameter.name: target
            for parameter in operation.parameters
            if (target := target_of(self._blueprint, parameter, uses[parameter.name]))
        }
        for table in self._blueprint.tables:
            for columns in _assignments(table, targets):
                for row in self._rows.sample(table):
                    yield {name: row[column] for name, column in columns.items() if row[column] is not None}


def _must_be_new(uses: Sequence[Use]) -> bool:
    """True for what is stored where it is looked up before: a name that no other row may have."""
    stored = {(use.table, use.column) for use in uses if use.how == "stored"}
    return any(use.how == "key" and (use.table, use.column) in stored for use in uses)


def _is_about(value: Any, names: set[str]) -> bool:
    """True for values, conditions and sort keys that are about these properties alone."""
    if is_list(value):
        return len(value) == 1 and _is_about(value[0], names)
    return value.get("property") in names if "property" in value else bool(value) and set(value) <= names


def _assignments(table: Table, targets: Mapping[str, tuple[Table, str]]) -> list[dict[str, str]]:
    """Parameter → column of `table` that holds such a value; every way to do it with two or more parameters."""
    choices = {name: _columns_for(table, *target) for name, target in targets.items()}
    choices = {name: columns for name, columns in choices.items() if columns}
    found: list[dict[str, str]] = []
    for picked in islice(product(*choices.values()), _MOST_WAYS) if len(choices) > 1 else ():
        columns: dict[str, str] = {}
        for name, column in zip(choices, picked, strict=True):
            if column not in columns.values():
                columns[name] = column
        if len(columns) > 1 and columns not in found:
            found.append(columns)
    return found


def _columns_for(table: Table, target: Table, key: str) -> list[str]:
    return [
        column.name
        for column in table.columns
        if (target.name == table.name and column.name == key)
        or (column.references and (column.references.table, column.references.column) == (target.name, key))
    ]


def _parts_of(values: Sequence[str], how: str) -> Iterator[str]:
    """A word that some of the values hold, in another case; one with LIKE's own signs; one that nothing holds."""
    heads = Counter(word for value in values for word in ([value[:3]] if how == "starts_with" else _words(value)))
    ranked = sorted(heads, key=lambda word: (abs(heads[word] - 5), word))
    for word in ranked[:1]:
        yield word.swapcase()
    yield from [value for value in values if "%" in value or "_" in value][:1]
    rare = sorted(heads, key=lambda word: (heads[word], -len(word), word))
    yield from rare[:1]
    yield from ("%", "no such text")


def _words(value: str) -> list[str]:
    return re.findall(r"[A-Za-z]{4,}", value) or [value]


def _numbers(schema: Mapping[str, Any], kind: str) -> Iterator[Any]:
    least, most = schema.get("minimum", 1), schema.get("maximum")
    yield from (least, least + 1, least + 2)
    if most is not None:
        yield most
    elif kind == "number":
        yield least + 0.5


def _kind(schema: Mapping[str, Any]) -> str:
    stated = schema.get("type")
    if is_list(stated):
        return next((kind for kind in stated if kind != "null"), "")
    return str(stated or "string")

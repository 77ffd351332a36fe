"""The filter and sort language over typed properties, evaluated item by item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from envforge.build.adapters.bag_query import OPERATORS
from envforge.build.unit_tests.bag_values import (
    Definition,
    bag_of,
    definitions_of,
    plain_value,
    read_properties,
    stored_values,
)
from envforge.build.unit_tests.conditions import ascii_lower
from envforge.build.unit_tests.expressions import add_days, is_date, is_timestamp
from envforge.build.unit_tests.kinds import is_list, is_object
from envforge.build.unit_tests.selecting import paged
from envforge.build.unit_tests.told import Found, Refusal
from envforge.core.contracts import Row
from envforge.core.records.blueprint import Page

if TYPE_CHECKING:
    from envforge.build.unit_tests.reference import Reference

_SPANS = {"past_week": -7, "past_month": -30, "past_year": -365, "next_week": 7, "next_month": 30, "next_year": 365}
_OPPOSITES = {"does_not_equal": "equals", "does_not_contain": "contains", "is_empty": "is_not_empty"}


def query_items(
    reference: Reference,
    collection_id: Any,
    condition: Any,
    order: Any,
    start_cursor: Any,
    page_size: int,
    in_trash: bool = False,
) -> dict[str, Any]:
    """One page of a collection's items that meet the condition, in the given order."""
    bag = bag_of(reference)
    key = bag.items.primary_key[0]
    definitions = definitions_of(reference, collection_id)
    items = reference.tables.find(bag.items.name, {bag.bag.item_parent_column: collection_id})
    items = [item for item in items if any(item[flag] for flag in bag.trash) == in_trash]
    if condition:
        kept = [item for item in items if _Matcher(reference, definitions).holds(item, condition)]
        if not items:
            _Matcher(reference, definitions).holds({}, condition)
        share = "none" if not kept else "all" if len(kept) == len(items) else "some"
        reference.features.add(("filter kept", share))
        items = kept
    items = sorted(items, key=lambda item: item[key])
    for sort in reversed(order or []):
        items = _sorted(reference, definitions, items, sort)
    shown = [*bag.items.primary_key, *([bag.title] if bag.title else [])]
    for role in ("created_at", "updated_at"):
        shown += [column.name for column in bag.items.columns if column.role == role][:1]

    shown += bag.kept

    def show(item: Row) -> dict[str, Any]:
        return {**{name: item[name] for name in shown}, "properties": read_properties(reference, item[key])}

    scope = {"cursor": start_cursor, "size": page_size}
    reference.found.append(Found(None, total=len(items)))
    return paged(reference, items, Page(cursor="cursor", size="size"), scope, "query_items", show)


def _sorted(
    reference: Reference, definitions: dict[str, Definition], items: Sequence[Row], sort: dict[str, Any]
) -> list[Row]:
    if not set(sort) <= {"property", "timestamp", "direction"}:
        raise Refusal("invalid_argument")
    direction = sort.get("direction", "ascending")
    if direction not in ("ascending", "descending"):
        raise Refusal("invalid_argument")
    matcher = _Matcher(reference, definitions)
    kind, definition = matcher.subject(sort)
    reference.features.add(("sorted", kind, direction))
    keys = {item[bag_of(reference).items.primary_key[0]]: matcher.sort_key(item, kind, definition) for item in items}

    def key_of(item: Row) -> Any:
        return keys[item[bag_of(reference).items.primary_key[0]]]

    full = [item for item in items if key_of(item) is not None]
    empty = [item for item in items if key_of(item) is None]
    return sorted(full, key=key_of, reverse=direction == "descending") + empty


class _Matcher:
    def __init__(self, reference: Reference, definitions: dict[str, Definition]) -> None:
        self._reference = reference
        self._definitions = definitions
        self._bag = bag_of(reference)

    def holds(self, item: Row, condition: Any, depth: int = 0) -> bool:
        if not is_object(condition):
            raise Refusal("invalid_argument")
        words = [word for word in ("and", "or") if word in condition]
        if not words:
            return self._compared(item, condition)
        parts = condition[words[0]]
        if len(condition) > 1 or depth > 2 or not is_list(parts) or not parts:
            raise Refusal("invalid_argument")
        self._reference.features.add(("joined by", words[0]))
        results = [self.holds(item, part, depth + 1) for part in parts]
        return all(results) if words[0] == "and" else any(results)

    def subject(self, condition: Mapping[str, Any]) -> tuple[str, Definition]:
        """The kind of what is compared, and its definition."""
        if ("timestamp" in condition) == ("property" in condition):
            raise Refusal("invalid_argument")
        if "timestamp" in condition:
            name = condition["timestamp"]
            if name not in self._bag.timestamps:
                raise Refusal("invalid_argument")
            return "timestamp", Definition({"type": name, "name": name, "id": None}, [])
        definition = self._definitions.get(condition.get("property") or "")
        if definition is None:
            raise Refusal("not_found")
        if definition.kind is None:
            raise Refusal("invalid_argument")
        return definition.kind, definition

    def _compared(self, item: Row, condition: Mapping[str, Any]) -> bool:
        kind, definition = self.subject(condition)
        given = {name: value for name, value in condition.items() if name not in ("property", "timestamp", "type")}
        if len(given) == 1 and is_object(given.get(definition.type)):
            self._reference.features.add(("filter under type",))
            given = given[definition.type]
        if len(given) != 1 or next(iter(given)) not in OPERATORS[kind]:
            raise Refusal("invalid_argument")
        operator, operand = next(iter(given.items()))
        self._reference.features.add(("filter", kind, operator, operand is False))
        self._check(operator, kind, definition, operand)
        if not item:
            return False
        values = self.values(item, kind, definition)
        plain = _OPPOSITES.get(operator, operator)
        if kind == "boolean":
            holds = bool(values and values[0]) == operand
        elif plain == "is_not_empty":
            holds = any(value != "" for value in values)
        elif plain in _SPANS:
            today = self._reference.live.now()[:10]
            first, last = sorted((today, add_days(today, _SPANS[plain])))
            holds = any(first <= value[:10] <= last for value in values)
        else:
            holds = any(_compare(plain, kind, value, operand) for value in values)
        return not holds if operator in _OPPOSITES else holds

    def values(self, item: Row, kind: str, definition: Definition) -> list[Any]:
        """What the item holds, without NULLs."""
        if kind == "timestamp":
            found = [item[definition.type]]
        elif kind == "title":
            found = [item[self._bag.title or ""]]
        else:
            rows = stored_values(self._reference, item[self._bag.items.primary_key[0]], definition)
            found = [plain_value(self._reference, definition, row) for row in rows]
        return [value for value in found if value is not None]

    def sort_key(self, item: Row, kind: str, definition: Definition) -> Any:
        """What the item is sorted by: its first value, an option by its place."""
        values = self.values(item, kind, definition)
        if not values:
            return None
        return definition.option(values[0])["position"] if kind in ("option", "options") else values[0]

    def _exists(self, kind: str, key: Any) -> bool:
        column = self._bag.value_user if kind == "people" else self._bag.value_related
        target = self._reference.tables.tables[self._bag.values].column(column or "").references
        return target is not None and bool(self._reference.tables.find(target.table, {target.column: key}))

    def _check(self, operator: str, kind: str, definition: Definition, operand: Any) -> None:
        if operator in ("is_empty", "is_not_empty"):
            if operand is not True:
                raise Refusal("invalid_argument")
            return
        if operator in _SPANS:
            return
        if kind == "number":
            fits = isinstance(operand, int | float) and not isinstance(operand, bool)
        elif kind == "boolean":
            fits = isinstance(operand, bool)
        elif kind in ("date", "timestamp"):
            fits = is_date(operand) or is_timestamp(operand)
        elif kind in ("option", "options"):
            fits = operand in [row["name"] for row in definition.options]
        else:
            fits = isinstance(operand, str) and bool(operand.strip())
        if not fits:
            raise Refusal("invalid_argument")
        if kind in ("people", "items") and not self._exists(kind, operand):
            raise Refusal("not_found")


def _compare(operator: str, kind: str, value: Any, operand: Any) -> bool:
    if kind in ("title", "text") and operator in ("contains", "starts_with", "ends_with"):
        held, wanted = ascii_lower(value), ascii_lower(operand)
        if operator == "contains":
            return wanted in held
        return held.startswith(wanted) if operator == "starts_with" else held.endswith(wanted)
    if kind in ("date", "timestamp") and len(operand) == len("2026-01-31"):
        value = value[:10]
    if operator in ("greater_than", "after"):
        return value > operand
    if operator in ("less_than", "before"):
        return value < operand
    if operator in ("greater_than_or_equal_to", "on_or_after"):
        return value >= operand
    if operator in ("less_than_or_equal_to", "on_or_before"):
        return value <= operand
    return value == operand

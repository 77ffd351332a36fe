"""Whether a tool accepts its arguments: by its JSON Schema, and by what the schema says about texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from envforge.build.unit_tests.expressions import FORMATS
from envforge.build.unit_tests.kinds import is_list, is_object, members
from envforge.core.records.blueprint import Operation
from envforge.world.arguments import ArgumentCheck


def bad_argument(check: ArgumentCheck, operation: Operation, arguments: Mapping[str, Any]) -> tuple[str, ...] | None:
    """(parameter, what is wrong) for the first argument that does not fit, or None."""
    problem = check.problem(dict(arguments))
    if problem is not None:
        return (problem.field,)
    for parameter in operation.parameters:
        value = arguments.get(parameter.name)
        if _strays(value, parameter.json_schema):
            return parameter.name, "unknown key"
        for text, schema in _texts(value, parameter.json_schema):
            form = FORMATS.get(str(schema.get("format", "")))
            if schema.get("minLength", 1) and not text.strip() and not schema.get("enum"):
                return parameter.name, "blank"
            if form and not form(text):
                return parameter.name, "format"
    return None


def _texts(value: Any, schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The texts in an argument, with their schemas."""
    if isinstance(value, str):
        yield value, schema
    elif is_list(value):
        for item in value:
            yield from _texts(item, members(schema.get("items")) or {"minLength": 0})
    elif is_object(value):
        properties = members(schema.get("properties"))
        for key, inner in value.items():
            yield from _texts(inner, members(properties.get(key)) or {"minLength": 0})


def _strays(value: Any, schema: Mapping[str, Any]) -> bool:
    """True if an object holds a key that its schema does not name, although it names some."""
    if is_list(value):
        return any(_strays(item, members(schema.get("items"))) for item in value)
    if not is_object(value):
        return False
    properties = members(schema.get("properties"))
    if properties and not schema.get("additionalProperties") and not set(value) <= set(properties):
        return True
    return any(_strays(inner, members(properties.get(key))) for key, inner in value.items())

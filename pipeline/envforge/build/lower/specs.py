"""Entries of tools.json: what the agent sees of a tool, and what the graph of tools needs to know."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from envforge.build.lower.docstrings import ordered, sentence
from envforge.build.lower.shapes import parameter_default, schema_type
from envforge.core.records.blueprint import Delete, Insert, Operation, Parameter, Select, Update
from envforge.core.records.environment import ToolAnnotations, ToolErrorSpec, ToolSpec
from envforge.core.steps import all_steps

_GONE = frozenset({"archived", "cancelled", "canceled", "deleted", "in_trash", "removed", "trashed"})


def bounded(operation: Operation) -> Operation:
    """The operation with the limits of its pages stated in the parameters' schemas."""
    pages = [step.page for step in all_steps(operation.steps) if isinstance(step, Select) and step.page]
    sizes = {page.size: page for page in pages}
    parameters: list[Parameter] = []
    for parameter in operation.parameters:
        page = sizes.get(parameter.name)
        if page is None:
            parameters.append(parameter)
            continue
        schema = {"minimum": 1, **parameter.json_schema}
        schema["maximum"] = min(page.maximum, schema.get("maximum", page.maximum))
        default = parameter_default(parameter)
        update = {"json_schema": schema, "default": page.default if default is None else default, "required": False}
        parameters.append(parameter.model_copy(update=update))
    return operation.model_copy(update={"parameters": tuple(parameters)})


def tool_spec(
    operation: Operation,
    reads: set[str],
    writes: set[str],
    errors: Sequence[tuple[str, str]],
    *,
    adapter_writes: bool,
) -> ToolSpec:
    """The entry for one tool. Reads and writes are those of its statements."""
    annotations = ToolAnnotations(
        readOnlyHint=not writes,
        destructiveHint=_destructive(operation),
        idempotentHint=not adapter_writes and _idempotent(operation),
    )
    description = sentence(operation.summary)
    if operation.description.strip():
        description += "\n\n" + operation.description.strip()
    return ToolSpec(
        name=operation.name,
        verb=operation.verb,
        entity=operation.entity,
        description=description,
        parameters=_parameters(operation),
        returns=operation.returns,
        reads=tuple(sorted(reads)),
        writes=tuple(sorted(writes)),
        consumes={p.name: p.semantic for p in ordered(operation.parameters) if p.semantic},
        produces=produced(operation.returns),
        annotations=annotations,
        errors=tuple(ToolErrorSpec(code=code, when=sentence(when)) for code, when in errors),
        origin=operation.origin,
        source=f"{operation.source_id}#{operation.locator}" if operation.source_id else operation.locator,
    )


def _parameters(operation: Operation) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for parameter in ordered(operation.parameters):
        schema = cast("dict[str, Any]", _without_semantics(parameter.json_schema))
        if schema_type(schema) == "string" and not ({"enum", "format", "minLength"} & schema.keys()):
            schema["minLength"] = 1
        if parameter.description.strip():
            schema["description"] = sentence(parameter.description)
        default = parameter_default(parameter)
        if not parameter.required and default is not None:
            schema["default"] = default
        properties[parameter.name] = schema
    required = [parameter.name for parameter in ordered(operation.parameters) if parameter.required]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _without_semantics(value: Any) -> Any:
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {key: _without_semantics(inner) for key, inner in items if key != "x-semantic"}
    return [_without_semantics(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value


def produced(schema: Mapping[str, Any]) -> dict[str, str]:
    """Result path (`items[].id`) -> semantic type, for everything that x-semantic marks."""
    return dict(_marked(schema, ""))


def _marked(schema: Mapping[str, Any], path: str) -> Iterator[tuple[str, str]]:
    if isinstance(schema.get("x-semantic"), str):
        yield path, schema["x-semantic"]
    for name, inner in cast("dict[str, Any]", schema.get("properties") or {}).items():
        if isinstance(inner, dict):
            yield from _marked(cast("dict[str, Any]", inner), f"{path}.{name}" if path else name)
    items = schema.get("items")
    if isinstance(items, dict):
        yield from _marked(cast("dict[str, Any]", items), f"{path}[]")
    for word in ("anyOf", "oneOf", "allOf"):
        for inner in cast("list[Any]", schema.get(word) or ()):
            if isinstance(inner, dict):
                yield from _marked(cast("dict[str, Any]", inner), path)


def _destructive(operation: Operation) -> bool:
    if operation.verb == "delete":
        return True
    for step in all_steps(operation.steps):
        if isinstance(step, Delete):
            return True
        if isinstance(step, Update) and operation.verb == "transition" and _puts_away(step):
            return True
    return False


def _puts_away(step: Update) -> bool:
    for column, text in step.set.items():
        value = text.strip().strip("'\"").lower()
        if value in _GONE or (column in _GONE and value in ("1", "true")):
            return True
    return False


def _idempotent(operation: Operation) -> bool:
    """True if the same call again changes nothing more: reads, and updates to absolute values."""
    for step in all_steps(operation.steps):
        if isinstance(step, Insert | Delete):
            return False
        if isinstance(step, Update) and any(_relative(text) for text in (*step.set.values(), *step.set_given.values())):
            return False
    return True


def _relative(text: str) -> bool:
    return any(isinstance(node, ast.BinOp) for node in ast.walk(ast.parse(text.strip(), mode="eval")))

"""Validation of a tool's arguments: calls of the prelude's check functions, as the JSON Schemas demand."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, cast

from envforge.build.lower.body import Body
from envforge.build.lower.layout import Doc, bracketed, quoted
from envforge.build.lower.printer import expression_doc
from envforge.build.lower.shapes import is_nullable, parameter_default, schema_type
from envforge.core.records.blueprint import Parameter

Schema = Mapping[str, Any]
_FORMATS = {
    "date": "_check_date",
    "date-time": "_check_timestamp",
    "email": "_check_email",
    "time": "_check_time",
    "uri": "_check_url",
    "url": "_check_url",
    "uuid": "_check_uuid",
}
_INLINE_CHOICES = 4
_DEEPEST = 4


def write_checks(body: Body, parameter: Parameter) -> bool:
    """Statements that refuse a bad argument; False if its schema allows anything."""
    name = ast.Name(parameter.name, ast.Load())
    before = len(body.lines)
    optional = not parameter.required and parameter_default(parameter) is None
    _guarded(body, optional or is_nullable(parameter.json_schema), name, [parameter.name], parameter.json_schema, 0)
    return len(body.lines) > before


def _guarded(
    body: Body, optional: bool, value: ast.expr, path: list[str | ast.expr], schema: Schema, depth: int
) -> None:
    if not _checks_anything(schema) or depth > _DEEPEST:
        return
    if not optional:
        _check(body, value, path, schema, depth)
        return
    with body.block("if", ast.Compare(value, [ast.IsNot()], [ast.Constant(None)])):
        _check(body, value, path, schema, depth)


def _checks_anything(schema: Schema) -> bool:
    return bool(schema.get("enum") or schema.get("const")) or schema_type(schema) in (
        "string",
        "integer",
        "number",
        "boolean",
        "array",
        "object",
    )


def _check(body: Body, value: ast.expr, path: list[str | ast.expr], schema: Schema, depth: int) -> None:
    kind = schema_type(schema)
    allowed = schema.get("enum") or ([schema["const"]] if "const" in schema else None)
    if allowed:
        _call(body, "_check_choice", path, value, _choices(body, path, allowed))
    elif kind == "string":
        _check_string(body, value, path, schema)
    elif kind in ("integer", "number"):
        _call(body, f"_check_{kind}", path, value, *_range(schema, kind))
    elif kind == "boolean":
        _call(body, "_check_flag", path, value)
    elif kind == "array":
        _check_array(body, value, path, schema, depth)
    else:
        _check_object(body, value, path, schema, depth)


def _call(body: Body, function: str, path: list[str | ast.expr], value: ast.expr, *more: Doc) -> None:
    body.write((function, bracketed("(", [_label(path), expression_doc(value), *more], ")")))


def _label(path: list[str | ast.expr]) -> Doc:
    if all(isinstance(part, str) for part in path):
        return quoted("".join(str(part) for part in path))
    parts = [ast.Constant(part) if isinstance(part, str) else ast.FormattedValue(part, -1) for part in path]
    return expression_doc(ast.JoinedStr(cast("list[ast.expr]", parts)))


def _choices(body: Body, path: list[str | ast.expr], allowed: list[Any]) -> Doc:
    values = tuple(value for value in allowed if value is not None)
    doc = expression_doc(ast.Tuple([ast.Constant(value) for value in values], ast.Load()))
    if len(values) <= _INLINE_CHOICES:
        return doc
    words = [part.strip(".[]") for part in path if isinstance(part, str) and part.strip(".[]")]
    name = "".join(char if char.isalnum() else "_" for char in "_".join(words))
    return body.module.constant(f"{name}_choices", doc)


def _range(schema: Schema, kind: str) -> list[Doc]:
    least, most = schema.get("minimum"), schema.get("maximum")
    if kind == "integer":
        step = 1
        if least is None and isinstance(schema.get("exclusiveMinimum"), int | float):
            least = int(schema["exclusiveMinimum"]) + step
        if most is None and isinstance(schema.get("exclusiveMaximum"), int | float):
            most = int(schema["exclusiveMaximum"]) - step
    return [f"{word}={value!r}" for word, value in (("least", least), ("most", most)) if value is not None]


def _check_string(body: Body, value: ast.expr, path: list[str | ast.expr], schema: Schema) -> None:
    form = _FORMATS.get(str(schema.get("format", "")))
    if form:
        _call(body, form, path, value)
        return
    options: list[Doc] = []
    if schema.get("minLength", 1) != 1:
        options.append(f"shortest={int(schema['minLength'])}")
    if "maxLength" in schema:
        options.append(f"longest={int(schema['maxLength'])}")
    _call(body, "_check_text", path, value, *options)
    pattern = schema.get("pattern")
    if isinstance(pattern, str):
        name = str(path[-1]).strip(".") if isinstance(path[-1], str) else "item"
        constant = body.module.constant(f"{name}_pattern", ("re.compile(", quoted(pattern), ")"))
        _call(body, "_check_pattern", path, value, constant)


def _check_array(body: Body, value: ast.expr, path: list[str | ast.expr], schema: Schema, depth: int) -> None:
    options: list[Doc] = []
    if schema.get("minItems"):
        options.append(f"fewest={int(schema['minItems'])}")
    if "maxItems" in schema:
        options.append(f"most={int(schema['maxItems'])}")
    _call(body, "_check_list", path, value, *options)
    items = schema.get("items")
    if isinstance(items, dict) and _checks_anything(cast("Schema", items)):
        name = body.fresh if depth else body.spare
        position, item = name("position", "index"), name("item", "entry")
        every = ast.Call(ast.Name("enumerate", ast.Load()), [value], [])
        with body.block(f"for {position}, {item} in", every):
            names = [*path, "[", ast.Name(position, ast.Load()), "]"]
            _check(body, ast.Name(item, ast.Load()), names, cast("Schema", items), depth + 1)
    if schema.get("uniqueItems"):
        _call(body, "_check_distinct", path, value)


def _check_object(body: Body, value: ast.expr, path: list[str | ast.expr], schema: Schema, depth: int) -> None:
    properties = cast("dict[str, Schema]", schema.get("properties") or {})
    required = [name for name in cast("list[str]", schema.get("required") or []) if name in properties]
    options: list[Doc] = []
    if properties and not schema.get("additionalProperties"):
        options.append(("known=", _names(properties)))
    if required:
        options.append(("required=", _names(required)))
    _call(body, "_check_object", path, value, *options)
    for name, inner in properties.items():
        optional = name not in required or is_nullable(inner)
        _check_member(body, value, [*path, f".{name}"], name, inner, optional, depth)


def _check_member(
    body: Body,
    value: ast.expr,
    path: list[str | ast.expr],
    name: str,
    schema: Schema,
    optional: bool,
    depth: int,
) -> None:
    if not _checks_anything(schema) or depth >= _DEEPEST:
        return
    member = ast.Subscript(value, ast.Constant(name), ast.Load())
    if not optional:
        _check(body, member, path, schema, depth + 1)
        return
    getter = ast.Call(ast.Attribute(value, "get", ast.Load()), [ast.Constant(name)], [])
    with body.block("if", ast.Compare(getter, [ast.IsNot()], [ast.Constant(None)])):
        _check(body, member, path, schema, depth + 1)


def _names(names: Mapping[str, Any] | list[str]) -> Doc:
    return expression_doc(ast.Tuple([ast.Constant(name) for name in names], ast.Load()))

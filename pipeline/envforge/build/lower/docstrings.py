"""Google docstrings for tools."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from envforge.build.lower.layout import WIDTH, block_text, wrapped
from envforge.build.lower.shapes import parameter_default
from envforge.core.records.blueprint import Operation, Parameter

_BODY = WIDTH - 10
_PAGE_WORDS = {
    "next_cursor": "where the next page starts; null on the last page",
    "has_more": "whether there is a next page",
}


def docstring(operation: Operation, errors: Sequence[tuple[str, str]]) -> list[str]:
    """The lines of the docstring, indented for a function body."""
    lines = [sentence(operation.summary)]
    for paragraph in operation.description.split("\n\n"):
        if paragraph.strip():
            lines += ["", *wrapped(paragraph, indent="", width=_BODY)]
    if operation.parameters:
        lines += ["", "Args:"]
        for parameter in ordered(operation.parameters):
            lines += wrapped(f"{parameter.name}: {about(parameter)}", indent="    ", hanging=" " * 8, width=_BODY)
    lines += ["", "Returns:", *_returns(operation.returns)]
    if errors:
        lines += ["", "Raises:", *_raises(errors)]
    if len(lines) == 1 and not lines[0].endswith(('"', "\\")):
        return [f'    """{block_text(lines[0])}"""']
    body = block_text("\n".join(lines)).split("\n")
    return [f'    """{body[0]}', *(f"    {line}".rstrip() for line in body[1:]), '    """']


def ordered(parameters: Sequence[Parameter]) -> list[Parameter]:
    """Required parameters first, otherwise in the given order."""
    return sorted(parameters, key=lambda parameter: not parameter.required)


def sentence(text: str) -> str:
    """One line that ends like a sentence."""
    line = " ".join(text.split())
    return line if line.endswith((".", "!", "?")) else f"{line}."


def about(parameter: Parameter) -> str:
    """What a parameter is, with the values and limits that its schema states."""
    schema = parameter.json_schema
    parts = [sentence(parameter.description)] if parameter.description.strip() else []
    allowed = [str(value) for value in cast("list[Any]", schema.get("enum") or ()) if value is not None]
    if allowed and not all(value in parameter.description for value in allowed):
        parts.append(f"One of: {', '.join(allowed)}.")
    limits = _limits(schema)
    if limits and not all(word in parameter.description for word in re.findall(r"\d+", limits)[-1:]):
        parts.append(limits)
    default = parameter_default(parameter)
    if not parameter.required and default is not None and "default" not in parameter.description.lower():
        parts.append(f"Default: {_shown(default)}.")
    return " ".join(parts) or "As named."


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _limits(schema: Mapping[str, Any]) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and most is not None:
        return f"From {least} to {most}."
    if least is not None:
        return f"At least {least}."
    return f"At most {most}." if most is not None else ""


def _returns(schema: Mapping[str, Any]) -> list[str]:
    properties = cast("dict[str, dict[str, Any]]", schema.get("properties") or {})
    if not properties:
        return wrapped(sentence(str(schema.get("description") or "The result")), indent="    ", width=_BODY)
    lines: list[str] = []
    for name, inner in properties.items():
        words = str(inner.get("description") or _PAGE_WORDS.get(name) or _kind(inner))
        lines += wrapped(f"{name}: {sentence(words)}", indent="    ", hanging=" " * 8, width=_BODY)
    return lines


def _kind(schema: Mapping[str, Any]) -> str:
    stated: Any = schema.get("type")
    kinds = [str(kind) for kind in cast("list[Any]", stated if isinstance(stated, list) else [stated]) if kind]
    words = {
        "array": "a list",
        "object": "an object",
        "string": "text",
        "number": "a number",
        "integer": "a whole number",
    }
    words |= {"boolean": "true or false", "null": "null"}
    members = _members(schema)
    return (" or ".join(words.get(kind, kind) for kind in kinds) or "a value") + members


def _members(schema: Mapping[str, Any]) -> str:
    """What the object, or each object of the list, holds."""
    items = schema.get("items")
    inner = cast("Mapping[str, Any]", items) if isinstance(items, dict) else schema
    names = list(cast("dict[str, Any]", inner.get("properties") or {}))
    if not names:
        return ""
    return f"{' of objects' if inner is items else ''} with {', '.join(names)}"


def _raises(errors: Sequence[tuple[str, str]]) -> list[str]:
    lines = ["    ToolError: with the code"]
    for code in dict.fromkeys(code for code, _ in errors):
        whens = " ".join(sentence(when) for known, when in errors if known == code)
        lines += wrapped(f"{code}: {whens}", indent=" " * 8, hanging=" " * 12, width=_BODY)
    return lines

"""A tool's entry in tools.json, read off its code: parameters, tables, errors. Whoever wrote it does not state them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from envforge.build.added.statements import Statement, statements_of
from envforge.core.errors import BuildError
from envforge.core.records.domain import Table, Verb
from envforge.core.records.environment import ToolAnnotations, ToolErrorSpec, ToolSpec

_TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
_ARGUMENT = re.compile(r"^\s+(\w+):\s*(.+)$")
_AGGREGATE = re.compile(r"(?i)\b(?:count|sum|avg|min|max)\s*\(")


def spec_of(source: str, tables: Sequence[Table], known: Sequence[ToolSpec], author: str) -> ToolSpec:
    """The entry of a tool. Raises BuildError with everything that keeps it from having one."""
    function = _function(source)
    found = statements_of(function, {table.name for table in tables})
    problems = [*_of_parameters(function), *found.problems]
    if function.name in {spec.name for spec in known}:
        problems.append(f"there is a tool {function.name} already")
    if not found.statements:
        problems.append("it neither reads nor writes a table: use world.query(...) or world.execute(...)")
    errors = tuple(_errors(function))
    if function.args.args[1:] and not errors:
        problems.append('it has parameters and no ToolError("code", "message", "hint") for a wrong one')
    if problems:
        raise BuildError("; ".join(problems), where=function.name)
    described, arguments = _words(function)
    properties = dict(_properties(function, arguments))
    writes = tuple(sorted({one.table for one in found.statements if one.writes}))
    reads = tuple(sorted({one.table for one in found.statements} - set(writes)))
    main = next(table for table in tables if table.name == found.statements[0].table)
    return ToolSpec(
        name=function.name,
        verb=_verb(found.statements, source),
        entity=next((table for table in tables if table.name in writes), main).entity,
        description=described,
        parameters={
            "type": "object",
            "properties": properties,
            "required": _required(function),
            "additionalProperties": False,
        },
        returns={"type": "object", "properties": {name: {} for name in _returned(function)}},
        reads=reads,
        writes=writes,
        consumes=dict(_consumed(properties, tables, known)),
        annotations=_annotations(found.statements),
        errors=errors,
        origin="synthetic",
        source=author,
    )


def _function(source: str) -> ast.FunctionDef:
    """The one function. Raises BuildError where there is more, or something else."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise BuildError(f"is no Python: {error}", where="the tool") from error
    if len(body) != 1 or not isinstance(body[0], ast.FunctionDef) or body[0].name.startswith("_"):
        raise BuildError("has to be one function, without imports or anything else around it", where="the tool")
    return body[0]


def _of_parameters(function: ast.FunctionDef) -> Iterator[str]:
    taken = function.args
    if taken.vararg or taken.kwarg or taken.kwonlyargs or taken.posonlyargs:
        yield "its parameters are plain names, without * or /"
    for argument in taken.args[1:]:
        if _type(argument) is None:
            yield f"{argument.arg} has to be str, int, float or bool, or one of them | None"
    try:
        [ast.literal_eval(default) for default in taken.defaults]
    except (ValueError, SyntaxError):
        yield "defaults are plain values"
    if not ast.get_docstring(function):
        yield "it has no docstring"


def _type(argument: ast.arg) -> tuple[str, bool] | None:
    """JSON type, and whether null is one too; None: neither."""
    text = ast.unparse(argument.annotation) if argument.annotation else ""
    bare = text.removesuffix(" | None")
    return (_TYPES[bare], bare != text) if bare in _TYPES else None


def _properties(function: ast.FunctionDef, words: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    arguments = function.args.args[1:]
    values = [ast.literal_eval(default) for default in function.args.defaults]
    defaults = dict(zip([argument.arg for argument in arguments][len(arguments) - len(values) :], values, strict=True))
    for argument in arguments:
        kind, nullable = _type(argument) or ("string", False)
        schema: dict[str, Any] = {"type": [kind, "null"] if nullable else kind}
        if argument.arg in words:
            schema["description"] = words[argument.arg]
        if argument.arg in defaults:
            schema["default"] = defaults[argument.arg]
        yield argument.arg, schema


def _required(function: ast.FunctionDef) -> list[str]:
    names = [argument.arg for argument in function.args.args[1:]]
    return names[: len(names) - len(function.args.defaults)]


def _words(function: ast.FunctionDef) -> tuple[str, dict[str, str]]:
    """What the docstring says of the tool and of its arguments."""
    text = ast.get_docstring(function) or ""
    before, _, after = text.partition("Args:")
    matches = (_ARGUMENT.match(line) for line in after.splitlines())
    return before.strip(), {match[1]: match[2].strip() for match in matches if match}


def _errors(function: ast.FunctionDef) -> Iterator[ToolErrorSpec]:
    seen: set[str] = set()
    for node in ast.walk(function):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "ToolError"):
            continue
        code = node.args[0] if node.args else None
        if isinstance(code, ast.Constant) and isinstance(code.value, str) and code.value not in seen:
            seen.add(code.value)
            yield ToolErrorSpec(code=code.value, when=f"The call is refused as {code.value.replace('_', ' ')}.")


def _returned(function: ast.FunctionDef) -> list[str]:
    keys = (
        key.value
        for node in ast.walk(function)
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Dict)
        for key in node.value.keys
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    )
    return sorted(set(keys))


def _consumed(
    properties: Mapping[str, Any], tables: Sequence[Table], known: Sequence[ToolSpec]
) -> Iterator[tuple[str, str]]:
    """Parameters that take an id: as other tools have it, or by the name of a table's one key."""
    elsewhere = {name: kind for spec in known for name, kind in spec.consumes.items()}
    keys = {f"{table.entity}_{key}": f"{table.entity}.{key}" for table in tables for key in table.primary_key[:1]}
    for name in properties:
        if kind := elsewhere.get(name) or keys.get(name):
            yield name, kind


def _verb(statements: Sequence[Statement], source: str) -> Verb:
    written: list[Verb] = [one.verb for one in statements if one.verb is not None]
    if written:
        return written[0]
    if _AGGREGATE.search(source):
        return "aggregate"
    return "search" if re.search(r"(?i)\blike\b", source) else "list"


def _annotations(statements: Sequence[Statement]) -> ToolAnnotations:
    verbs = {one.verb for one in statements if one.verb is not None}
    return ToolAnnotations(
        readOnlyHint=not verbs, destructiveHint="delete" in verbs, idempotentHint=not verbs or verbs == {"update"}
    )

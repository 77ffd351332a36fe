"""Postconditions of a blueprint as statements of a test: asked with SQL before and after the call."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from envforge.build.unit_tests.checks import Lines
from envforge.build.unit_tests.literals import WIDTH, literal, text
from envforge.build.unit_tests.probe import Call
from envforge.core.records.blueprint import Ensure

HELPER = '''def _value(world, query, **parameters):
    """The one value that a query yields."""
    (row,) = world.query(query, parameters)
    (value,) = row.values()
    return value
'''
_PARAMETER = re.compile(r":([A-Za-z_]\w*)")
_TEXT = re.compile(r"'[^']*'")
_RESULT = "result_"


def postconditions(call: Call, result: str) -> tuple[Lines, Lines]:
    """Statements before the call, and after it."""
    before: Lines = []
    after: Lines = []
    for number, ensure in enumerate(call.operation.ensures):
        names = list(dict.fromkeys(_PARAMETER.findall(_TEXT.sub("", ensure.query))))
        own = [name for name in names if not name.startswith(_RESULT)]
        spoken_of = {parameter.name for parameter in call.operation.parameters} & {*own, *_names(ensure.equals)}
        if any(call.arguments.get(name) is None for name in spoken_of):
            continue  # it speaks of an argument that this call leaves out
        query = f"query_{number + 1}" if len(call.operation.ensures) > 1 else "query"
        given = {name: literal(call.arguments[name]) for name in own}
        given |= {name: f'{result}["{name.removeprefix(_RESULT)}"]' for name in names if name not in own}
        asked = f"_value(world, {query}{''.join(f', {name}={value}' for name, value in given.items())})"
        before.append(_query(query, ensure))
        held = ""
        if "before" in _names(ensure.equals):
            held = query.replace("query", "held")  # `before` is a row in the statements about changes
            before.append(f"{held} = {asked}")
        expected = _expected(ensure.equals, call.arguments, result, held)
        statement = f"assert {asked} == {expected}"
        wrapped = f"assert (\n        {asked}\n        == {expected}\n    )"
        after.append(statement if len(statement) + 4 <= WIDTH else wrapped)
    return before, after


def _query(name: str, ensure: Ensure) -> str:
    flat = " ".join(ensure.query.split())
    if len(flat) + len(name) + 9 <= WIDTH:
        return f"{name} = {text(flat)}"
    return f"{name} = {literal(flat, before=WIDTH)}"


def _names(expression: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(expression, mode="eval")) if isinstance(node, ast.Name)}


class _Renamed(ast.NodeTransformer):
    def __init__(self, arguments: Mapping[str, Any], result: str, before: str) -> None:
        self._arguments, self._result, self._before = arguments, result, before

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id == "before":
            return ast.Name(self._before, ast.Load())
        if node.id.startswith(_RESULT):
            key = ast.Constant(node.id.removeprefix(_RESULT))
            return ast.Subscript(ast.Name(self._result, ast.Load()), key, ast.Load())
        if node.id in self._arguments:
            return ast.parse(literal(self._arguments[node.id]), mode="eval").body
        return node


def _expected(expression: str, arguments: Mapping[str, Any], result: str, before: str) -> str:
    """The expression over the call's arguments, its result and what held before."""
    tree = _Renamed(arguments, result, before).visit(ast.parse(expression.strip(), mode="eval"))
    words = ast.unparse(ast.fix_missing_locations(tree))
    return re.sub(r"'([^'\"\\]*)'", r'"\1"', words)

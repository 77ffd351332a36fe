"""Calls that the unit tests make with literal arguments: recorded episodes for gates that run tools."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class TestCall:
    """One `tools.<name>(world, argument=literal, …)` of a test; `raises` if it stands in pytest.raises."""

    __test__ = False

    test: str
    tool: str
    arguments: dict[str, Any]
    raises: bool


def test_functions(source: str) -> list[ast.FunctionDef]:
    """The test functions of a test module, in order."""
    return [n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef) and n.name.startswith("test_")]


def literal_calls(source: str) -> list[TestCall]:
    """All calls whose arguments are literals, in the order of the module."""
    return [call for function in test_functions(source) for call in _of_function(function)]


def _of_function(function: ast.FunctionDef) -> list[TestCall]:
    raising = {
        id(child)
        for node in ast.walk(function)
        if isinstance(node, ast.With) and any(_is_raises(item.context_expr) for item in node.items)
        for child in ast.walk(node)
    }
    found: list[TestCall] = []
    for node in ast.walk(function):
        name = _tool_name(node)
        if name is None or not isinstance(node, ast.Call):
            continue
        arguments = _literals(node)
        if arguments is not None:
            found.append(TestCall(function.name, name, arguments, id(node) in raising))
    return found


def _is_raises(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "raises"


def _tool_name(node: ast.AST) -> str | None:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    owner = node.func.value
    return node.func.attr if isinstance(owner, ast.Name) and owner.id == "tools" else None


def _literals(node: ast.Call) -> dict[str, Any] | None:
    arguments: dict[str, Any] = {}
    for keyword in node.keywords:
        try:
            value = ast.literal_eval(keyword.value)
        except (ValueError, SyntaxError):
            return None
        if keyword.arg is None:
            return None
        arguments[keyword.arg] = value
    return arguments if len(node.args) == 1 else None


def tests_by_tool(source: str, tools: list[str]) -> dict[str, list[str]]:
    """tool → its tests, by the naming rule `test_<tool>__<case>`."""
    names = [function.name for function in test_functions(source)]
    return {tool: [name for name in names if name.startswith(f"test_{tool}__")] for tool in tools}

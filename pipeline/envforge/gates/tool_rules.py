"""AST rules for generated tool modules: what may be imported, called and touched.

The sandbox enforces the same at run time; the rules say it before anything runs, with a line number.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envforge.world.environment import RESERVED_NAMES
from envforge.world.module_state import DYNAMIC_NAMES, PLAIN_STATEMENTS
from envforge.world.sandbox.tool_module import API_IMPORTS, TOOL_IMPORTS

ALLOWED_IMPORTS = TOOL_IMPORTS | API_IMPORTS | {"collections.abc"}
FORBIDDEN_NAMES = DYNAMIC_NAMES | {"exit", "hash", "id", "input", "memoryview", "open", "print", "quit"}
"""`hash` and `id` differ from process to process; the others reach out of the module."""
CLOCK_ATTRIBUTES = frozenset({"now", "today", "utcnow", "fromtimestamp", "utcfromtimestamp"})


def violations(source: str) -> list[str]:
    """Every broken rule of a tools.py, as 'line N: what'. A syntax error is one of them."""
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        return [f"line {error.lineno}: {error.msg}"]
    except (ValueError, MemoryError, RecursionError) as error:
        return [f"line 1: {str(error) or 'nested too deep'}"]
    return [*_top_level(tree), *(found for node in ast.walk(tree) for found in _node(node)), *_signatures(tree)]


def _top_level(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, PLAIN_STATEMENTS):
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        yield f"line {node.lineno}: {type(node).__name__} at module level"


def _node(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (f"line {node.lineno}: import {a.name}" for a in node.names if a.name not in ALLOWED_IMPORTS)
    elif isinstance(node, ast.ImportFrom):
        if node.level or node.module not in ALLOWED_IMPORTS:
            yield f"line {node.lineno}: import from {node.module}"
    elif isinstance(node, ast.Name) and node.id in FORBIDDEN_NAMES:
        yield f"line {node.lineno}: {node.id} is not allowed"
    elif isinstance(node, ast.Attribute):
        yield from _attribute(node)
    elif isinstance(node, ast.Global | ast.Nonlocal | ast.AsyncFunctionDef | ast.ClassDef):
        yield f"line {node.lineno}: {type(node).__name__} is not allowed"


def _attribute(node: ast.Attribute) -> Iterator[str]:
    if node.attr.startswith("__"):
        yield f"line {node.lineno}: access to {node.attr}"
    on_world = isinstance(node.value, ast.Name) and node.value.id == "world"
    if node.attr in CLOCK_ATTRIBUTES and not on_world:
        yield f"line {node.lineno}: {node.attr}() reads the host's clock; use world.now()"


def _signatures(tree: ast.Module) -> Iterator[str]:
    for function in public_functions(tree):
        arguments = function.args.posonlyargs + function.args.args
        if not arguments or arguments[0].arg != "world":
            yield f"line {function.lineno}: {function.name} does not take world first"
        if any(argument.annotation is None for argument in [*arguments, *function.args.kwonlyargs]):
            yield f"line {function.lineno}: {function.name} has a parameter without a type"
        if len(arguments) > 1 and "Args:" not in (ast.get_docstring(function) or ""):
            yield f"line {function.lineno}: {function.name} has no docstring with Args:"
        if function.name in RESERVED_NAMES:
            yield f"line {function.lineno}: {function.name} is a reserved name"


def public_functions(tree: ast.Module) -> list[ast.FunctionDef]:
    """The tools of a module: functions whose name does not start with an underscore."""
    return [node for node in tree.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]


def call_graph(tree: ast.Module) -> dict[str, set[str]]:
    """Module function → module functions it mentions, transitively (itself included)."""
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    direct = {
        name: {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and n.id in functions}
        for name, node in functions.items()
    }
    reached: dict[str, set[str]] = {}
    for name in functions:
        seen, todo = {name}, [name]
        while todo:
            fresh = direct[todo.pop()] - seen
            seen |= fresh
            todo.extend(sorted(fresh))
        reached[name] = seen
    return reached


def writers(tree: ast.Module) -> set[str]:
    """Functions that themselves call a writing method of the World, or let the World out of sight.

    `world` may only be used as `world.method(...)` or passed on as a plain argument to a module function;
    any other use (an alias, a container) counts as writing, because it could.
    """
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    return {name for name, node in functions.items() if _writes(node, set(functions))}


def _writes(function: ast.FunctionDef, functions: set[str]) -> bool:
    allowed: set[int] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "world":
            if node.attr not in {"query", "now", "document", "documents"}:
                return True
            allowed.add(id(node.value))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in functions:
            allowed |= {id(argument) for argument in node.args}
    names = (node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id == "world")
    return any(id(node) not in allowed for node in names)

"""Solution programs: Python that reaches tools and nothing else. What may stand in one; standard library only.

The sandbox enforces the same at run time; these rules say it before anything runs, with a line number, and keep
programs plain enough to be changed by mutation operators.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable

from envforge.core.errors import ConfigError
from envforge.core.records.environment import ToolSpec

GIVEN = frozenset({"call", "pages", "ToolError", "datetime"})
"""Names that every program has: `call(tool, **arguments) -> dict` raises ToolError(code, message, hint);
`pages(tool, **arguments) -> list` is all items of all pages; the module `datetime`."""
BUILTINS = frozenset(
    {"abs", "all", "any", "bool", "dict", "enumerate", "filter", "float", "int", "isinstance", "len", "list", "map"}
    | {"max", "min", "next", "range", "reversed", "round", "set", "sorted", "str", "sum", "tuple", "zip"}
    | {"KeyError", "ValueError", "IndexError", "StopIteration", "True", "False", "None"}
)
_REFUSED = (
    ast.Import,
    ast.ImportFrom,
    ast.ClassDef,
    ast.AsyncFunctionDef,
    ast.Global,
    ast.Nonlocal,
    ast.Delete,
    ast.With,
    ast.AsyncWith,
    ast.Yield,
    ast.YieldFrom,
    ast.Await,
)
CALLS = frozenset({"call", "pages"})


def parse_body(body: str, names: Iterable[str], *, where: str = "") -> ast.Module:
    """The body of `solve(call)`, checked. `names` are what it starts from beside GIVEN.

    Raises ConfigError naming `where` and the line: for syntax, for what a program may not do, for a name that nothing
    gives, for a tool whose name is no literal, for a body that does not end in `return {...}`.
    """
    try:
        tree = ast.parse(body)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        line = getattr(error, "lineno", None) or 1
        raise ConfigError(f"line {line}: {error}", where=where, remedy="a gold program is Python") from error
    for problem in [*_problems(tree), *_unknown(tree, {*names, *GIVEN, *BUILTINS})]:
        raise ConfigError(problem, where=where, remedy="a gold program reaches tools by call() and pages() only")
    if not tree.body or not isinstance(tree.body[-1], ast.Return):
        raise ConfigError("does not end in `return`", where=where, remedy="return a dict, {} if nothing is asked")
    return tree


def _problems(tree: ast.Module) -> Iterable[str]:
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 1)
        if isinstance(node, _REFUSED):
            yield f"line {line}: {type(node).__name__} is not allowed"
        if isinstance(node, ast.Name | ast.Attribute):
            name = node.id if isinstance(node, ast.Name) else node.attr
            if name.startswith("__"):
                yield f"line {line}: {name} is not allowed"
        if is_tool_call(node) and not tool_of(node):
            yield f"line {line}: the name of a tool is a literal, its arguments are named"


def is_tool_call(node: ast.AST) -> bool:
    """True for `call(...)` and `pages(...)`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS


def tool_of(node: ast.AST) -> str:
    """The tool that a tool call names; "" when it is no literal or has unnamed arguments."""
    if not isinstance(node, ast.Call) or len(node.args) != 1:
        return ""
    name = node.args[0]
    return name.value if isinstance(name, ast.Constant) and isinstance(name.value, str) else ""


def tools_of(body: str) -> set[str]:
    """The tools that a checked body calls."""
    return {tool_of(node) for node in ast.walk(ast.parse(body)) if is_tool_call(node)}


def with_tool_names(body: str, tools: Iterable[ToolSpec]) -> str:
    """A checked body in which "verb entity" ("update page") is the name of the tool that does it.

    Of several tools the one with the most required parameters is meant, as `get user` asks for an id where `get_self`
    asks for nothing. Words that fit no tool, or not one, stay: no tool has such a name, so whoever checks says so.
    """
    named: defaultdict[str, list[ToolSpec]] = defaultdict(list)
    for tool in tools:
        named[f"{tool.verb} {tool.entity}"].append(tool)
    for words in sorted(name for name in tools_of(body) if " " in name):
        fitting = sorted(named[words], key=_asked_for)
        if fitting and (len(fitting) == 1 or _asked_for(fitting[-1]) > _asked_for(fitting[-2])):
            place = rf"""(\b(?:call|pages)\(\s*["']){re.escape(words)}(?=["'])"""
            body = re.sub(place, rf"\g<1>{fitting[-1].name}", body)
    return body


def _asked_for(tool: ToolSpec) -> int:
    return len(tool.parameters.get("required", ()))


def names_read(body: str, names: Iterable[str]) -> set[str]:
    """Which of `names` a checked body reads."""
    read = {n.id for n in ast.walk(ast.parse(body)) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return read & set(names)


def _unknown(tree: ast.Module, known: set[str]) -> Iterable[str]:
    bound: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, ast.FunctionDef):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            bound.add(node.name)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in known | bound:
            yield f"line {node.lineno}: nothing gives the name {node.id!r}"

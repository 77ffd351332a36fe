"""The source text of the prelude's functions, as generated modules embed it."""

from __future__ import annotations

import ast
import inspect
import io
import tokenize
from collections.abc import Iterable
from functools import cache

from envforge.build.lower import prelude

MODULES = ("bisect", "collections", "decimal", "fractions", "functools", "itertools", "json", "math", "re") + (
    ("statistics", "string", "textwrap", "unicodedata")
)
"""Modules that embedded text may use by their names."""
FROM_MODULES = {
    "datetime": ("UTC", "date", "datetime", "time", "timedelta"),
    "typing": ("Any",),
    "envforge.world.api": ("ToolError", "World"),
}


@cache
def embedded() -> dict[str, str]:
    """Embedded name -> source text, constants first, in the order of the prelude."""
    source = inspect.getsource(prelude)
    tree = ast.parse(source)
    nodes: dict[str, ast.stmt] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            nodes[node.name] = node
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            nodes[node.targets[0].id] = node
    names = frozenset(nodes)
    return {f"_{name}": _renamed(ast.get_source_segment(source, node) or "", names) for name, node in nodes.items()}


def _renamed(text: str, names: frozenset[str]) -> str:
    """The text with an underscore before each of the names, comments and strings untouched."""
    lines = text.split("\n")
    tokens = [
        token
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.NAME and token.string in names
    ]
    for token in reversed(tokens):
        row, column = token.start
        lines[row - 1] = lines[row - 1][:column] + "_" + lines[row - 1][column:]
    return "\n".join(lines)


def used_names(source: str) -> set[str]:
    """Every name that the source reads."""
    return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}


def needed(sources: Iterable[str]) -> dict[str, str]:
    """The embedded functions that the sources use, and those they use in turn."""
    known = embedded()
    todo = [name for source in sources for name in used_names(source)]
    wanted: set[str] = set()
    while todo:
        name = todo.pop()
        if name in known and name not in wanted:
            wanted.add(name)
            todo.extend(used_names(known[name]))
    return {name: text for name, text in known.items() if name in wanted}


def import_lines(sources: Iterable[str]) -> list[str]:
    """The imports that the sources need, standard library first."""
    used = {name for source in sources for name in used_names(source)}
    lines = [f"import {name}" for name in MODULES if name in used]
    for module, names in FROM_MODULES.items():
        found = [name for name in names if name in used]
        if found and module.startswith("envforge"):
            lines += ["", f"from {module} import {', '.join(found)}"]
        elif found:
            lines.append(f"from {module} import {', '.join(found)}")
    return lines

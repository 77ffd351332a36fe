"""The form of a tool's tests. They join the tests of all tools: nothing in them may take the place of another one."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def more_than_tests(tool: str, source: str) -> Iterator[str]:
    """What stands there beside functions `test_<tool>__<case>`, each with a name of its own."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        yield f"is no Python: {error}"
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield f"line {node.lineno}: no imports"
    names: set[str] = set()
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef):
            yield f"line {node.lineno}: nothing but tests may stand there"
        elif not node.name.startswith(f"test_{tool}__"):
            yield f"line {node.lineno}: {node.name} is no test_{tool}__<case>"
        elif node.name in names:
            yield f"line {node.lineno}: {node.name} stands there twice"
        else:
            names.add(node.name)

"""From a gold body to programs/<task>.py: what the text says as constants, paging from the tools, then the body."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Sequence

from envforge.core.errors import ConfigError
from envforge.core.programs import is_tool_call, names_read, parse_body, tool_of
from envforge.core.records.intent import Intent
from envforge.synth.literals import literal
from envforge.synth.paging import Paging, paging_of
from envforge.world.environment import Environment

_PAGES = '''

def pages_of(call):
    """`pages(tool, ...)`: all items of all pages, in the largest pages that the tool gives."""

    def pages(tool, **arguments):
        items, cursor, following, size, largest = PAGING[tool]
        arguments = {size: largest, **arguments} if size else arguments
        found = []
        while True:
            result = call(tool, **arguments)
            found.extend(LIST_OF(result))
            if not cursor or not result.get(following):
                return found
            arguments = {**arguments, cursor: result[following]}

    return pages'''
_NAMED_LIST = "result[items]"
_ONLY_LIST = "result[items] if items else next(value for value in result.values() if isinstance(value, list))"


def program_of(environment: Environment, intent: Intent, body: str) -> str:
    """Source of `solve(call)`: the same bytes for the same intent and body.

    Raises ConfigError, naming family and line, for a body that no program may have or that pages through a tool which
    is not there.
    """
    where = f"intent family {intent.family}, gold"
    tree = parse_body(body, intent.said, where=where)
    paged = _paged(environment, tree, where)
    lines = [f'"""{intent.family}: a solution that starts from what the text says."""']
    lines += ["", "import datetime"] if names_read(body, {"datetime"}) else []
    lines += ["", "from envforge.world.api import ToolError"] if names_read(body, {"ToolError"}) else []
    if paged:
        lines += ["", "# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size."]
        lines += [f"PAGING = {literal({name: _entry(paging) for name, paging in paged.items()}, 0, len('PAGING = '))}"]
    lines += [_pages(list(paged.values()))] if paged else []
    lines += ["", "", "def solve(call):"]
    lines += ["    pages = pages_of(call)", ""] if paged else []
    lines += _said(intent, body)
    lines.append(_indented(body))
    return "\n".join(lines) + "\n"


def _paged(environment: Environment, tree: ast.Module, where: str) -> dict[str, Paging]:
    """The tools that the body calls by `pages`, by name. Raises ConfigError."""
    specs = {tool.name: tool for tool in environment.tools}
    names = {tool_of(node) for node in ast.walk(tree) if is_tool_call(node) and _function(node) == "pages"}
    missing = sorted(names - set(specs))
    if missing:
        raise ConfigError(f"the environment has no tool {missing[0]!r}", where=where, remedy="name one of tools.json")
    return {name: paging_of(specs[name]) for name in sorted(names)}


def _function(node: ast.AST) -> str:
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def _entry(paging: Paging) -> tuple[str, str, str, str, int]:
    return (paging.items, paging.cursor, paging.following, paging.size_parameter, paging.size)


def _pages(known: Sequence[Paging]) -> str:
    return _PAGES.replace("LIST_OF(result)", _NAMED_LIST if all(paging.items for paging in known) else _ONLY_LIST)


def _said(intent: Intent, body: str) -> list[str]:
    """Assignments of what the body starts from, with the words that stand for it in the text."""
    lines: list[str] = []
    for name in [name for name in intent.said if name in names_read(body, intent.said)]:
        spoken = " ".join(intent.spoken.get(name, "").split())
        source = literal(intent.said[name], 4, len(name) + 3)
        comment = f"  # {spoken}" if spoken and spoken != intent.said[name] else ""
        lines.append(f"    {name} = {source}{comment}")
    return [*lines, ""] if lines else []


def _indented(body: str) -> str:
    """The body four to the right; lines that continue a text stay where they are."""
    lines = body.strip("\n").splitlines()
    inside: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO("\n".join(lines) + "\n").readline):
        if token.type == tokenize.STRING or tokenize.tok_name[token.type].startswith("FSTRING"):
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
    return "\n".join(
        line if number in inside or not line.strip() else f"    {line.rstrip() if number + 1 not in inside else line}"
        for number, line in enumerate(lines, 1)
    )

"""Mutants of a tool module: small wrong versions that its unit tests must notice.

Operators (the names stand in the gate's evidence): condition-dropped, column-swapped, off-by-one,
comparison-moved, error-code, branch-negated, write-dropped, order-flipped, value-swapped.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from envforge.core.seeds import stream
from envforge.gates.tool_rules import call_graph, public_functions

_CONDITION = re.compile(r"\b[\w.]+\s*(?:=|<>|!=|<=|>=|<|>|LIKE)\s*(?:\?|:\w+)")
_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_CODES = ("not_found", "invalid_argument", "conflict", "not_allowed", "limit_exceeded")
_MOVED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
_SQL = re.compile(r"\b(SELECT|UPDATE|INSERT|DELETE|WHERE|ORDER BY)\b|[=<>]\s*\?")


@dataclass(frozen=True)
class ToolMutant:
    """One wrong version: where it differs, the changed function's text, and the tools it can affect."""

    id: str
    operator: str
    function: str
    line: int
    patch: str
    tools: tuple[str, ...]


@dataclass(frozen=True)
class _Site:
    operator: str
    function: str
    node: ast.AST
    change: Callable[[ast.AST], None]
    label: str


def mutants(source: str, tables: Mapping[str, Sequence[str]], *, most: int, seed: int) -> list[ToolMutant]:
    """Up to `most` mutants, spread evenly over functions and operators by `seed`.

    `tables` maps table names to column names (for column-swapped).
    """
    tree = ast.parse(source)
    reach = call_graph(tree)
    public = [function.name for function in public_functions(tree)]
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    sites = [site for function in functions.values() for site in _sites(function, tables)]
    chosen = _spread(sites, most, seed)
    made: list[ToolMutant] = []
    for number, site in enumerate(chosen):
        tools = tuple(name for name in public if site.function in reach[name])
        text = _mutated(functions[site.function], site)
        if tools and text is not None:
            line = getattr(site.node, "lineno", 0)
            made.append(ToolMutant(f"{number:03d}:{site.label}", site.operator, site.function, line, text, tools))
    return made


def _mutated(function: ast.FunctionDef, site: _Site) -> str | None:
    """The function's text with the change; None when the change changes nothing."""
    # The node is changed on a copy of its function, where it is found again by its place in the walk.
    index = next(i for i, node in enumerate(ast.walk(function)) if node is site.node)
    fresh = copy.deepcopy(function)
    node = next(node for i, node in enumerate(ast.walk(fresh)) if i == index)
    site.change(node)
    before, after = ast.unparse(function), ast.unparse(ast.fix_missing_locations(fresh))
    return None if before == after else after


def _spread(sites: list[_Site], most: int, seed: int) -> list[_Site]:
    groups: dict[tuple[str, str], list[_Site]] = {}
    for site in sites:
        groups.setdefault((site.function, site.operator), []).append(site)
    for key, group in groups.items():
        stream(seed, "mutants", *key).shuffle(group)
    order = sorted(groups)
    stream(seed, "mutant-groups").shuffle(order)
    chosen: list[_Site] = []
    depth = 0
    while len(chosen) < most and any(len(groups[key]) > depth for key in order):
        chosen.extend(groups[key][depth] for key in order if len(groups[key]) > depth)
        depth += 1
    return chosen[:most]


def _sites(function: ast.FunctionDef, tables: Mapping[str, Sequence[str]]) -> Iterator[_Site]:
    skip = _presentation(function)
    for node in ast.walk(function):
        if id(node) in skip:
            continue
        for operator, change, detail in _changes(node, tables):
            label = f"{operator}@{function.name}:{getattr(node, 'lineno', 0)}{detail}"
            yield _Site(operator, function.name, node, change, label)


def _presentation(function: ast.FunctionDef) -> set[int]:
    """Nodes that are words for people: docstring, messages and hints. Changing them is not a fault."""
    skip: set[int] = set()
    first = function.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        skip.add(id(first.value))
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "ToolError":
            for argument in [*node.args[1:], *(keyword.value for keyword in node.keywords)]:
                skip |= {id(child) for child in ast.walk(argument)}
    return skip


_Change = tuple[str, Callable[[ast.AST], None], str]


def _changes(node: ast.AST, tables: Mapping[str, Sequence[str]]) -> Iterator[_Change]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from _text_changes(node.value, tables)
    elif isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant) and node.right.value == 1:
        yield "off-by-one", _set_right_two, ""
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _MOVED:
        yield "comparison-moved", _move, ""
    elif isinstance(node, ast.If):
        yield "branch-negated", _negate, ""
    elif isinstance(node, ast.Expr) and _is_write(node.value):
        yield "write-dropped", _drop, ""
    elif isinstance(node, ast.Dict) and len(node.values) > 1:
        yield "value-swapped", _swap_values, ""


def _text_changes(text: str, tables: Mapping[str, Sequence[str]]) -> Iterator[_Change]:
    if text in _CODES:
        yield "error-code", _replace(_CODES[(_CODES.index(text) + 1) % len(_CODES)]), ""
        return
    if not _SQL.search(text):
        return
    head, where, tail = text.partition("WHERE")
    searched = tail if where else text
    if where or "SET" not in text:
        for number, match in enumerate(_CONDITION.finditer(searched)):
            wider = f"{searched[: match.start()]}({match.group()} OR 1){searched[match.end() :]}"
            yield "condition-dropped", _replace(head + where + wider if where else wider), f"#{number}"
    if " DESC" in text:
        yield "order-flipped", _replace(text.replace(" DESC", "", 1)), ""
    swapped = _swap_column(text, tables)
    if swapped is not None:
        yield "column-swapped", _replace(swapped), ""


def _swap_column(text: str, tables: Mapping[str, Sequence[str]]) -> str | None:
    """The text with one column replaced by its neighbour in the first table that the text names."""
    words = _WORD.findall(text)
    for table in words:
        columns = list(tables.get(table, ()))
        for column in columns:
            if column in words and len(columns) > 1:
                other = columns[(columns.index(column) + 1) % len(columns)]
                return re.sub(rf"\b{re.escape(column)}\b", other, text, count=1)
    return None


def _is_write(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"execute", "put_document", "delete_document", "append"}
    )


def _replace(value: str) -> Callable[[ast.AST], None]:
    def change(node: ast.AST) -> None:
        assert isinstance(node, ast.Constant)
        node.value = value

    return change


def _set_right_two(node: ast.AST) -> None:
    assert isinstance(node, ast.BinOp)
    node.right = ast.Constant(2)


def _move(node: ast.AST) -> None:
    assert isinstance(node, ast.Compare)
    node.ops = [_MOVED[type(node.ops[0])]()]


def _negate(node: ast.AST) -> None:
    assert isinstance(node, ast.If)
    node.test = ast.UnaryOp(ast.Not(), node.test)


def _drop(node: ast.AST) -> None:
    assert isinstance(node, ast.Expr)
    node.value = ast.Constant(None)


def _swap_values(node: ast.AST) -> None:
    assert isinstance(node, ast.Dict)
    values = list(node.values)
    values[0], values[1] = values[1], values[0]
    node.values = values

"""Held-out mutants: faults in the source of a solution, where those of the gates stand between it and its World."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Edit = Callable[[ast.AST], None]
_LOOSER: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
_OTHER = {"min": "max", "max": "min", "all": "any", "any": "all", "sum": "len", "len": "sum"}


@dataclass(frozen=True)
class ProgramMutant:
    """A changed program."""

    operator: str
    line: int
    source: str


def program_mutants(source: str) -> Iterator[ProgramMutant]:
    """Each operator at each place of the solution's own body; the paging in front of it stays as it is."""
    tree = ast.parse(source)
    kept = {id(node) for pages in ast.walk(tree) if _is_pages(pages) for node in ast.walk(pages)}
    for index, node in enumerate(ast.walk(tree)):
        if id(node) in kept:
            continue
        for operator, edit in _edits(node):
            fresh = copy.deepcopy(tree)
            edit(next(other for number, other in enumerate(ast.walk(fresh)) if number == index))
            text = ast.unparse(ast.fix_missing_locations(fresh))
            if text != ast.unparse(tree):
                yield ProgramMutant(operator, getattr(node, "lineno", 0), text)


def _is_pages(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name == "pages"


def _edits(node: ast.AST) -> Iterator[tuple[str, Edit]]:
    if isinstance(node, ast.FunctionDef | ast.For | ast.If):
        for place, statement in enumerate(node.body):
            if isinstance(statement, ast.Expr | ast.Assign | ast.AugAssign | ast.Continue | ast.Break):
                yield "statement-dropped", _drop(place)
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        yield "condition-negated", _negate
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _LOOSER:
        yield "comparison-moved", _compare
    if isinstance(node, ast.comprehension) and node.ifs:
        yield "filter-removed", _unfilter
    if isinstance(node, ast.comprehension | ast.For):
        yield "first-left-out", _shorten(1, None)
        yield "last-left-out", _shorten(None, -1)
    if isinstance(node, ast.BoolOp):
        yield "and-or", _flip
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in _OTHER:
            yield "function-changed", _rename
        if node.func.id == "sorted":
            yield "order-flipped", _reverse
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        yield "sign-changed", _sign


def _drop(place: int) -> Edit:
    def edit(node: ast.AST) -> None:
        assert isinstance(node, ast.FunctionDef | ast.For | ast.If)
        node.body[place] = ast.Pass()

    return edit


def _negate(node: ast.AST) -> None:
    assert isinstance(node, ast.If | ast.IfExp | ast.While)
    node.test = ast.UnaryOp(ast.Not(), node.test)


def _compare(node: ast.AST) -> None:
    assert isinstance(node, ast.Compare)
    node.ops[0] = _LOOSER[type(node.ops[0])]()


def _unfilter(node: ast.AST) -> None:
    assert isinstance(node, ast.comprehension)
    node.ifs = node.ifs[:-1]


def _shorten(lower: int | None, upper: int | None) -> Edit:
    def edit(node: ast.AST) -> None:
        assert isinstance(node, ast.comprehension | ast.For)
        listed = ast.Call(ast.Name("list", ast.Load()), [node.iter], [])
        first = None if lower is None else ast.Constant(lower)
        last = None if upper is None else ast.UnaryOp(ast.USub(), ast.Constant(-upper))
        node.iter = ast.Subscript(listed, ast.Slice(first, last), ast.Load())

    return edit


def _flip(node: ast.AST) -> None:
    assert isinstance(node, ast.BoolOp)
    node.op = ast.And() if isinstance(node.op, ast.Or) else ast.Or()


def _rename(node: ast.AST) -> None:
    assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    node.func.id = _OTHER[node.func.id]


def _reverse(node: ast.AST) -> None:
    assert isinstance(node, ast.Call)
    node.keywords.append(ast.keyword("reverse", ast.Constant(True)))
    if len([word for word in node.keywords if word.arg == "reverse"]) > 1:
        node.keywords = [word for word in node.keywords if word.arg != "reverse"]


def _sign(node: ast.AST) -> None:
    assert isinstance(node, ast.BinOp)
    node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()

"""Conditions: their opposites, and what they tell of the values in them."""

from __future__ import annotations

import ast
from dataclasses import replace

from envforge.build.lower.expressions import Scope
from envforge.build.lower.shapes import RowOf, Scalar, Shape


def narrowed(scope: Scope, test: ast.expr) -> Scope:
    """The scope where `test` holds: names that it says are not None have a value."""
    out = dict(scope)
    for name in _present(test):
        if name in out:
            out[name] = _there(out[name])
    return out


def _present(test: ast.expr) -> set[str]:
    if isinstance(test, ast.Name):
        return {test.id}
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return {name for part in test.values for name in _present(part)}
    if isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and len(test.ops) == 1:
        other = test.comparators[0]
        none = isinstance(other, ast.Constant) and other.value is None
        if none and isinstance(test.ops[0], ast.IsNot):
            return {test.left.id}
    return set()


def _there(shape: Shape) -> Shape:
    if isinstance(shape, Scalar):
        return replace(shape, nullable=False)
    return replace(shape, optional=False) if isinstance(shape, RowOf) else shape


def negated(node: ast.expr) -> ast.expr:
    """The opposite of a condition, as a person would write it."""
    opposite: dict[type[ast.cmpop], type[ast.cmpop]] = {
        ast.Eq: ast.NotEq,
        ast.Lt: ast.GtE,
        ast.LtE: ast.Gt,
        ast.Is: ast.IsNot,
        ast.In: ast.NotIn,
    }
    opposite |= {value: key for key, value in opposite.items()}
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return ast.Compare(node.left, [opposite[type(node.ops[0])]()], node.comparators)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return node.operand
    if isinstance(node, ast.BoolOp):
        operator = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        return ast.BoolOp(operator, [negated(value) for value in node.values])
    return ast.UnaryOp(ast.Not(), node)

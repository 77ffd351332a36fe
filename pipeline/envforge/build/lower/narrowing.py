"""What a condition tells of the values in it: after `x is not None`, x is there."""

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

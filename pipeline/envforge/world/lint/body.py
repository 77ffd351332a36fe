"""One pass over a module function: its statements and expressions, with the functions inside it. Reads code only.

The order of statements does not count, and inner functions share the names of the outer one: more values may seem to
be somewhere than ever are, never fewer.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from envforge.world.lint.calls import MUTATORS, Calls
from envforge.world.lint.reach import (
    DEFINITIONS,
    NOTHING,
    Function,
    Known,
    Reach,
    bound_names,
    defaults_of,
    inner_functions,
    names_bound_by,
    shadowing_names,
    union,
)

_PLAIN = (ast.Compare, ast.FormattedValue, ast.JoinedStr, ast.UnaryOp)
"""Expressions whose value is always a new text, number or truth value."""
_MAKING = (ast.DictComp, ast.GeneratorExp, ast.ListComp, ast.SetComp)


class Body:
    """A module function and what is known of the module."""

    def __init__(self, known: Known, place: str, function: Function) -> None:
        self._known = known
        self._place = place
        self._bound = bound_names(function)
        self._function = function
        self._inner = inner_functions(function)
        shadowing = shadowing_names(function)
        self._calls = Calls(known, place, shadowing, self._inner, self._value, self._put_in)

    def follow(self) -> None:
        """One pass; `known` says what was found and whether there was anything new."""
        if isinstance(self._function, ast.Lambda):
            self._known.give_back(self._function, self._value(self._function.body))
        else:
            self._statements(self._function.body)

    # Statements

    def _statements(self, nodes: Iterable[ast.AST]) -> None:
        for node in nodes:
            self._statement(node)

    def _statement(self, node: ast.AST) -> None:
        if isinstance(node, DEFINITIONS):
            self._define(node)
        elif isinstance(node, ast.Assign):
            reach = self._value(node.value)
            for target in node.targets:
                self._assign(target, reach, node.value)
        elif isinstance(node, ast.AnnAssign):
            self._value(node.annotation)
            if node.value is not None:
                self._assign(node.target, self._value(node.value), node.value)
        elif isinstance(node, ast.AugAssign):
            self._augment(node)
        elif isinstance(node, ast.For | ast.AsyncFor):
            self._loop(node.target, node.iter)
            self._statements([*node.body, *node.orelse])
        elif isinstance(node, ast.Return):
            self._known.give_back(self._function, self._value(node.value) if node.value else NOTHING)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                self._assign(target, NOTHING, None)
        else:
            self._others(node)

    def _others(self, node: ast.AST) -> None:
        """Statements that only hold others."""
        if isinstance(node, ast.Match):
            subject = self._value(node.subject)
            for child in ast.walk(node):
                for name in names_bound_by(child):
                    self._known.bind(self._place, name, subject | subject.element())
        if isinstance(node, ast.ExceptHandler) and node.name is not None:
            self._known.bind(self._place, node.name, self._known.errors | self._known.errors.element())
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.withitem):
                reach = self._value(child.context_expr)
                if child.optional_vars is not None:
                    self._assign(child.optional_vars, reach, None)
            elif isinstance(child, ast.expr):
                self._value(child)
            elif isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
                self._statement(child)

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for name, default in defaults_of(node):
            self._known.bind(self._place, name, self._value(default))
        annotations = [one.annotation for one in ast.walk(node.args) if isinstance(one, ast.arg)]
        for extra in [*node.decorator_list, *annotations, node.returns]:
            if extra is not None:
                self._value(extra)
        outer, self._function = self._function, node
        self._statements(node.body)
        self._function = outer

    def _augment(self, node: ast.AugAssign) -> None:
        reach = self._value(node.value)
        if isinstance(node.target, ast.Name):
            self._known.found(node, self._name(node.target.id).own, "is changed by an augmented assignment")
            self._known.bind(self._place, node.target.id, reach.copied())
        else:
            self._assign(node.target, reach, None)

    def _loop(self, target: ast.expr, iterable: ast.expr) -> None:
        reach = self._value(iterable).element()
        pairs = isinstance(iterable, ast.Call) and (
            (isinstance(iterable.func, ast.Attribute) and iterable.func.attr == "items")
            or (isinstance(iterable.func, ast.Name) and iterable.func.id == "enumerate")
        )
        if pairs and isinstance(target, ast.Tuple) and len(target.elts) == 2:
            # The first of each pair is a key or a number: never changeable.
            target = target.elts[1]
        self._assign(target, reach, None)

    def _assign(self, target: ast.expr, reach: Reach, value: ast.expr | None) -> None:
        if isinstance(target, ast.Name):
            self._known.bind(self._place, target.id, reach)
        elif isinstance(target, ast.Starred):
            self._assign(target.value, reach.held(), None)
        elif isinstance(target, ast.Tuple | ast.List):
            parts = value.elts if isinstance(value, ast.Tuple | ast.List) else []
            matched = len(parts) == len(target.elts) and not any(isinstance(p, ast.Starred) for p in parts)
            for position, part in enumerate(target.elts):
                self._assign(part, self._value(parts[position]) if matched else reach.element(), None)
        elif isinstance(target, ast.Subscript | ast.Attribute):
            if isinstance(target, ast.Subscript):
                self._value(target.slice)
            what = "is changed: a part of it is assigned or deleted"
            self._known.found(target, self._value(target.value).own, what)
            self._put_in(target.value, reach)

    def _put_in(self, node: ast.expr, reach: Reach) -> None:
        """`reach` is put into the local container `node`."""
        while not isinstance(node, ast.Name):
            inner = getattr(node, "value", None) or getattr(node, "func", None)
            if not isinstance(inner, ast.expr):
                return
            node = inner
        self._known.bind(self._place, node.id, reach.held())

    # Expressions

    def _name(self, name: str) -> Reach:
        local = self._known.local(self._place, name)
        if name in self._inner:
            return local | self._known.returned(self._inner[name]).held()
        if name in self._bound:
            return local
        self._known.hand_on(name)
        return local | self._known.shared.get(name, NOTHING)

    def _value(self, node: ast.expr) -> Reach:
        if isinstance(node, ast.Constant):
            return NOTHING
        if isinstance(node, ast.Name):
            return self._name(node.id)
        if isinstance(node, ast.Call):
            return self._calls.call(node)
        if isinstance(node, ast.Attribute):
            reach = self._value(node.value)
            if node.attr in MUTATORS:
                self._known.found(node, reach.own, f"is changed: its method {node.attr} is handed on")
            return reach
        if isinstance(node, ast.Subscript):
            self._value(node.slice)
            reach = self._value(node.value)
            return reach.copied() | reach.element() if isinstance(node.slice, ast.Slice) else reach.element()
        if isinstance(node, ast.NamedExpr):
            reach = self._value(node.value)
            self._assign(node.target, reach, node.value)
            return reach
        return self._compound(node)

    def _compound(self, node: ast.expr) -> Reach:
        if isinstance(node, _MAKING):
            return self._made(node)
        if isinstance(node, ast.Lambda):
            for name, default in defaults_of(node):
                self._known.bind(self._place, name, self._value(default))
            return self._value(node.body).held()
        if isinstance(node, ast.Dict):
            pairs = [(key, self._value(value)) for key, value in zip(node.keys, node.values, strict=True)]
            union(self._value(key) for key, _ in pairs if key is not None)
            return union(reach.copied() if key is None else reach.held() for key, reach in pairs)
        if isinstance(node, ast.IfExp):
            self._value(node.test)
            return self._value(node.body) | self._value(node.orelse)
        return self._parts(node)

    def _parts(self, node: ast.expr) -> Reach:
        children = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        spread = union(self._value(child.value).copied() for child in children if isinstance(child, ast.Starred))
        found = union(self._value(child) for child in children if not isinstance(child, ast.Starred))
        if isinstance(node, _PLAIN):
            return NOTHING
        if isinstance(node, ast.BinOp):
            return found.copied()
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            return spread | found.held()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            self._known.give_back(self._function, found.held())
        return spread | found

    def _made(self, node: ast.DictComp | ast.GeneratorExp | ast.ListComp | ast.SetComp) -> Reach:
        for generator in node.generators:
            self._loop(generator.target, generator.iter)
            for condition in generator.ifs:
                self._value(condition)
        if isinstance(node, ast.DictComp):
            self._value(node.key)
            return self._value(node.value).held()
        return self._value(node.elt).held()

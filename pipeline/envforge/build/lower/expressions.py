"""Expressions of a blueprint as Python: names checked, columns checked, helpers called by their embedded names.

A value that is shown (returned to the agent) has its stored booleans and JSON texts converted.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from envforge.build.lower.shapes import (
    ANYTHING,
    Anything,
    ListOf,
    PageOf,
    RowOf,
    Scalar,
    Shape,
    may_be_none,
    merged,
)
from envforge.core.errors import BuildError, ConfigError
from envforge.core.expressions import CHECK_FUNCTIONS, TIME_FUNCTIONS, WORLD_FUNCTIONS, free_names, parse

Scope = dict[str, Shape]
_RESULTS: dict[str, Scalar] = {
    "abs": Scalar("real"),
    "add_days": Scalar(),
    "add_minutes": Scalar(),
    "all": Scalar("boolean"),
    "any": Scalar("boolean"),
    "bool": Scalar("boolean"),
    "date_of": Scalar("date"),
    "days_between": Scalar("integer"),
    "float": Scalar("real"),
    "int": Scalar("integer"),
    "len": Scalar("integer"),
    "minutes_between": Scalar("integer"),
    "round": Scalar("real"),
    "str": Scalar(),
    "sum": Scalar("real"),
    "time_of": Scalar(),
    "weekday_of": Scalar(),
}
_TEXT_METHODS = frozenset({"join", "lower", "replace", "strip", "title", "upper", "zfill"})
_PAGE_FIELDS = ("items", "next_cursor", "has_more")


@dataclass(frozen=True)
class Language:
    """What expressions may call: the views with the columns they need, and the tables ids are minted for."""

    views: Mapping[str, frozenset[str]]
    tables: frozenset[str]

    def functions(self) -> frozenset[str]:
        """All functions besides the builtins."""
        return TIME_FUNCTIONS | CHECK_FUNCTIONS | WORLD_FUNCTIONS | frozenset(self.views)


@dataclass(frozen=True)
class Value:
    """An expression as Python, and what is known about its value."""

    node: ast.expr
    shape: Shape
    names: frozenset[str] = field(default_factory=frozenset[str])

    @property
    def may_be_none(self) -> bool:
        """True unless the value is known to be there."""
        return may_be_none(self.shape)


def compile_expression(text: str, scope: Scope, language: Language, *, where: str, shown: bool = False) -> Value:
    """Python for one expression. Raises BuildError naming `where`."""
    try:
        tree = parse(text, functions=language.functions(), where=where)
    except ConfigError as error:
        raise BuildError(error.message, where=where, remedy=error.remedy) from error
    names = free_names(tree)
    unknown = sorted(names - scope.keys())
    if unknown:
        raise BuildError(
            f"{unknown[0]!r} has no value in {text!r}", where=where, remedy=_near(unknown[0], scope, "defined here")
        )
    node, shape = _Compiler(language, where, text).visit(tree.body, scope, shown)
    return Value(node, shape, frozenset(names))


def _near(name: str, known: Iterable[str], what: str) -> str:
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=3)
    return f"{what}: {', '.join(close or names)}"


class _Compiler:
    def __init__(self, language: Language, where: str, text: str) -> None:
        self._language = language
        self._where = where
        self._text = text

    def fail(self, message: str, remedy: str = "") -> BuildError:
        return BuildError(f"{message} in {self._text!r}", where=self._where, remedy=remedy)

    def visit(self, node: ast.expr, scope: Scope, shown: bool = False) -> tuple[ast.expr, Shape]:
        """The node rewritten and its shape; with `shown`, in the form in which results show it."""
        if isinstance(node, ast.Dict | ast.List | ast.Tuple | ast.Set):
            return self._display(node, scope, shown)
        if isinstance(node, ast.IfExp):
            body, first = self.visit(node.body, scope, shown)
            other, second = self.visit(node.orelse, scope, shown)
            return ast.IfExp(self.plain(node.test, scope), body, other), merged(first, second)
        if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
            return self._comprehension(node, scope, shown)
        fresh, shape = self._leaf(node, scope)
        return (self._show(fresh, shape), ANYTHING) if shown else (fresh, shape)

    def plain(self, node: ast.expr, scope: Scope) -> ast.expr:
        """The node rewritten, as it is stored."""
        return self.visit(node, scope)[0]

    def _leaf(self, node: ast.expr, scope: Scope) -> tuple[ast.expr, Shape]:
        if isinstance(node, ast.Constant):
            return node, _constant_shape(node.value)
        if isinstance(node, ast.Name):
            return node, scope.get(node.id, ANYTHING)
        if isinstance(node, ast.Attribute):
            base, shape = self.visit(node.value, scope)
            return _item(base, node.attr), self._member(shape, node.attr)
        if isinstance(node, ast.Subscript):
            return self._subscript(node, scope)
        if isinstance(node, ast.Call):
            return self._call(node, scope)
        return self._operation(node, scope)

    def _operation(self, node: ast.expr, scope: Scope) -> tuple[ast.expr, Shape]:
        if isinstance(node, ast.BoolOp):
            parts = [self.visit(value, scope) for value in node.values]
            shape = parts[0][1]
            for _, other in parts[1:]:
                shape = merged(shape, other)
            return ast.BoolOp(node.op, [part for part, _ in parts]), shape
        if isinstance(node, ast.UnaryOp):
            operand, shape = self.visit(node.operand, scope)
            return ast.UnaryOp(node.op, operand), Scalar("boolean") if isinstance(node.op, ast.Not) else shape
        if isinstance(node, ast.BinOp):
            left, first = self.visit(node.left, scope)
            right, second = self.visit(node.right, scope)
            return ast.BinOp(left, node.op, right), _sum_shape(first, second)
        if isinstance(node, ast.Compare):
            left, others = self.plain(node.left, scope), [self.plain(other, scope) for other in node.comparators]
            return ast.Compare(left, node.ops, others), Scalar("boolean")
        if isinstance(node, ast.JoinedStr):
            return ast.JoinedStr([self._slot(value, scope) for value in node.values]), Scalar()
        raise self.fail(f"{type(node).__name__} is not supported")

    def _slot(self, node: ast.expr, scope: Scope) -> ast.expr:
        if isinstance(node, ast.FormattedValue):
            return ast.FormattedValue(self.plain(node.value, scope), node.conversion, node.format_spec)
        return node

    def _display(
        self, node: ast.Dict | ast.List | ast.Tuple | ast.Set, scope: Scope, shown: bool
    ) -> tuple[ast.expr, Shape]:
        if isinstance(node, ast.Dict):
            keys = [key and self.plain(key, scope) for key in node.keys]
            return ast.Dict(keys, [self.visit(value, scope, shown)[0] for value in node.values]), ANYTHING
        items = [self.visit(item, scope, shown) for item in node.elts]
        elements = [item for item, _ in items]
        if isinstance(node, ast.Set):
            return ast.Set(elements), ANYTHING
        if isinstance(node, ast.Tuple):
            return ast.Tuple(elements, ast.Load()), ANYTHING
        shapes = {shape for _, shape in items if isinstance(shape, Scalar)}
        same = shapes.pop() if len(shapes) == 1 and not shown else ANYTHING
        return ast.List(elements, ast.Load()), ListOf(same)

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, scope: Scope, shown: bool
    ) -> tuple[ast.expr, Shape]:
        inner = dict(scope)
        clauses: list[ast.comprehension] = []
        for clause in node.generators:
            source, shape = self.visit(clause.iter, inner)
            if isinstance(shape, PageOf):
                raise self.fail("a page is not a list", "its rows are `name.items`")
            self._bind(clause.target, _element(shape), inner)
            clauses.append(
                ast.comprehension(clause.target, source, [self.plain(test, inner) for test in clause.ifs], 0)
            )
        if isinstance(node, ast.DictComp):
            key, value = self.plain(node.key, inner), self.visit(node.value, inner, shown)[0]
            return ast.DictComp(key, value, clauses), ANYTHING
        element, shape = self.visit(node.elt, inner, shown)
        return type(node)(element, clauses), ListOf(shape)

    def _bind(self, target: ast.expr, shape: Shape, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            scope[target.id] = shape
            return
        for name in ast.walk(target):
            if isinstance(name, ast.Name):
                scope[name.id] = ANYTHING

    def _member(self, shape: Shape, name: str) -> Shape:
        if isinstance(shape, RowOf):
            if name in shape.columns:
                return shape.columns[name]
            if not shape.open:
                raise self.fail(f"{shape.label} has no column {name!r}", _near(name, shape.columns, "columns"))
        if isinstance(shape, PageOf):
            if name not in _PAGE_FIELDS:
                raise self.fail(f"a page has no {name!r}", "a page has items, next_cursor and has_more")
            if name == "items":
                return ListOf(shape.element)
            return Scalar("boolean") if name == "has_more" else Scalar("text", nullable=True)
        if isinstance(shape, Scalar | ListOf):
            raise self.fail(f"only rows and objects have members such as {name!r}")
        return ANYTHING

    def _subscript(self, node: ast.Subscript, scope: Scope) -> tuple[ast.expr, Shape]:
        base, shape = self.visit(node.value, scope)
        index = node.slice
        if isinstance(index, ast.Slice):
            bounds = [part and self.plain(part, scope) for part in (index.lower, index.upper, index.step)]
            return ast.Subscript(base, ast.Slice(*bounds), ast.Load()), shape
        if isinstance(index, ast.Constant) and isinstance(index.value, str):
            return _item(base, index.value), self._member(shape, index.value)
        return ast.Subscript(base, self.plain(index, scope), ast.Load()), _element(shape)

    def _call(self, node: ast.Call, scope: Scope) -> tuple[ast.expr, Shape]:
        parts = [self.visit(argument, scope) for argument in node.args]
        arguments = [argument for argument, _ in parts]
        keywords = [ast.keyword(keyword.arg, self.plain(keyword.value, scope)) for keyword in node.keywords]
        if isinstance(node.func, ast.Attribute):
            return self._method(node.func, arguments, keywords, scope)
        assert isinstance(node.func, ast.Name)  # core.expressions admits nothing else
        name = node.func.id
        if name in self._language.views:
            self._check_view(name, parts)
            return _named_call(f"_{name}", arguments, keywords), ANYTHING
        if name in WORLD_FUNCTIONS:
            return self._world_call(name, node)
        if name in TIME_FUNCTIONS | CHECK_FUNCTIONS:
            return _named_call(f"_{name}", arguments, keywords), _RESULTS.get(name, Scalar("boolean"))
        shape: Shape = _RESULTS.get(name, ANYTHING)
        if name in ("list", "sorted") and parts and isinstance(parts[0][1], ListOf):
            shape = parts[0][1]
        return _named_call(name, arguments, keywords), shape

    def _method(
        self, function: ast.Attribute, arguments: list[ast.expr], keywords: list[ast.keyword], scope: Scope
    ) -> tuple[ast.expr, Shape]:
        base, shape = self.visit(function.value, scope)
        if isinstance(shape, PageOf):
            raise self.fail(f"a page has no method {function.attr}()", "its rows are `name.items`, without ()")
        result: Shape = Scalar() if function.attr in _TEXT_METHODS else ANYTHING
        first = arguments[0] if arguments else None
        if function.attr == "get" and isinstance(shape, RowOf) and isinstance(first, ast.Constant):
            known = shape.columns.get(str(first.value))
            result = Scalar(known.type, True, known.stored) if known else ANYTHING
        return ast.Call(ast.Attribute(base, function.attr, ast.Load()), arguments, keywords), result

    def _check_view(self, name: str, parts: list[tuple[ast.expr, Shape]]) -> None:
        if len(parts) != 1:
            raise self.fail(f"{name}() takes one row")
        shape = parts[0][1]
        if isinstance(shape, RowOf):
            missing = sorted(self._language.views[name] - shape.columns.keys())
            if missing and not shape.open:
                raise self.fail(f"{name}() needs the column {missing[0]!r}, which {shape.label} lacks")
        elif not isinstance(shape, Anything):
            raise self.fail(f"{name}() takes a row")

    def _world_call(self, name: str, node: ast.Call) -> tuple[ast.expr, Shape]:
        wanted = 1 if name == "new_id" else 0
        table = node.args[0] if len(node.args) == 1 else None
        if len(node.args) != wanted or node.keywords:
            raise self.fail(f"{name}() takes {wanted} arguments")
        if table is not None and not (isinstance(table, ast.Constant) and table.value in self._language.tables):
            raise self.fail("new_id() takes the name of a table", _near("", self._language.tables, "tables"))
        call = ast.Call(ast.Attribute(ast.Name("world", ast.Load()), name, ast.Load()), list(node.args), [])
        return call, Scalar("timestamp" if name == "now" else "any")

    def _show(self, node: ast.expr, shape: Shape) -> ast.expr:
        if isinstance(shape, Scalar) and shape.converts:
            if shape.type == "json":
                return _named_call("_parsed", [node], [])
            return _named_call("_flag" if shape.nullable else "bool", [node], [])
        if isinstance(shape, RowOf):
            return self._show_row(node, shape)
        if isinstance(shape, ListOf):
            row = ast.Name("row", ast.Load())
            element = self._show(row, shape.element)
            if element is row:
                return node
            target = ast.Name("row", ast.Store())
            return ast.ListComp(element, [ast.comprehension(target, node, [], 0)])
        if isinstance(shape, PageOf):
            items = self._show(_item(node, "items"), ListOf(shape.element))
            return node if isinstance(items, ast.Subscript) else _extended(node, {"items": items})
        return node

    def _show_row(self, node: ast.expr, shape: RowOf) -> ast.expr:
        changed = {
            name: self._show(_item(node, name), column) for name, column in shape.columns.items() if column.converts
        }
        if not changed:
            return node
        whole = _extended(node, changed)
        if not shape.optional:
            return whole
        test = ast.Compare(node, [ast.Is()], [ast.Constant(None)])
        return ast.IfExp(test, ast.Constant(None), whole)


def _extended(node: ast.expr, changed: Mapping[str, ast.expr]) -> ast.Dict:
    return ast.Dict([None, *(ast.Constant(name) for name in changed)], [node, *changed.values()])


def _item(base: ast.expr, name: str) -> ast.Subscript:
    return ast.Subscript(base, ast.Constant(name), ast.Load())


def _named_call(name: str, arguments: list[ast.expr], keywords: list[ast.keyword]) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), arguments, keywords)


def _element(shape: Shape) -> Shape:
    return shape.element if isinstance(shape, ListOf) else ANYTHING


def _constant_shape(value: object) -> Shape:
    if value is None:
        return Scalar("any", nullable=True)
    kinds: dict[type[object], str] = {bool: "boolean", int: "integer", float: "real"}
    return Scalar(kinds.get(type(value), "text"))


def _sum_shape(first: Shape, second: Shape) -> Shape:
    if isinstance(first, Scalar) and isinstance(second, Scalar):
        return Scalar(first.type if first.type == second.type else "real")
    return first if isinstance(first, ListOf) and first == second else ANYTHING

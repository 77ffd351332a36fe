"""Policies of goals: an expression per candidate row, evaluated on the host within bounds.

A tree walker over the closed language of core/expressions: each step is counted and each value is measured, so that no
expression, whoever wrote it, costs more than a moment.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias, cast

from envforge.core import times
from envforge.core.errors import BuildError
from envforge.core.expressions import METHODS, TIME_FUNCTIONS, item_access, parse
from envforge.synth.rejection import UnfitError

MOST_STEPS = 100_000
MOST_LENGTH = 20_000
"""Characters of a text, items of a collection."""
MOST_CELLS = 1_000_000
"""Of all values together."""
_MOST_BITS = 256
_Names: TypeAlias = Mapping[str, Any]
_PLAIN: dict[str, Callable[..., Any]] = {
    **{f.__name__: f for f in (abs, all, any, bool, dict, enumerate, float, int, len, list, max, min, round, set)},
    **{f.__name__: f for f in (sorted, str, sum, zip)},
    **{name: getattr(times, name) for name in TIME_FUNCTIONS},
}
_OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, items: item in items,
    ast.NotIn: lambda item, items: item not in items,
}
_ERRORS = (TypeError, ValueError, KeyError, IndexError, ArithmeticError, AttributeError, BuildError, RecursionError)


class _Bounded(Exception):
    """The expression takes too long or a value is too large."""


class Policy:
    """A condition on a candidate row. `holds` is True or False; raises UnfitError where it has no value."""

    def __init__(self, text: str, where: str) -> None:
        """Raises ConfigError when the text is not in the language."""
        self._tree = item_access(parse(text, functions=TIME_FUNCTIONS, where=where)).body
        self.text = text

    def holds(self, row: Mapping[str, Any], names: Mapping[str, Any]) -> bool:
        """Whether the policy chooses `row`; `names` are the parameters."""
        walker = _Walker()
        try:
            return bool(walker.value(self._tree, {**names, "row": dict(row)}))
        except _Bounded as error:
            raise UnfitError("policy", f"{error}: {self.text}") from error
        except _ERRORS as error:
            raise UnfitError("policy", f"{type(error).__name__}: {error} in {self.text}"[:500]) from error


class _Walker:
    """One evaluation."""

    def __init__(self) -> None:
        self._steps = 0
        self._cells = 0

    def value(self, node: ast.AST, names: _Names) -> Any:
        self._step()
        method = cast("Callable[[ast.AST, _Names], Any]", getattr(self, f"_{type(node).__name__.lower()}"))
        value = method(node, names)
        self._cells += _size(value)
        if self._cells > MOST_CELLS:
            raise _Bounded("its values are too many")
        return value

    def _step(self) -> None:
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise _Bounded(f"takes more than {MOST_STEPS} steps")

    def _items(self, values: Iterable[Any]) -> Iterator[Any]:
        for item in values:
            self._step()
            yield item

    def _constant(self, node: ast.Constant, _: _Names) -> Any:
        return node.value

    def _name(self, node: ast.Name, names: _Names) -> Any:
        return names[node.id]

    def _subscript(self, node: ast.Subscript, names: _Names) -> Any:
        return self.value(node.value, names)[self.value(node.slice, names)]

    def _slice(self, node: ast.Slice, names: _Names) -> Any:
        parts = (node.lower, node.upper, node.step)
        return slice(*(None if part is None else self.value(part, names) for part in parts))

    def _boolop(self, node: ast.BoolOp, names: _Names) -> Any:
        value: Any = None
        for part in node.values:
            value = self.value(part, names)
            if bool(value) is isinstance(node.op, ast.Or):
                break
        return value

    def _unaryop(self, node: ast.UnaryOp, names: _Names) -> Any:
        value = self.value(node.operand, names)
        return not value if isinstance(node.op, ast.Not) else -value

    def _binop(self, node: ast.BinOp, names: _Names) -> Any:
        left, right = self.value(node.left, names), self.value(node.right, names)
        if isinstance(node.op, ast.Mult | ast.Mod):
            # Text and lists grow by *, formats by %: only numbers may.
            if not isinstance(left, int | float) or not isinstance(right, int | float):
                raise TypeError("* and % are for numbers")
            return left * right if isinstance(node.op, ast.Mult) else left % right
        return _OPERATORS[type(node.op)](left, right)

    def _compare(self, node: ast.Compare, names: _Names) -> Any:
        left = self.value(node.left, names)
        for how, part in zip(node.ops, node.comparators, strict=True):
            right = self.value(part, names)
            if not _OPERATORS[type(how)](left, right):
                return False
            left = right
        return True

    def _ifexp(self, node: ast.IfExp, names: _Names) -> Any:
        return self.value(node.body if self.value(node.test, names) else node.orelse, names)

    def _list(self, node: ast.List | ast.Tuple | ast.Set, names: _Names) -> Any:
        return [self.value(item, names) for item in node.elts]

    def _tuple(self, node: ast.Tuple, names: _Names) -> Any:
        return tuple(self._list(node, names))

    def _set(self, node: ast.Set, names: _Names) -> Any:
        return set(self._list(node, names))

    def _dict(self, node: ast.Dict, names: _Names) -> Any:
        pairs = zip(node.keys, node.values, strict=True)
        return {self.value(cast("ast.expr", key), names): self.value(value, names) for key, value in pairs}

    def _joinedstr(self, node: ast.JoinedStr, names: _Names) -> Any:
        return "".join(str(self.value(part, names)) for part in node.values)

    def _formattedvalue(self, node: ast.FormattedValue, names: _Names) -> Any:
        if node.format_spec is not None:
            raise ValueError("a format specification has no place in a policy")
        return str(self.value(node.value, names))

    def _listcomp(self, node: ast.ListComp, names: _Names) -> Any:
        return [self.value(node.elt, inner) for inner in self._bindings(node.generators, names)]

    def _setcomp(self, node: ast.SetComp, names: _Names) -> Any:
        return {self.value(node.elt, inner) for inner in self._bindings(node.generators, names)}

    def _generatorexp(self, node: ast.GeneratorExp, names: _Names) -> Any:
        return [self.value(node.elt, inner) for inner in self._bindings(node.generators, names)]

    def _dictcomp(self, node: ast.DictComp, names: _Names) -> Any:
        inner = self._bindings(node.generators, names)
        return {self.value(node.key, each): self.value(node.value, each) for each in inner}

    def _bindings(self, generators: list[ast.comprehension], names: _Names) -> Iterator[_Names]:
        if not generators:
            yield names
            return
        first, rest = generators[0], generators[1:]
        for item in self._items(self.value(first.iter, names)):
            inner = {**names, **_bound(first.target, item)}
            if all(self.value(condition, inner) for condition in first.ifs):
                yield from self._bindings(rest, inner)

    def _call(self, node: ast.Call, names: _Names) -> Any:
        given = [self.value(argument, names) for argument in node.args]
        named = {str(keyword.arg): self.value(keyword.value, names) for keyword in node.keywords}
        if isinstance(node.func, ast.Name):
            return _function(node.func.id, given, named)
        function = cast("ast.Attribute", node.func)
        return _method(self.value(function.value, names), function.attr, given, named)


def _function(name: str, given: list[Any], named: dict[str, Any]) -> Any:
    if name == "range":
        numbers = range(*given)
        if len(numbers) > MOST_LENGTH:
            raise _Bounded("a range is too long")
        return list(numbers)
    value = _PLAIN[name](*given, **named)
    return list(value) if name in ("enumerate", "zip") else value


def _method(value: Any, name: str, given: list[Any], named: dict[str, Any]) -> Any:
    if name not in METHODS or not isinstance(value, str | dict):
        raise TypeError(f"{type(value).__name__} has no method {name}")
    if isinstance(value, str) and _grown(value, name, given) > MOST_CELLS:
        raise _Bounded("a text is too long")
    result = getattr(cast("Any", value), name)(*given, **named)
    return list(result) if name in ("items", "keys", "values") else result


def _grown(text: str, method: str, given: list[Any]) -> int:
    """An upper bound of the length of what the method makes of `text`."""
    if method == "zfill" and given:
        return int(given[0])
    if method == "replace" and len(given) > 1:
        return (len(text) + 1) * (len(str(given[1])) + 1)
    if method == "join" and given:
        items = [str(item) for item in given[0]]
        return len(text) * len(items) + sum(map(len, items))
    return len(text)


def _bound(target: ast.expr, item: Any) -> dict[str, Any]:
    if isinstance(target, ast.Name):
        return {target.id: item}
    if not isinstance(target, ast.Tuple | ast.List):
        raise TypeError("a loop binds names")
    found: dict[str, Any] = {}
    for part, value in zip(target.elts, item, strict=True):
        found.update(_bound(part, value))
    return found


def _size(value: Any) -> int:
    """Characters or items of a value. Raises _Bounded when it is too large."""
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        raise _Bounded("a number is too large")
    size = len(cast("Any", value)) if isinstance(value, str | list | tuple | set | dict) else 0
    if size > MOST_LENGTH:
        raise _Bounded("a value is too long")
    return size

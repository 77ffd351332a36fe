"""What a module-level value of tools.py is: frozen, changeable, or holding something changeable. Reads code only."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_FROZEN_CALLS = frozenset(
    {"abs", "bool", "bytes", "chr", "complex", "float", "int", "len", "ord", "pow", "range", "repr", "round", "str"}
    | {"collections.namedtuple", "decimal.Decimal", "fractions.Fraction", "re.compile", "re.escape", "textwrap.dedent"}
    | {"typing.NewType", "typing.TypeVar"}
)
_FROZEN_MODULES = ("datetime.", "math.", "unicodedata.")
_COPIES = frozenset(
    {"collections.Counter", "collections.OrderedDict", "collections.deque", "dict", "list", "set", "sorted", "sum"}
)
_FROZEN_COPIES = frozenset({"frozenset", "max", "min", "tuple"})
_PASSING = frozenset({"enumerate", "reversed", "zip"})
_VIEWS = frozenset({"items", "keys", "values"})
_LISTING = frozenset({"partition", "rpartition", "rsplit", "split", "splitlines"})
"""Methods of text that give a list (or a tuple) of texts."""
_BUILTINS = frozenset(dir(builtins))


@dataclass(frozen=True)
class Shape:
    """`own`: the value can be changed itself; `inside`: something that it holds can be, at any depth."""

    own: bool = False
    inside: bool = False

    def __or__(self, other: Shape) -> Shape:
        return Shape(self.own or other.own, self.inside or other.inside)

    @property
    def frozen(self) -> bool:
        """True when nothing in it can be changed."""
        return not (self.own or self.inside)

    def element(self) -> Shape:
        """Of what it holds."""
        return Shape(self.inside, self.inside)


FROZEN = Shape()


class Unreadable(Exception):
    """The value cannot be told from the code."""


def qualified(node: ast.expr, imports: Mapping[str, str]) -> str:
    """`re.compile` for what a name or an attribute of an import stands for, a builtin's own name; "" for others."""
    if isinstance(node, ast.Name):
        return imports.get(node.id, node.id if node.id in _BUILTINS else "")
    if isinstance(node, ast.Attribute):
        owner = qualified(node.value, imports)
        return f"{owner}.{node.attr}" if owner else ""
    return ""


class Values:
    """Shapes of module-level expressions, given those of the names before them."""

    def __init__(self, imports: Mapping[str, str], functions: frozenset[str]) -> None:
        self._imports = imports
        self._functions = functions
        self.known: dict[str, Shape] = {}

    def shape(self, node: ast.expr) -> Shape:
        """The value's shape. Raises Unreadable for iterators and for what the code does not tell."""
        if isinstance(node, ast.Constant | ast.JoinedStr | ast.Compare | ast.Lambda):
            return FROZEN
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            return Shape(not isinstance(node, ast.Tuple), self._hold(node.elts))
        if isinstance(node, ast.Dict):
            pairs = list(zip(node.keys, node.values, strict=True))
            spread = [self.shape(value).inside for key, value in pairs if key is None]
            return Shape(True, any(spread) or self._hold([value for key, value in pairs if key is not None]))
        if isinstance(node, ast.Name | ast.Attribute):
            return self._named(node)
        if isinstance(node, ast.ListComp | ast.SetComp):
            return Shape(True, self._made(node.generators, [node.elt]))
        if isinstance(node, ast.DictComp):
            return Shape(True, self._made(node.generators, [node.value]))
        if isinstance(node, ast.Call):
            return self._called(node)
        return self._operation(node)

    def _operation(self, node: ast.expr) -> Shape:
        if isinstance(node, ast.BinOp):
            return self.shape(node.left) | self.shape(node.right)
        if isinstance(node, ast.UnaryOp):
            return self.shape(node.operand)
        if isinstance(node, ast.BoolOp):
            return _union([self.shape(value) for value in node.values])
        if isinstance(node, ast.IfExp):
            return self.shape(node.body) | self.shape(node.orelse)
        if isinstance(node, ast.Subscript):
            return self.shape(node.value).element()
        raise Unreadable

    def _named(self, node: ast.Name | ast.Attribute) -> Shape:
        if isinstance(node, ast.Name) and node.id in self.known:
            return self.known[node.id]
        if isinstance(node, ast.Name) and node.id in self._functions:
            return FROZEN
        if not qualified(node, self._imports):
            raise Unreadable
        return FROZEN

    def _hold(self, nodes: Sequence[ast.expr]) -> bool:
        """True when one of the values of a display can be changed or holds what can be."""
        found = False
        for node in nodes:
            shape = self.shape(node.value).element() if isinstance(node, ast.Starred) else self.shape(node)
            found = found or not shape.frozen
        return found

    def _made(self, generators: Sequence[ast.comprehension], values: Sequence[ast.expr]) -> bool:
        """As `_hold`, for the values of a comprehension."""
        before = dict(self.known)
        try:
            for generator in generators:
                element = self._iterated(generator.iter).element()
                names = [node.id for node in ast.walk(generator.target) if isinstance(node, ast.Name)]
                self.known.update(dict.fromkeys(names, element))
            return self._hold(values)
        finally:
            self.known = before

    def _iterated(self, node: ast.expr) -> Shape:
        """As `shape`, for a value that is used up on the spot: it may be an iterator."""
        if isinstance(node, ast.Starred):
            return self._iterated(node.value)
        if isinstance(node, ast.GeneratorExp):
            return Shape(False, self._made(node.generators, [node.elt]))
        if isinstance(node, ast.Call) and qualified(node.func, self._imports) in _PASSING:
            return Shape(False, any(self._iterated(one).inside for one in node.args))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _VIEWS:
            return Shape(False, self.shape(node.func.value).inside)
        return self.shape(node)

    def _called(self, node: ast.Call) -> Shape:
        name = qualified(node.func, self._imports)
        copies = name in _COPIES or name in _FROZEN_COPIES
        given = [(self._iterated if copies else self.shape)(one) for one in node.args]
        named = [self.shape(keyword.value) for keyword in node.keywords]
        if name in _FROZEN_CALLS or name.startswith(_FROZEN_MODULES):
            return FROZEN
        inside = _union(given).inside or any(not shape.frozen for shape in named)
        if name in _COPIES:
            return Shape(True, inside)
        if name in _FROZEN_COPIES:
            return Shape(inside, inside) if name in ("max", "min") else Shape(False, inside)
        if name == "json.loads":
            return Shape(True, True)
        if name in ("dict.fromkeys", "str.maketrans"):
            return Shape(True, any(not shape.frozen for shape in given[1:]))
        return self._method(node.func)

    def _method(self, function: ast.expr) -> Shape:
        """A method of a text that stands there."""
        if not (isinstance(function, ast.Attribute) and self._is_text(function.value)):
            raise Unreadable
        return Shape(own=function.attr in _LISTING)

    def _is_text(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return node.func.attr not in _LISTING and self._is_text(node.func.value)
        return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _union(shapes: Sequence[Shape]) -> Shape:
    found = FROZEN
    for shape in shapes:
        found |= shape
    return found

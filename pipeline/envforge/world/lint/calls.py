"""What calls do with module-level values: whom they reach, what comes back, what is changed. Reads code only."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from envforge.world.lint.reach import NOTHING, Function, Known, Reach, union

MUTATORS = frozenset(
    {"add", "append", "appendleft", "clear", "difference_update", "discard", "extend", "extendleft", "insert"}
    | {"intersection_update", "move_to_end", "pop", "popitem", "popleft", "remove", "reverse", "rotate", "setdefault"}
    | {"sort", "subtract", "symmetric_difference_update", "update"}
)
"""Methods that change a list, dict, set, deque, Counter or OrderedDict: no other module-level value is let through."""
_COPYING = frozenset({"copy", "elements", "items", "keys", "most_common", "values"})
_TEXT = frozenset({"count", "endswith", "format", "format_map", "index", "join", "startswith", "translate"})
"""Methods that only read their arguments and give texts and numbers."""
TOOL_ERROR = "envforge.world.api.ToolError"
_RESUMING = frozenset({"send", "throw"})
_READS = frozenset(
    {"abs", "all", "any", "ascii", "bool", "bytes", "callable", "float", "format", "int", "isinstance", "issubclass"}
    | {"len", "print", "range", "repr", "round", "str", "type", "bisect.bisect", "bisect.bisect_left"}
    | {"bisect.bisect_right", "json.dumps", TOOL_ERROR}
)
_READING_MODULES = (
    *("datetime.", "decimal.", "fractions.", "math.", "re.", "str.", "string.", "textwrap.", "unicodedata."),
)
_COPIES = frozenset(
    {"dict", "enumerate", "frozenset", "iter", "list", "reversed", "set", "sorted", "sum", "tuple", "zip"}
    | {"collections.Counter", "collections.OrderedDict", "collections.defaultdict", "collections.deque"}
)
_PICKS = frozenset({"functools.reduce", "max", "min", "next"})
_APPLIES = frozenset({"filter", "functools.reduce", "map"})
_APPLYING_MODULE = "itertools."


@dataclass(frozen=True)
class Arguments:
    """What a call passes: by position, by name, and `spread` (with * or **), which may go anywhere."""

    given: Sequence[Reach] = ()
    named: Mapping[str, Reach] | None = None
    spread: Reach = NOTHING

    @property
    def every(self) -> Reach:
        """All of them."""
        return union([*self.given, *(self.named or {}).values(), self.spread])


class Calls:
    """Calls inside one module function.

    `bound`: names that it or a function inside it binds, `inner`: functions inside it by names that mean nothing else;
    `value` gives the reach of an expression, `put_in` fills a local container.
    """

    def __init__(
        self,
        known: Known,
        place: str,
        bound: frozenset[str],
        inner: Mapping[str, Function],
        value: Callable[[ast.expr], Reach],
        put_in: Callable[[ast.expr, Reach], None],
    ) -> None:
        self._known = known
        self._place = place
        self._bound = bound
        self._inner = inner
        self._value = value
        self._put_in = put_in

    def call(self, node: ast.Call) -> Reach:
        """What a call may give."""
        given = [self._value(one) for one in node.args if not isinstance(one, ast.Starred)]
        named = {one.arg: self._value(one.value) for one in node.keywords if one.arg is not None}
        spread = [self._value(one.value) for one in node.args if isinstance(one, ast.Starred)]
        spread += [self._value(one.value) for one in node.keywords if one.arg is None]
        everywhere = union(spread).element()
        if len(given) < len(node.args):
            everywhere |= union(given)  # behind a *, nobody knows which position it has
        return self._apply(node.func, Arguments(given, named, everywhere), node)

    def _apply(self, function: ast.expr, arguments: Arguments, node: ast.Call) -> Reach:
        ours = self.function(function)
        if ours is not None:
            return self._enter(ours, arguments)
        name = self._known.qualified(function)
        if name and self._root(function) not in (self._bound | self._known.shared.keys()):
            return self._library(name, arguments, node)
        if isinstance(function, ast.Attribute):
            return self._method(function, arguments.every, node)
        callee = self._value(function)
        self._unknown(node, function, arguments.every)
        return callee.element() | self._known.by_value()

    @staticmethod
    def _root(node: ast.expr) -> str:
        while isinstance(node, ast.Attribute):
            node = node.value
        return node.id if isinstance(node, ast.Name) else ""

    def function(self, node: ast.expr) -> Function | None:
        """The function of this module that an expression names, or is."""
        if isinstance(node, ast.Lambda):
            return node
        if not isinstance(node, ast.Name):
            return None
        if node.id in self._inner:
            return self._inner[node.id]
        return None if node.id in self._bound or node.id in self._known.renamed else self._known.functions.get(node.id)

    def _enter(self, function: Function, arguments: Arguments) -> Reach:
        """Arguments reach the parameters; what the function returns comes back."""
        place = self._known.place_of(function)
        self._fill(place or self._place, function.args, arguments)
        if isinstance(function, ast.Lambda) and place is None:
            return self._value(function.body)
        return self._known.returned(function)

    def _fill(self, place: str, parameters: ast.arguments, arguments: Arguments) -> None:
        positional = [one.arg for one in [*parameters.posonlyargs, *parameters.args]]
        names = {*positional, *(one.arg for one in parameters.kwonlyargs)}
        for name, reach in zip(positional, arguments.given, strict=False):
            self._known.bind(place, name, reach)
        for name in sorted(names):
            self._known.bind(place, name, arguments.spread | (arguments.named or {}).get(name, NOTHING))
        if parameters.vararg is not None:
            rest = union([*arguments.given[len(positional) :], arguments.spread])
            self._known.bind(place, parameters.vararg.arg, rest.held())
        if parameters.kwarg is not None:
            rest = union([r for name, r in (arguments.named or {}).items() if name not in names])
            self._known.bind(place, parameters.kwarg.arg, (rest | arguments.spread).held())

    def _library(self, name: str, arguments: Arguments, node: ast.Call) -> Reach:
        """A builtin, or something of the standard library."""
        made = self._callbacks(name, arguments, node)
        every = arguments.every
        if name == TOOL_ERROR:
            self._known.put_in_errors(every)
        if not every or name in _READS:
            return made
        if name.startswith(_READING_MODULES):
            return made | every.element()
        if name == "typing.cast":
            return every
        if name in _PICKS:
            # min(a, b) and next(it, default) give an argument itself.
            return made | every.element() | (every if len(arguments.given) > 1 or arguments.named else NOTHING)
        if name in _COPIES:
            named = union((arguments.named or {}).values())
            return union(one.copied() for one in arguments.given) | named.held() | arguments.spread.held()
        if name == "dict.fromkeys" or name in _APPLIES or name.startswith((_APPLYING_MODULE, "statistics.")):
            return made | every.held() | every.element()
        self._unknown(node, node.func, every)
        return every

    def _callbacks(self, name: str, arguments: Arguments, node: ast.Call) -> Reach:
        """Functions that are passed along get what is passed beside them; what they make comes back."""
        every = arguments.every
        folds = name == "functools.reduce" or name.startswith(_APPLYING_MODULE)
        elements = every | every.element() if folds else every.element()
        passed = [*node.args, *(keyword.value for keyword in node.keywords)]
        callbacks = [one for one in passed if self.function(one) is not None]
        callbacks += [one.value for one in node.keywords if one.arg == "key" or name.startswith("json.")]
        callbacks += node.args[:1] if name in _APPLIES else []
        made = NOTHING
        for one in dict.fromkeys(callbacks):
            if not isinstance(one, ast.Constant):
                made |= self._hand(one, elements, node)
        applies = name in _APPLIES or name.startswith(_APPLYING_MODULE)
        return made | made.held() if applies else NOTHING

    def _hand(self, function: ast.expr, elements: Reach, node: ast.Call) -> Reach:
        """`function` is called with elements; what it gives."""
        ours = self.function(function)
        if ours is not None:
            return self._enter(ours, Arguments([elements, elements]))
        name = self._known.qualified(function)
        if not (name in _READS or name in _COPIES or name.startswith(_READING_MODULES)):
            self._unknown(node, function, elements)
        return self._value(function).element() | elements.element() | self._known.by_value()

    def _method(self, function: ast.Attribute, every: Reach, node: ast.Call) -> Reach:
        owner, method = function.value, function.attr
        reach = self._value(owner)
        if method in MUTATORS:
            self._known.found(node, reach.own, f"is changed by .{method}()")
        if method in _RESUMING:
            self._unknown(node, function, every)
        for keyword in node.keywords:
            if keyword.arg == "key":
                self._hand(keyword.value, reach.element(), node)
        if method in _TEXT:
            return NOTHING
        if isinstance(owner, ast.Name) and owner.id == "world":
            return reach.element()
        self._put_in(owner, every)
        return (reach.copied() if method in _COPYING else reach.element()) | every | every.element()

    def _unknown(self, node: ast.AST, function: ast.expr, reach: Reach) -> None:
        what = f"is passed to {ast.unparse(function)[:60]}, which may change it"
        self._known.found(node, reach.own | reach.inside, what)

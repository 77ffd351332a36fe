"""What is known so far: which module-level values may be where. Reads code only."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from envforge.world.lint.values import Shape, qualified

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Reach:
    """Which module-level values (by what they are called) an expression may be, or may hold."""

    own: frozenset[str] = frozenset()
    inside: frozenset[str] = frozenset()

    @classmethod
    def of(cls, name: str, shape: Shape) -> Reach:
        """A module-level value itself."""
        one, none = frozenset({name}), frozenset[str]()
        return cls(one if shape.own else none, one if shape.inside else none)

    def __or__(self, other: Reach) -> Reach:
        return Reach(self.own | other.own, self.inside | other.inside)

    def __bool__(self) -> bool:
        return bool(self.own or self.inside)

    def element(self) -> Reach:
        """What it holds."""
        return Reach(self.inside, self.inside)

    def copied(self) -> Reach:
        """A new container of what it holds."""
        return Reach(inside=self.inside)

    def held(self) -> Reach:
        """A new container that holds it."""
        return Reach(inside=self.own | self.inside)


NOTHING = Reach()


def union(reaches: Iterable[Reach]) -> Reach:
    """All of them."""
    found = NOTHING
    for reach in reaches:
        found |= reach
    return found


class Known:
    """Names, results and findings of one module; grows until a pass over it adds nothing."""

    def __init__(self, tree: ast.Module, imports: Mapping[str, str], shared: Mapping[str, Reach]) -> None:
        self.imports = imports
        self.shared = shared
        self.functions: dict[str, Function] = {node.name: node for node in tree.body if isinstance(node, DEFINITIONS)}
        for node in tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
                self.functions |= {t.id: node.value for t in node.targets if isinstance(t, ast.Name)}
        named = {id(function) for function in self.functions.values()}
        others = {f"a lambda of line {one.lineno}, {one.col_offset}": one for one in _outer_lambdas(tree)}
        self._handed_on: set[str] = {name for name, one in others.items() if id(one) not in named}
        self.functions |= {name: others[name] for name in sorted(self._handed_on)}
        self.findings: set[tuple[int, str]] = set()
        self.grown = False
        self.renamed = _bound_twice(tree)
        self.errors = NOTHING
        self._places = {id(function): name for name, function in self.functions.items()}
        self._names: dict[tuple[str, str], Reach] = {}
        self._returns: dict[int, Reach] = {}

    def bind(self, place: str, name: str, reach: Reach) -> None:
        """A name inside the module function `place` may be it."""
        before = self._names.get((place, name), NOTHING)
        if before | reach != before:
            self._names[place, name] = before | reach
            self.grown = True

    def local(self, place: str, name: str) -> Reach:
        """What a name inside the module function `place` may be."""
        return self._names.get((place, name), NOTHING)

    def put_in_errors(self, reach: Reach) -> None:
        """An error carries it: whoever catches one may hold it."""
        if self.errors | reach.held() != self.errors:
            self.errors |= reach.held()
            self.grown = True

    def give_back(self, function: Function, reach: Reach) -> None:
        """`function` may return it."""
        before = self.returned(function)
        if before | reach != before:
            self._returns[id(function)] = before | reach
            self.grown = True

    def returned(self, function: Function) -> Reach:
        """What `function` may return."""
        return self._returns.get(id(function), NOTHING)

    def hand_on(self, name: str) -> None:
        """A module function is used as a value: it may be called from anywhere."""
        if name in self.functions and name not in self._handed_on:
            self._handed_on.add(name)
            self.grown = True

    def by_value(self) -> Reach:
        """What a call of an unknown function may return."""
        return union(self.returned(self.functions[name]) for name in self._handed_on)

    def place_of(self, function: Function) -> str | None:
        """The name of a module function; None for an inner one."""
        return self._places.get(id(function))

    def qualified(self, node: ast.expr) -> str:
        """As `values.qualified`, with this module's imports."""
        return qualified(node, self.imports)

    def found(self, node: ast.AST, names: frozenset[str], what: str) -> None:
        """The values called `names` are changed at `node`."""
        self.findings |= {(getattr(node, "lineno", 0), f"{name} {what}") for name in names}


def _bound_twice(tree: ast.Module) -> frozenset[str]:
    """Module functions whose name means something else too."""
    names = [node.name for node in tree.body if isinstance(node, DEFINITIONS)]
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        named = [one for target in targets for one in ast.walk(target)]
        names += [one.id for one in named if isinstance(one, ast.Name)]
    return frozenset(name for name in names if names.count(name) > 1)


def shadowing_names(function: Function) -> frozenset[str]:
    """Names that the function or any function or comprehension inside it binds."""
    names: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        names |= set(names_bound_by(node))
        if isinstance(node, DEFINITIONS) and node is not function:
            names.add(node.name)
    return frozenset(names)


def inner_functions(function: Function) -> dict[str, Function]:
    """Functions inside it, by names that mean nothing else there."""
    found = [node for node in ast.walk(function) if isinstance(node, DEFINITIONS) and node is not function]
    names = [node.name for node in found]
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            names.append(node.arg)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.append(node.id)
    return {node.name: node for node in found if names.count(node.name) == 1}


def _outer_lambdas(tree: ast.Module) -> Iterator[ast.Lambda]:
    """Lambdas that are made when the module is loaded."""
    for statement in tree.body:
        defaults = [default for _, default in defaults_of(statement)] if isinstance(statement, DEFINITIONS) else []
        for root in defaults or ([] if isinstance(statement, DEFINITIONS) else [statement]):
            yield from (node for node in ast.walk(root) if isinstance(node, ast.Lambda))


def defaults_of(function: Function) -> Iterator[tuple[str, ast.expr]]:
    """(parameter, default) of a function."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    with_default = positional[len(positional) - len(arguments.defaults) :]
    yield from ((one.arg, default) for one, default in zip(with_default, arguments.defaults, strict=True))
    for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if default is not None:
            yield one.arg, default


def bound_names(function: Function) -> frozenset[str]:
    """Names that the function itself binds, so that they never mean the module's."""
    arguments = function.args
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    bound = {one.arg for one in parameters if one is not None}
    todo: list[ast.AST] = [] if isinstance(function, ast.Lambda) else list(function.body)
    while todo:
        node = todo.pop()
        if isinstance(node, DEFINITIONS):
            bound.add(node.name)
            continue
        if isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            continue
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.add(node.id)
        bound |= set(names_bound_by(node))
        todo.extend(ast.iter_child_nodes(node))
    return frozenset(bound)


def names_bound_by(node: ast.AST) -> list[str]:
    """Names that a pattern or an exception handler binds."""
    if not isinstance(node, ast.ExceptHandler | ast.pattern):
        return []
    names = [getattr(node, "name", None), getattr(node, "rest", None)]
    return [name for name in names if isinstance(name, str)]

"""A lint for state that outlives a call in tools.py: what a worker that holds many instances must not have.

Closed by default: a module-level value whose making cannot be read, and a use that cannot be followed, are findings.
Reads code only; the host never imports tools.py.
"""

from __future__ import annotations

import ast
import importlib
import types
from collections.abc import Iterator
from functools import cache

from envforge.world.lint.body import Body
from envforge.world.lint.reach import DEFINITIONS, Known, Reach, defaults_of
from envforge.world.lint.values import Shape, Unreadable, Values
from envforge.world.sandbox.tool_module import API_IMPORTS, TOOL_IMPORTS

PLAIN_STATEMENTS = (ast.AnnAssign, ast.Assign, ast.FunctionDef, ast.Import, ast.ImportFrom)
"""What a tool module consists of, beside its docstring."""
DYNAMIC_NAMES = frozenset(
    {"__builtins__", "__import__", "breakpoint", "compile", "delattr", "eval", "exec", "getattr", "globals", "locals"}
    | {"setattr", "vars"}
)
"""What reaches names and attributes that no reader of the code can see."""
_PROCESS_WIDE = frozenset(
    {"decimal.BasicContext", "decimal.DefaultContext", "decimal.ExtendedContext", "decimal.getcontext"}
    | {"decimal.localcontext", "decimal.setcontext", "functools.cache", "functools.cached_property"}
    | {"functools.lru_cache", "functools.singledispatch", "functools.singledispatchmethod", "functools.update_wrapper"}
    | {"functools.wraps", "string.Formatter", "typing.ForwardRef"}
)
"""Keeps something from call to call, or evaluates text as code."""
_TYPING = frozenset({"assert_never", "assert_type", "cast", "get_args", "get_origin"})
"""Functions of typing that neither mark nor register what they are given."""
_FRAMES = frozenset(
    {"ag_frame", "cr_frame", "f_back", "f_builtins", "f_globals", "f_locals", "gi_frame", "tb_frame", "tb_next"}
)
_NAMED_TUPLE = frozenset({"_asdict", "_fields", "_make", "_replace"})
_OF_THE_MODULE = frozenset({"__doc__", "__file__", "__name__"})
_WORLD = frozenset(
    {"delete_document", "document", "documents", "execute", "new_id", "now", "put_document", "query"},
)
_WHOLE_MODULES = frozenset({"collections.abc"}) | API_IMPORTS


def findings(source: str) -> list[str]:
    """Everything in a tools.py that may outlive a call, as 'line N: what', in line order."""
    try:
        tree = ast.parse(source)
        found = {*_statements(tree), *_nodes(tree), *_flow(tree)}
    except SyntaxError as error:
        return [f"line {error.lineno}: {error.msg}"]
    except (ValueError, MemoryError, RecursionError) as error:
        return [f"line 1: {str(error) or 'nested too deep'}"]
    return [f"line {line}: {what}" for line, what in sorted(found)]


Found = Iterator[tuple[int, str]]


def _statements(tree: ast.Module) -> Found:
    """Statements that make state by their kind alone, or hide what a name means."""
    defined: set[str] = set()
    for node in tree.body:
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not docstring and not isinstance(node, PLAIN_STATEMENTS):
            yield node.lineno, f"{type(node).__name__} at module level: what it does to the module cannot be read"
        if isinstance(node, DEFINITIONS):
            if node.name in defined:
                yield node.lineno, f"{node.name} is defined twice"
            defined.add(node.name)
        if isinstance(node, DEFINITIONS) and node.decorator_list:
            yield node.decorator_list[0].lineno, f"{node.name} has a decorator, which may keep state between calls"
    for node in ast.walk(tree):
        if isinstance(node, ast.Global | ast.Nonlocal):
            yield node.lineno, f"{type(node).__name__.lower()} {', '.join(node.names)}"
        elif isinstance(node, ast.ClassDef):
            yield node.lineno, f"class {node.name}: its attributes outlive a call; use functions and dicts"


def _nodes(tree: ast.Module) -> Found:
    """Names and attributes that reach what code alone does not show."""
    imports = _imports(tree)
    modules = {name for name, what in imports.items() if what in TOOL_IMPORTS or what in _WHOLE_MODULES}
    owners = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from _import(node)
        elif isinstance(node, ast.Name):
            hidden = node.id.startswith("__") and node.id.endswith("__") and node.id not in _OF_THE_MODULE
            if node.id in DYNAMIC_NAMES or hidden:
                yield node.lineno, f"{node.id} reaches what cannot be followed"
            elif node.id in modules and (not isinstance(node.ctx, ast.Load) or id(node) not in owners):
                yield node.lineno, f"the module {node.id} is used as a value"
        elif isinstance(node, ast.Attribute):
            yield from _attribute(node, imports)


def _attribute(node: ast.Attribute, imports: dict[str, str]) -> Found:
    owner = node.value
    if not isinstance(node.ctx, ast.Load):
        yield node.lineno, f"the attribute {ast.unparse(node)[:60]} is set: functions, classes and modules are shared"
    elif (node.attr.startswith("_") and node.attr not in _NAMED_TUPLE) or node.attr in _FRAMES:
        yield node.lineno, f"access to {node.attr}, which is not public"
    elif isinstance(owner, ast.Name) and owner.id == "world" and node.attr not in _WORLD:
        yield node.lineno, f"world.{node.attr} is no part of the World that tools see"
    elif isinstance(owner, ast.Name) and imports.get(owner.id, "") in TOOL_IMPORTS:
        yield from _member(node.lineno, imports[owner.id], node.attr)


def _import(node: ast.Import | ast.ImportFrom) -> Found:
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.name not in TOOL_IMPORTS and alias.name not in _WHOLE_MODULES:
                yield node.lineno, f"import {alias.name}: not on the list of modules without state"
        return
    module = node.module or ""
    if node.level or (module not in TOOL_IMPORTS and module not in _WHOLE_MODULES):
        yield node.lineno, f"import from {module or '.'}: not on the list of modules without state"
        return
    for alias in node.names:
        if alias.name == "*":
            yield node.lineno, f"import * from {module}: name what you need"
        elif module in TOOL_IMPORTS and module != "__future__":
            yield from _member(node.lineno, module, alias.name)


def _member(line: int, module: str, name: str) -> Found:
    decorates = module == "typing" and name[0].islower() and name not in _TYPING
    if decorates or f"{module}.{name}" in _PROCESS_WIDE:
        yield line, f"{module}.{name} keeps or reaches what outlives the call"
    elif name not in _public(module):
        yield line, f"{module}.{name} is no public function or class of that module"


@cache
def _public(module: str) -> frozenset[str]:
    """Names of a module of the standard library that are neither private nor modules themselves."""
    members = vars(importlib.import_module(module))
    own = {name for name in members if not name.startswith("_")}
    modules = {name for name in own if isinstance(members[name], types.ModuleType)}
    return frozenset(own - modules | {name for name in ("abc",) if module == "collections"})


def _imports(tree: ast.Module) -> dict[str, str]:
    """Name in the module → what it is, qualified: re → re, date → datetime.date."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom):
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return found


def _flow(tree: ast.Module) -> Found:
    """Module-level values and defaults: what they are, and every change of one."""
    imports = _imports(tree)
    values = Values(imports, frozenset(node.name for node in tree.body if isinstance(node, DEFINITIONS)))
    shared: dict[str, Reach] = {}
    known = Known(tree, imports, shared)
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            _hand_on(known, node.value)
            yield from _assigned(node, node.value, values, shared)
    for place, function in known.functions.items():
        for parameter, value in defaults_of(function):
            _hand_on(known, value)
            name = f"the default of {place}'s {parameter}"
            shape, problem = _shape(values, value)
            if problem:
                yield value.lineno, f"{name} {problem}"
            reach = shared.get(value.id) if isinstance(value, ast.Name) else None
            known.bind(place, parameter, reach or Reach.of(name, shape))
    yield from _changes(known)


def _hand_on(known: Known, value: ast.expr) -> None:
    for node in ast.walk(value):
        if isinstance(node, ast.Name):
            known.hand_on(node.id)


def _assigned(node: ast.Assign | ast.AnnAssign, value: ast.expr, values: Values, shared: dict[str, Reach]) -> Found:
    shape, problem = _shape(values, value)
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        for one in names:
            if not isinstance(one, ast.Name):
                yield node.lineno, f"{ast.unparse(one)[:60]} is assigned at module level"
                continue
            if problem:
                yield node.lineno, f"{one.id} {problem}"
            made = shape.element() if isinstance(target, ast.Tuple) else shape
            values.known[one.id] = values.known.get(one.id, made) | made
            alias = shared.get(value.id) if isinstance(value, ast.Name) else None
            shared[one.id] = shared.get(one.id, Reach()) | (alias or Reach.of(one.id, made))


def _shape(values: Values, value: ast.expr) -> tuple[Shape, str]:
    try:
        return values.shape(value), ""
    except Unreadable:
        text = ast.unparse(value)
        return Shape(True, True), f"is {text[:60]}: an iterator, or a value that cannot be read; write it as a literal"


def _changes(known: Known) -> set[tuple[int, str]]:
    """Follow every function until nothing new is learnt."""
    bodies = [Body(known, name, function) for name, function in known.functions.items()]
    known.grown = True
    while known.grown:
        known.grown = False
        known.findings.clear()
        for body in bodies:
            body.follow()
    return known.findings

"""Blueprint → the text of tools.py and the entries of tools.json."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from envforge.build.adapters import ADAPTERS, AdapterSpec
from envforge.build.lower.body import Body, Module
from envforge.build.lower.checks import write_checks
from envforge.build.lower.derived import derived_functions
from envforge.build.lower.docstrings import docstring, ordered
from envforge.build.lower.expressions import Language
from envforge.build.lower.fetches import lookup_function, shared_lookups
from envforge.build.lower.layout import WIDTH, Doc, block_text, bracketed, render, wrapped
from envforge.build.lower.prelude_text import FROM_MODULES, MODULES, import_lines, needed
from envforge.build.lower.printer import constant_node, expression_doc
from envforge.build.lower.shapes import is_nullable, parameter_default, parameter_shape, schema_type
from envforge.build.lower.specs import bounded, produced, tool_spec
from envforge.build.lower.steps import write_steps
from envforge.build.lower.views import needed_columns, view_function
from envforge.core.errors import BuildError
from envforge.core.records.blueprint import Adapter, Blueprint, Operation, Parameter, Select
from envforge.core.records.domain import Table
from envforge.core.records.environment import ToolSpec
from envforge.core.steps import all_steps
from envforge.gates.tool_rules import FORBIDDEN_NAMES, violations
from envforge.world.environment import RESERVED_NAMES

_TOOL_NAME = re.compile(r"[a-z][a-z0-9_]*")
_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "object": "dict", "array": "list"}
_FINDING = ("search", "list", "filter")
_BAD_ARGUMENT = "An argument is missing, malformed or outside of the limits above."


def lower(
    blueprint: Blueprint, *, adapters: Mapping[str, AdapterSpec] | None = None
) -> tuple[str, tuple[ToolSpec, ...]]:
    """The text of tools.py and one ToolSpec per operation, in the blueprint's order.

    Raises BuildError naming the operation or view, and what is wrong with it.
    """
    _check_names(blueprint)
    operations = [bounded(operation) for operation in blueprint.operations]
    module = Module(
        blueprint=blueprint,
        language=Language(needed_columns(blueprint.views), frozenset(table.name for table in blueprint.tables)),
        adapters=ADAPTERS if adapters is None else adapters,
        tables={table.name: table for table in blueprint.tables},
        finders=_finders(operations),
    )
    module.adapter_constants = _adapter_constants(module, operations)
    lookups = shared_lookups(module, operations)
    tools = [_tool(module, operation) for operation in operations]
    views = [
        view_function(view, _view_table(module, view.name, view.table), module.language) for view in blueprint.views
    ]
    shared = [lookup_function(module, name, lookup) for name, lookup in lookups.items()]
    shared += derived_functions(module)
    text = _assemble(module, _used(views, [*shared, *(tool.source for tool in tools)]), shared, tools)
    _check_module(text, tools)
    return text, tuple(tool.spec for tool in tools)


def _adapter_constants(module: Module, operations: Sequence[Operation]) -> dict[str, Doc]:
    steps = (step for operation in operations for step in all_steps(operation.steps) if isinstance(step, Adapter))
    found: dict[str, Doc] = {}
    for name in sorted({step.adapter for step in steps} & module.adapters.keys()):
        for text in module.adapters[name].functions(module.blueprint).values():
            for node in ast.parse(text).body:
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    found[node.targets[0].id] = ast.unparse(node.value)
    return found


@dataclass(frozen=True)
class _Tool:
    name: str
    source: str
    spec: ToolSpec


def _check_names(blueprint: Blueprint) -> None:
    taken = {name for names in FROM_MODULES.values() for name in names} | set(MODULES)
    seen: set[str] = set()
    for operation in blueprint.operations:
        name, where = operation.name, f"operation {operation.name}"
        if not _TOOL_NAME.fullmatch(name) or keyword.iskeyword(name):
            raise BuildError(f"{name!r} cannot name a tool", where=where, remedy="use snake_case")
        if name in RESERVED_NAMES or name in FORBIDDEN_NAMES or name in taken:
            raise BuildError(f"{name!r} is a reserved name", where=where, remedy="name the tool differently")
        if name in seen:
            raise BuildError(f"two tools are called {name!r}", where=where, remedy="name one of them differently")
        seen.add(name)
        _check_parameters(operation, where)


def _check_parameters(operation: Operation, where: str) -> None:
    names = [parameter.name for parameter in operation.parameters]
    for name in names:
        usable = name.isidentifier() and name.isascii() and not keyword.iskeyword(name) and not name.startswith("_")
        if not usable or name == "world" or name in FORBIDDEN_NAMES:
            raise BuildError(f"{name!r} cannot name a parameter", where=where, remedy="name it differently")
        if names.count(name) > 1:
            raise BuildError(f"two parameters are called {name!r}", where=where)


def _view_table(module: Module, view: str, name: str) -> Table:
    if name not in module.tables:
        raise BuildError(f"there is no table {name!r}", where=f"view {view}")
    return module.tables[name]


def _finders(operations: Sequence[Operation]) -> dict[str, str]:
    """Semantic type -> the tool that a hint should send the agent to for a value of it."""
    out: dict[str, str] = {}
    for verb in _FINDING:
        for operation in operations:
            if operation.verb != verb:
                continue
            for path, semantic in produced(operation.returns).items():
                if "[]" in path:
                    out.setdefault(semantic, operation.name)
    return out


def _tool(module: Module, operation: Operation) -> _Tool:
    scope = {parameter.name: parameter_shape(parameter) for parameter in operation.parameters}
    body = Body(module, operation, scope)
    _fill_defaults(body)
    cursors = {step.page.cursor for step in all_steps(operation.steps) if isinstance(step, Select) and step.page}
    # A cursor is checked where it is read; its form is the page's business.
    checked = [write_checks(body, p) for p in ordered(operation.parameters) if p.name not in cursors]
    if any(checked):
        body.note_error("invalid_argument", _BAD_ARGUMENT)
    body.gap()
    if not write_steps(body, operation.steps):
        raise BuildError("the operation can end without a return", where=body.where)
    signature = render((f"def {operation.name}", bracketed("(", _arguments(operation), ")"), " -> dict:"))
    source = "\n".join([signature, *docstring(operation, body.errors), *body.lines])
    _check_locals(source, body.where)
    acting = any(
        module.adapters[step.adapter].writes(module.blueprint)
        for step in all_steps(operation.steps)
        if isinstance(step, Adapter)
    )
    spec = tool_spec(operation, body.reads, body.writes, body.errors, adapter_writes=acting)
    return _Tool(operation.name, source, spec)


def _fill_defaults(body: Body) -> None:
    """Defaults that are lists or objects are made anew for each call."""
    for parameter in body.operation.parameters:
        default = parameter_default(parameter)
        if not parameter.required and _is_mutable(default):
            with body.block("if", ast.parse(f"{parameter.name} is None", mode="eval").body):
                body.assign(parameter.name, constant_node(default))


def _arguments(operation: Operation) -> list[Doc]:
    return ["world: World", *(_argument(parameter) for parameter in ordered(operation.parameters))]


def _argument(parameter: Parameter) -> Doc:
    kind = _annotation(parameter)
    default = parameter_default(parameter)
    optional = not parameter.required
    mutable = _is_mutable(default)
    if kind != "object" and (is_nullable(parameter.json_schema) or (optional and (default is None or mutable))):
        kind += " | None"
    if not optional:
        return f"{parameter.name}: {kind}"
    shown: Doc = "None" if default is None or mutable else expression_doc(ast.Constant(default))
    return (f"{parameter.name}: {kind} = ", shown)


def _is_mutable(value: object) -> bool:
    return isinstance(value, list | dict)


def _annotation(parameter: Parameter) -> str:
    schema = parameter.json_schema
    kind = schema_type(schema)
    if kind == "array":
        items = schema.get("items")
        inner = _TYPES.get(schema_type(cast("dict[str, object]", items)), "") if isinstance(items, dict) else ""
        return f"list[{inner}]" if inner else "list"
    return _TYPES.get(kind, "object")


def _check_locals(source: str, where: str) -> None:
    """No local name may hide a function or module that the same body uses. Raises BuildError."""
    function = ast.parse(source).body[0]
    names = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    names |= {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    called = {n.func.id for n in ast.walk(function) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    hidden = sorted(names & (called | FORBIDDEN_NAMES))
    if hidden:
        raise BuildError(f"the name {hidden[0]!r} hides a function", where=where, remedy="name the value differently")


def _used(views: Sequence[str], sources: Sequence[str]) -> list[str]:
    """The views that some source calls, directly or through other views, in their order."""
    names = {view: view.removeprefix("def ").partition("(")[0] for view in views}
    wanted: set[str] = set()
    todo = list(sources)
    while todo:
        text = todo.pop()
        for view, name in names.items():
            if view not in wanted and re.search(rf"\b{name}\(", text):
                wanted.add(view)
                todo.append(view)
    return [view for view in views if view in wanted]


def _assemble(module: Module, views: Sequence[str], shared: Sequence[str], tools: Sequence[_Tool]) -> str:
    adapted: dict[str, str] = {}
    for name in sorted(module.adapters_used):
        adapted |= module.adapters[name].functions(module.blueprint)
    own = [*adapted.values(), *views, *shared, *(tool.source for tool in tools)]
    constants = [render((f"{name} = ", value), width=WIDTH) for name, value in module.constants.items()]
    helpers = needed([*own, *constants])
    functions = [text for text in helpers.values() if text.startswith("def ")]
    constants = [text for text in helpers.values() if not text.startswith("def ")] + constants
    constants += [text.strip() for text in adapted.values() if not text.lstrip().startswith(("def ", "@"))]
    functions += [text.strip() for text in adapted.values() if text.lstrip().startswith(("def ", "@"))]
    head = [*_title(module.blueprint), "", "from __future__ import annotations"]
    imports = import_lines([*functions, *constants, *own])
    if imports and imports[0]:
        head.append("")
    head += imports
    if constants:
        head += ["", *constants]
    blocks = ["\n".join(head), *functions, *views, *shared, *(tool.source for tool in tools)]
    return "\n\n\n".join(blocks) + "\n"


def _title(blueprint: Blueprint) -> list[str]:
    about = (
        "One function per tool. A tool changes nothing but the World it is given: the World makes each call one "
        "transaction, so a ToolError leaves no trace."
    )
    title = block_text(" ".join(blueprint.title.split()))
    return [f'"""{title}: the tools.', "", *wrapped(about, indent=""), '"""']


def _check_module(text: str, tools: Sequence[_Tool]) -> None:
    """The text must parse and keep the rules of tool modules; anything else is a fault of the lowering."""
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise BuildError(f"the module does not parse: {error.msg}", where=f"tools.py line {error.lineno}") from error
    public = [n.name for n in tree.body if isinstance(n, ast.FunctionDef) and not n.name.startswith("_")]
    if public != [tool.name for tool in tools]:
        raise BuildError("the module's public functions are not its tools", where="tools.py")
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    twice = sorted({name for name in functions if functions.count(name) > 1})
    if twice:
        raise BuildError(f"two functions are called {twice[0]!r}", where="tools.py")
    broken = violations(text)
    if broken:
        raise BuildError(f"the module breaks a rule: {broken[0]}", where="tools.py")

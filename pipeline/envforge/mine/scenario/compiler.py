"""Compiles a process's steps to one Python function: expressions are checked, then run at full speed.

The steps are data of ours and the expressions belong to the closed language of `core.expressions`; the
function sees the names of the function table and nothing else (no builtins).
"""

from __future__ import annotations

import ast
import keyword
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from types import CodeType
from typing import Any

from envforge.core.errors import BuildError, ConfigError, EnvforgeError
from envforge.core.expressions import item_access, parse
from envforge.core.records.archetype import EachStep, InsertStep, LetStep, Process, ScenarioStep, UpdateStep, WhenStep

_INSERT, _UPDATE, _OVER = "insert_row", "update_row", "each_of"


class CompiledProcess:
    """A process ready to run. `places[n]` names the step whose code has line number n."""

    def __init__(self, name: str, code: CodeType, places: Sequence[str]) -> None:
        self.name = name
        self._code = code
        self._places = places

    def run(self, functions: Mapping[str, Callable[..., Any]], given: Mapping[str, Any]) -> None:
        """Run with the function table; `given` are names the steps may read.

        Raises BuildError naming the step when an expression fails.
        """
        scope: dict[str, Any] = {"__builtins__": {}, **functions, **given}
        exec(self._code, scope)  # noqa: S102 - code made from the closed expression language, without builtins
        try:
            scope["process"]()
        except EnvforgeError as error:
            if not error.where:
                error.where = self._place(error)
            raise
        except (ArithmeticError, AttributeError, LookupError, MemoryError, NameError, TypeError, ValueError) as error:
            raise BuildError(f"{type(error).__name__}: {error}", where=self._place(error)) from error

    def _place(self, error: BaseException) -> str:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == self.name]
        return f"{self.name}: {self._places[(lines[-1] or 1) - 1]}" if lines else self.name


class _Compiler:
    def __init__(self, where: str, functions: Iterable[str]) -> None:
        self.where = where
        self.functions = frozenset(functions)
        self.places: list[str] = []

    def block(self, steps: Sequence[ScenarioStep], path: str) -> list[ast.stmt]:
        body: list[ast.stmt] = []
        for number, step in enumerate(steps, start=1):
            place = f"{path}{number} ({_title(step)})"
            self.places.append(place)
            line = len(self.places)
            for statement in self._statements(step, f"{path}{number}."):
                body.append(_at_line(statement, line))
        return body or [ast.Pass()]

    def _statements(self, step: ScenarioStep, path: str) -> list[ast.stmt]:
        match step:
            case LetStep():
                return [self._assign(name, self._value(text, path)) for name, text in step.let.items()]
            case InsertStep():
                call = ast.Call(_name(_INSERT), [ast.Constant(step.insert), self._dict(step.values, path)], [])
                return [self._assign(step.name, call) if step.name else ast.Expr(call)]
            case UpdateStep():
                arguments: list[ast.expr] = [_name(step.update), self._dict(step.set, path)]
                return [ast.Expr(ast.Call(_name(_UPDATE), arguments, []))]
            case EachStep():
                self._free(step.each)
                over = ast.Call(_name(_OVER), [self._value(step.over, path)], [])
                return [ast.For(ast.Name(step.each, ast.Store()), over, self.block(step.steps, path), [])]
            case WhenStep():
                otherwise = self.block(step.otherwise, f"{path}otherwise.") if step.otherwise else []
                return [ast.If(self._value(step.when, path), self.block(step.then, path), otherwise)]

    def _assign(self, name: str, value: ast.expr) -> ast.stmt:
        self._free(name)
        return ast.Assign([ast.Name(name, ast.Store())], value)

    def _free(self, name: str) -> None:
        if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
            raise ConfigError(f"{name!r} cannot be a name", where=self.where, remedy="letters, digits and _ inside")
        if name in self.functions:
            raise ConfigError(f"{name!r} is a function of the language and cannot be a name", where=self.where)

    def _value(self, text: str, path: str) -> ast.expr:
        try:
            source = _checked_source(text, self.functions)
        except ConfigError as error:
            error.where = f"{self.where}, step {path.rstrip('.')}"
            raise
        return ast.parse(source, mode="eval").body

    def _dict(self, values: Mapping[str, str], path: str) -> ast.Dict:
        return ast.Dict([ast.Constant(key) for key in values], [self._value(text, path) for text in values.values()])


@lru_cache(maxsize=8192)
def _checked_source(text: str, functions: frozenset[str]) -> str:
    """The expression as Python, checked once however many steps and seeds use it. Raises ConfigError."""
    return ast.unparse(item_access(parse(text, functions=functions)))


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _title(step: ScenarioStep) -> str:
    match step:
        case LetStep():
            return "let " + ", ".join(step.let)
        case InsertStep():
            return f"insert {step.insert}"
        case UpdateStep():
            return f"update {step.update}"
        case EachStep():
            return f"each {step.each}"
        case WhenStep():
            return f"when {step.when}"


def _at_line(statement: ast.stmt, line: int) -> ast.stmt:
    """Put the statement on `line`; statements of inner steps already have theirs."""
    inner = {id(node) for child in ast.iter_child_nodes(statement) if isinstance(child, ast.stmt) for node in [child]}
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop()
        if id(node) in inner:
            continue
        if isinstance(node, ast.expr | ast.stmt | ast.keyword):
            node.lineno = node.end_lineno = line
            node.col_offset = node.end_col_offset = 0
        pending.extend(ast.iter_child_nodes(node))
    return statement


def compile_process(
    process: Process, *, functions: Iterable[str], where: str, given: Iterable[str] = ()
) -> CompiledProcess:
    """Compile `process`. `given` names are handed in when it runs.

    Raises ConfigError naming the step when an expression is not in the language.
    """
    name = f"{where}, process {process.name}"
    compiler = _Compiler(name, [*functions, *given])
    body = compiler.block(process.steps, "")
    arguments = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    function = ast.FunctionDef("process", arguments, body, [], lineno=1, col_offset=0)
    module = ast.fix_missing_locations(ast.Module([function], []))
    return CompiledProcess(name, compile(module, name, "exec"), compiler.places)

"""The function under construction: its lines, what its names mean, and what it touches."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from envforge.build.adapters import AdapterSpec
from envforge.build.lower.expressions import Language, Scope, Value, compile_expression
from envforge.build.lower.layout import (
    INDENT,
    Doc,
    bracketed,
    parenthesised_if_broken,
    quoted,
    render,
)
from envforge.build.lower.messages import last_name, message_node
from envforge.build.lower.printer import breaks_inside, expression_doc
from envforge.build.lower.uses import expressions
from envforge.core.errors import BuildError
from envforge.core.records.blueprint import Blueprint, Operation
from envforge.core.records.domain import Table
from envforge.core.steps import all_steps

_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass
class Module:
    """What all functions of one module share."""

    blueprint: Blueprint
    language: Language
    adapters: Mapping[str, AdapterSpec]
    tables: dict[str, Table]
    finders: dict[str, str]
    """Semantic type -> tool that yields values of it."""
    fetchers: dict[str, str] = field(default_factory=dict[str, str])
    """Key of a look-up that several tools make -> its shared function."""
    constants: dict[str, Doc] = field(default_factory=dict[str, Doc])
    """Name -> value."""
    adapter_constants: dict[str, Doc] = field(default_factory=dict[str, Doc])
    """Constants that the adapters of the blueprint bring."""
    adapters_used: set[str] = field(default_factory=set[str])
    derived: set[str] = field(default_factory=set[str])
    """Functions that keep histories and figures, as far as tools call them."""

    def constant(self, name: str, source: Doc) -> str:
        """A module constant with this value: an existing one, or a new one called `_NAME` or `_NAME_2`…"""
        for known, value in (*self.constants.items(), *self.adapter_constants.items()):
            if value == source or flat(value) == flat(source):
                return known
        fresh, number = f"_{name.upper()}", 1
        while fresh in self.constants:
            number += 1
            fresh = f"_{name.upper()}_{number}"
        self.constants[fresh] = source
        return fresh


def flat(value: Doc) -> str:
    """A constant's value as normalised text, to compare it with others."""
    return ast.unparse(ast.parse(render(value), mode="eval"))


class Body:
    """Writes the statements of one tool."""

    def __init__(self, module: Module, operation: Operation, scope: Scope) -> None:
        self.module = module
        self.operation = operation
        self.scope = scope
        self.where = f"operation {operation.name}"
        self.lines: list[str] = []
        self.reads: set[str] = set()
        self.writes: set[str] = set()
        self.errors: list[tuple[str, str]] = []
        self._level = 1
        self.prepared: dict[str, Any] = {}
        """Filters that were written before a branch, by what they filter."""
        # A word counts as taken if the operation could mean a value by it, so that no name made up here hides one.
        self._taken = {parameter.name for parameter in operation.parameters}
        for step in all_steps(operation.steps):
            bound = {str(getattr(step, key)) for key in ("name", "item") if getattr(step, key, None)}
            self._taken |= bound | {word for text in expressions(step, self.where) for word in _WORD.findall(text)}

    def write(self, doc: Doc) -> None:
        """One statement at the current depth."""
        self.lines.extend(render(doc, indent=self._level * INDENT).split("\n"))

    def gap(self) -> None:
        """A blank line, unless nothing was written yet."""
        if self.lines and self.lines[-1]:
            self.lines.append("")

    def assign(self, name: str, value: Doc | ast.expr) -> None:
        """`name = value`."""
        self.write((f"{name} = ", self.value(value)))

    def value(self, value: Doc | ast.expr) -> Doc:
        """A value on the right of `=` or after `return`: in parentheses when it must break outside brackets."""
        if not isinstance(value, ast.expr):
            return value
        doc = expression_doc(value)
        return doc if breaks_inside(value) else parenthesised_if_broken(doc)

    @contextmanager
    def block(self, head: str, test: ast.expr | None = None) -> Generator[None]:
        """`head test:` and an indented block."""
        condition = "" if test is None else parenthesised_if_broken(expression_doc(test))
        self.write((head, " " if test is not None else "", condition, ":"))
        self._level += 1
        yield
        self._level -= 1

    def spare(self, *wanted: str) -> str:
        """A name for a value that is used up at once: the first of `wanted` that means nothing else, else numbered."""
        for name in wanted:
            if name not in self._taken:
                return name
        number = 2
        while f"{wanted[0]}_{number}" in self._taken:
            number += 1
        return f"{wanted[0]}_{number}"

    def fresh(self, *wanted: str) -> str:
        """A name that stays taken."""
        name = self.spare(*wanted)
        self._taken.add(name)
        return name

    def bind(self, name: str) -> str:
        """A name that the blueprint gives to a value. Raises BuildError if it cannot be a local name."""
        if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_") or name == "world":
            raise BuildError(f"{name!r} cannot name a value", where=self.where)
        return name

    def compile(self, text: str, *, shown: bool = False) -> Value:
        """An expression in the current scope."""
        return compile_expression(text, self.scope, self.module.language, where=self.where, shown=shown)

    def table(self, name: str) -> Table:
        """A table of the blueprint. Raises BuildError."""
        if name not in self.module.tables:
            known = ", ".join(sorted(self.module.tables))
            raise BuildError(f"there is no table {name!r}", where=self.where, remedy=f"tables: {known}")
        return self.module.tables[name]

    def raise_error(self, code: str, message: str, hint: str, *, when: str) -> None:
        """`raise ToolError(…)`, and its line in the documentation."""
        taken = set(self._taken)
        self.write(("raise ", self.error_doc(code, message, hint)))
        self._taken = taken
        self.note_error(code, when)

    def note_error(self, code: str, when: str) -> None:
        """Record an error that the tool can answer with."""
        first = when.partition(" ")[0]
        if first.isalpha() and all(parameter.name != first for parameter in self.operation.parameters):
            when = when[0].upper() + when[1:]
        if (code, when) not in self.errors:
            self.errors.append((code, when))

    def error_doc(self, code: str, message: str, hint: str) -> Doc:
        """The call that makes the error."""
        parts: list[Doc] = [quoted(code)]
        parts += [expression_doc(message_node(text, self._told, where=self.where)) for text in (message, hint) if text]
        return ("ToolError", bracketed("(", parts, ")"))

    def _told(self, text: str) -> Value:
        """A part of a message; a choice between words gets a name before, so that the message stays readable."""
        value = self.compile(text)
        if not isinstance(value.node, ast.IfExp):
            return value
        name = self.fresh(f"{last_name(text)}_words")
        self.assign(name, value.node)
        return Value(ast.Name(name, ast.Load()), value.shape, value.names)


def tuple_doc(items: list[ast.expr]) -> Doc:
    """`(a, b)` or `(a,)`; a list when something is unpacked into it."""
    if any(isinstance(item, ast.Starred) for item in items):
        return expression_doc(ast.List(items, ast.Load()))
    return expression_doc(ast.Tuple(items, ast.Load()))

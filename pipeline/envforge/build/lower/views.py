"""Views as private functions: how rows of a table are shown in results."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from envforge.build.lower.expressions import Language, compile_expression
from envforge.build.lower.layout import HARD, Doc, Nest, block_text, parenthesised_if_broken, quoted, render
from envforge.build.lower.printer import breaks_inside, expression_doc
from envforge.build.lower.shapes import RowOf, row_of
from envforge.core.articles import with_article
from envforge.core.errors import BuildError, ConfigError
from envforge.core.expressions import CHECK_FUNCTIONS, TIME_FUNCTIONS, parse
from envforge.core.records.blueprint import View
from envforge.core.records.domain import Table


def needed_columns(views: Sequence[View]) -> dict[str, frozenset[str]]:
    """View -> columns that a row must have to be shown by it. Raises BuildError for a view that calls itself."""
    names = {view.name for view in views}
    functions = TIME_FUNCTIONS | CHECK_FUNCTIONS | names
    direct: dict[str, set[str]] = {}
    calls: dict[str, set[str]] = {}
    for view in views:
        direct[view.name], calls[view.name] = set(), set()
        for text in view.fields.values():
            try:
                tree = parse(text, functions=functions, where=f"view {view.name}")
            except ConfigError as error:
                raise BuildError(error.message, where=error.where, remedy=error.remedy) from error
            for node in ast.walk(tree):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "row":
                    direct[view.name].add(node.attr)
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
                    calls[view.name].add(node.func.id)
    return {view.name: frozenset(_closure(view.name, direct, calls, ())) for view in views}


def _closure(
    name: str, direct: Mapping[str, set[str]], calls: Mapping[str, set[str]], path: tuple[str, ...]
) -> set[str]:
    if name in path:
        raise BuildError("the view shows itself", where=f"view {name}")
    return direct[name].union(*(_closure(inner, direct, calls, (*path, name)) for inner in calls[name]))


def view_function(view: View, table: Table, language: Language) -> str:
    """The source of a view. Raises BuildError naming the view."""
    where = f"view {view.name}"
    if not view.name.isidentifier() or view.name.startswith("_"):
        raise BuildError(f"{view.name!r} cannot name a function", where=where)
    shape = row_of(table)
    scope = {"row": RowOf(shape.columns, label=table.name, open=True)}
    lines: list[Doc] = []
    for key, text in view.fields.items():
        value = compile_expression(text, dict(scope), language, where=where, shown=True)
        if any(isinstance(node, ast.Name) and node.id == "world" for node in ast.walk(value.node)):
            raise BuildError(f"a view cannot ask the world, in {text!r}", where=where)
        doc = expression_doc(value.node)
        shown = doc if breaks_inside(value.node) else parenthesised_if_broken(doc)
        lines += [HARD, (quoted(key), ": ", shown, ",")]
    label = table.label or table.entity
    kind = view.name.removeprefix(f"{table.entity}_").replace("_", " ") if view.name != table.entity else "view"
    return "\n".join(
        [
            f"def _{view.name}(row: dict) -> dict:",
            f'    """The {kind} of {with_article(block_text(label))} that results show."""',
            render(("return {", Nest(tuple(lines)), HARD, "}"), indent=4),
        ]
    )

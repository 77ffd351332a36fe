"""The small expression language of blueprints and archetypes: a closed subset of Python.

Names are parameters, local names or rows. `row.column` means `row["column"]`: attribute access is rewritten
to item access, so no attribute of a Python object is ever reachable, except the methods listed here when
they are called. Calls go to the functions listed here, plus the names a caller adds.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from envforge.core.errors import ConfigError

BUILTINS = frozenset(
    {
        "abs",
        "all",
        "any",
        "bool",
        "dict",
        "float",
        "int",
        "len",
        "list",
        "max",
        "min",
        "range",
        "round",
        "set",
    }
    | {"sorted", "str", "sum", "zip", "enumerate"}
)
METHODS = frozenset(
    {"endswith", "get", "items", "join", "keys", "lower", "replace", "split", "startswith", "strip", "title"}
    | {"upper", "values", "zfill"}
)
TIME_FUNCTIONS = frozenset(
    {"add_days", "add_minutes", "date_of", "days_between", "minutes_between", "time_of", "weekday_of"}
)
"""Over ISO 8601 text. `add_*` keep the shape of their input (date or timestamp)."""
CHECK_FUNCTIONS = frozenset({"is_date", "is_email", "is_timestamp", "is_url"})
WORLD_FUNCTIONS = frozenset({"new_id", "now"})

_NODES = (
    (ast.Expression, ast.Constant, ast.Name, ast.Load, ast.Store, ast.Attribute, ast.Subscript, ast.Slice)
    + (ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.BinOp, ast.Add, ast.Sub, ast.Mult)
    + (ast.Div, ast.FloorDiv, ast.Mod, ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
    + (ast.Is, ast.IsNot, ast.In, ast.NotIn, ast.IfExp, ast.Call, ast.keyword, ast.List, ast.Tuple, ast.Set)
    + (ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension)
    + (ast.JoinedStr, ast.FormattedValue)
)


def parse(text: str, *, functions: Iterable[str] = (), where: str = "") -> ast.Expression:
    """Parse and check an expression. `functions` may be called besides BUILTINS and METHODS.

    Raises ConfigError naming `where` when the text is not in the language.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError as error:
        raise ConfigError(f"not an expression: {text!r} ({error.msg})", where=where) from error
    except (ValueError, MemoryError, RecursionError) as error:
        what = str(error) or "nested too deep"
        raise ConfigError(f"not an expression: {text[:200]!r} ({what})", where=where) from error
    allowed = BUILTINS | frozenset(functions)
    for node in ast.walk(tree):
        if not isinstance(node, _NODES):
            raise ConfigError(f"{type(node).__name__} is not allowed in {text!r}", where=where)
        if isinstance(node, ast.Name | ast.Attribute) and _private(node):
            raise ConfigError(f"private name in {text!r}", where=where)
        if isinstance(node, ast.Call):
            _check_call(node, allowed, text, where)
    return tree


def _private(node: ast.Name | ast.Attribute) -> bool:
    name = node.id if isinstance(node, ast.Name) else node.attr
    return name.startswith("__")


def _check_call(node: ast.Call, allowed: frozenset[str], text: str, where: str) -> None:
    function = node.func
    if isinstance(function, ast.Name):
        if function.id not in allowed:
            raise ConfigError(f"{function.id}() is not a function of the language, in {text!r}", where=where)
        return
    if isinstance(function, ast.Attribute) and function.attr in METHODS:
        return
    raise ConfigError(f"only listed functions and methods can be called, in {text!r}", where=where)


class _ItemAccess(ast.NodeTransformer):
    """Turns `row.column` into `row["column"]`, leaving method calls alone."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)
        node.args = [self.visit(argument) for argument in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        value = self.visit(node.value)
        return ast.copy_location(ast.Subscript(value, ast.Constant(node.attr), ast.Load()), node)


def item_access(tree: ast.Expression) -> ast.Expression:
    """A new tree in which every attribute access outside a method call is an item access."""
    fresh = ast.parse(ast.unparse(tree), mode="eval")
    return ast.fix_missing_locations(_ItemAccess().visit(fresh))


def free_names(tree: ast.Expression) -> set[str]:
    """Names the expression reads, without functions it calls and without comprehension variables."""
    bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and id(node) not in called and node.id not in bound
    }

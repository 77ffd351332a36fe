"""From expression trees to documents: like `ast.unparse`, but with double quotes and with places to break."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import cast

from envforge.build.lower.layout import (
    HARD,
    SOFT,
    SPACE,
    Doc,
    Group,
    IfBroken,
    Nest,
    bracketed,
    joined,
    quoted,
    render,
    visible,
)
from envforge.core.errors import BuildError

_CONDITIONAL, _OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _SIGN, _ATOM = range(1, 10)
_BINARY: dict[type[ast.operator], tuple[str, int]] = {
    ast.Add: ("+", _SUM),
    ast.Sub: ("-", _SUM),
    ast.Mult: ("*", _PRODUCT),
    ast.Div: ("/", _PRODUCT),
    ast.FloorDiv: ("//", _PRODUCT),
    ast.Mod: ("%", _PRODUCT),
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_LONGEST_LITERAL = 84


def expression_doc(node: ast.expr, level: int = 0) -> Doc:
    """The document of an expression, in parentheses if it binds weaker than `level`."""
    doc, own = _parts(node)
    return ("(", doc, ")") if own < level else doc


def flat_text(node: ast.expr) -> str:
    """The expression on one line."""
    return render(Group(expression_doc(node)), width=1_000_000)


def breaks_inside(node: ast.expr) -> bool:
    """True if the expression has brackets of its own to break in, so that it needs no parentheses."""
    if isinstance(node, ast.Call):
        return bool(node.args or node.keywords)
    return isinstance(node, ast.Dict | ast.List | ast.Set | ast.Tuple | ast.ListComp | ast.SetComp | ast.DictComp)


def _parts(node: ast.expr) -> tuple[Doc, int]:
    if isinstance(node, ast.BoolOp | ast.UnaryOp | ast.BinOp | ast.Compare | ast.IfExp):
        return _operation(node)
    if isinstance(node, ast.Dict | ast.List | ast.Set | ast.Tuple):
        return _display(node), _ATOM
    if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
        return _comprehension(node), _ATOM
    if isinstance(node, ast.Name):
        return node.id, _ATOM
    if isinstance(node, ast.Constant):
        return _constant(node.value), _ATOM
    if isinstance(node, ast.JoinedStr):
        return _template(node), _ATOM
    if isinstance(node, ast.Call):
        return _call(node), _ATOM
    if isinstance(node, ast.Attribute):
        return (expression_doc(node.value, _ATOM), f".{node.attr}"), _ATOM
    if isinstance(node, ast.Subscript):
        return (expression_doc(node.value, _ATOM), "[", _index(node.slice), "]"), _ATOM
    if isinstance(node, ast.Starred):
        return ("*", expression_doc(node.value, _SIGN)), _ATOM
    raise BuildError(f"{type(node).__name__} cannot be written as an expression")


def _operation(node: ast.BoolOp | ast.UnaryOp | ast.BinOp | ast.Compare | ast.IfExp) -> tuple[Doc, int]:
    if isinstance(node, ast.BoolOp):
        word, level = ("and", _AND) if isinstance(node.op, ast.And) else ("or", _OR)
        return joined([_operand(value, level + 1) for value in node.values], (SPACE, word + " ")), level
    if isinstance(node, ast.UnaryOp):
        if isinstance(node.op, ast.Not):
            return ("not ", expression_doc(node.operand, _NOT)), _NOT
        return ("-", expression_doc(node.operand, _SIGN)), _SIGN
    if isinstance(node, ast.BinOp):
        sign, level = _BINARY[type(node.op)]
        left, right = expression_doc(node.left, level), _operand(node.right, level + 1)
        return (left, SPACE, sign, " ", right), level
    if isinstance(node, ast.Compare):
        parts: list[Doc] = [_operand(node.left, _COMPARE + 1)]
        for operator, right in zip(node.ops, node.comparators, strict=True):
            parts += [SPACE, _COMPARISONS[type(operator)], " ", _operand(right, _COMPARE + 1)]
        return tuple(parts), _COMPARE
    body, test, other = (_operand(part, _OR) for part in (node.body, node.test, node.orelse))
    return (body, SPACE, "if ", test, SPACE, "else ", other), _CONDITIONAL


def _operand(node: ast.expr, level: int) -> Doc:
    """An operand breaks only if it does not fit on a line of its own."""
    doc = expression_doc(node, level)
    return Group(doc) if isinstance(node, ast.BoolOp | ast.BinOp | ast.Compare | ast.IfExp) else doc


def _display(node: ast.Dict | ast.List | ast.Set | ast.Tuple) -> Doc:
    if isinstance(node, ast.Dict):
        return bracketed("{", [_pair(key, value) for key, value in zip(node.keys, node.values, strict=True)], "}")
    items = [_operand(item, _CONDITIONAL) for item in node.elts]
    if isinstance(node, ast.Tuple):
        return ("(", items[0], ",)") if len(items) == 1 else bracketed("(", items, ")")
    return bracketed("{", items, "}") if isinstance(node, ast.Set) else bracketed("[", items, "]")


def _pair(key: ast.expr | None, value: ast.expr) -> Doc:
    if key is None:
        return ("**", expression_doc(value, _SIGN))
    doc = expression_doc(value, _CONDITIONAL)
    if isinstance(value, ast.BoolOp | ast.BinOp | ast.Compare | ast.IfExp | ast.Constant | ast.JoinedStr):
        doc = Group((IfBroken("("), Nest((SOFT, doc)), SOFT, IfBroken(")")))
    return (expression_doc(key), ": ", doc)


def _comprehension(node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Doc:
    opening, closing = "[]" if isinstance(node, ast.ListComp) else "()" if isinstance(node, ast.GeneratorExp) else "{}"
    return Group((opening, Nest((SOFT, comprehension_body(node))), SOFT, closing))


def comprehension_body(node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Doc:
    """A comprehension without its brackets."""
    if isinstance(node, ast.DictComp):
        head: Doc = (expression_doc(node.key), ": ", expression_doc(node.value))
    else:
        head = expression_doc(node.elt, _CONDITIONAL)
    parts: list[Doc] = [head]
    for clause in node.generators:
        parts += [SPACE, "for ", _target(clause.target), " in ", expression_doc(clause.iter, _OR)]
        for test in clause.ifs:
            parts += [SPACE, "if ", expression_doc(test, _OR)]
    return tuple(parts)


def _target(node: ast.expr) -> Doc:
    if isinstance(node, ast.Tuple):
        return joined([_target(item) for item in node.elts], (", ",))
    return expression_doc(node)


def _call(node: ast.Call) -> Doc:
    function = expression_doc(node.func, _ATOM)
    only = node.args[0] if len(node.args) == 1 and not node.keywords else None
    if isinstance(only, ast.GeneratorExp):
        return Group((function, "(", Nest((SOFT, comprehension_body(only))), SOFT, ")"))
    arguments: list[Doc] = [_operand(argument, _CONDITIONAL) for argument in node.args]
    for keyword in node.keywords:
        prefix = f"{keyword.arg}=" if keyword.arg else "**"
        arguments.append((prefix, _operand(keyword.value, _CONDITIONAL)))
    if only is not None and isinstance(only, ast.Dict | ast.List | ast.ListComp):
        return (function, "(", *arguments, ")")
    return (function, bracketed("(", arguments, ")"))


def _index(node: ast.expr) -> Doc:
    if not isinstance(node, ast.Slice):
        return expression_doc(node)
    if node.step is not None:
        raise BuildError("a slice with a step is not supported")
    lower = expression_doc(node.lower) if node.lower else ""
    upper = expression_doc(node.upper) if node.upper else ""
    return (lower, ":", upper)


def _constant(value: object) -> Doc:
    if isinstance(value, str):
        return literal_doc([value], "")
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    raise BuildError(f"a {type(value).__name__} cannot be written as a constant")


def _template(node: ast.JoinedStr) -> Doc:
    pieces: list[str | ast.FormattedValue] = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            pieces.append(str(part.value))
        elif isinstance(part, ast.FormattedValue):
            pieces.append(part)
    inner = [ast.unparse(ast.JoinedStr([piece]))[1:] for piece in pieces if isinstance(piece, ast.FormattedValue)]
    if any('"' in text[1:-1] or "\\" in text for text in inner):
        return _format_call(pieces)
    return literal_doc([piece if isinstance(piece, str) else _slot(piece) for piece in pieces], "f")


class _Slot(str):
    """The text of a replacement field inside an f-string, braces included: never escaped or split."""


def _slot(value: ast.FormattedValue) -> _Slot:
    conversion = f"!{chr(value.conversion)}" if value.conversion != -1 else ""
    spec = "".join(str(part.value) for part in _spec_parts(value))
    return _Slot("{" + ast.unparse(value.value) + conversion + (f":{spec}" if spec else "") + "}")


def _spec_parts(value: ast.FormattedValue) -> Sequence[ast.Constant]:
    if value.format_spec is None:
        return ()
    if not isinstance(value.format_spec, ast.JoinedStr):
        raise BuildError("a format specification must be plain text")
    parts = [part for part in value.format_spec.values if isinstance(part, ast.Constant)]
    if len(parts) != len(value.format_spec.values):
        raise BuildError("a format specification must be plain text")
    return parts


def _format_call(pieces: Sequence[str | ast.FormattedValue]) -> Doc:
    """`"… {} …".format(…)`: for expressions whose quotes an f-string of Python 3.11 cannot hold."""
    text = ""
    arguments: list[Doc] = []
    for piece in pieces:
        if isinstance(piece, str):
            text += piece.replace("{", "{{").replace("}", "}}")
        else:
            text += "{" + _slot(piece).removeprefix("{" + ast.unparse(piece.value))
            arguments.append(expression_doc(piece.value, _CONDITIONAL))
    return (quoted(text), ".format", bracketed("(", arguments, ")"))


def literal_doc(pieces: Sequence[str], prefix: str) -> Doc:
    """A string literal, split at spaces into adjacent literals when it does not fit on the line."""
    text = "".join(piece if isinstance(piece, _Slot) else _escaped(piece, prefix) for piece in pieces)
    whole = quoted("".join(pieces)) if not prefix else f'{prefix}"{text}"'
    if len(text) <= _LONGEST_LITERAL:
        return whole
    chunks = [f'{prefix if _has_brace(chunk) else ""}"{chunk}"' for chunk in _chunks(pieces, prefix)]
    if len(chunks) == 1:
        return whole
    return Group(IfBroken(joined(chunks, (HARD,)), whole))


def _escaped(text: str, prefix: str) -> str:
    body = visible(text.replace("\\", "\\\\")).replace('"', '\\"')
    return body.replace("{", "{{").replace("}", "}}") if prefix else body


def _has_brace(chunk: str) -> bool:
    # A doubled brace needs the f as much as a replacement field does.
    return "{" in chunk or "}" in chunk


def _chunks(pieces: Sequence[str], prefix: str) -> list[str]:
    chunks = [""]
    for piece in pieces:
        words = [piece] if isinstance(piece, _Slot) else _words(_escaped(piece, prefix))
        for word in words:
            if chunks[-1] and len(chunks[-1]) + len(word) > _LONGEST_LITERAL and chunks[-1].endswith(" "):
                chunks.append("")
            chunks[-1] += word
    return chunks


def _words(text: str) -> list[str]:
    parts = text.split(" ")
    return [part + " " for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def constant_node(value: object) -> ast.expr:
    """The expression of a JSON value."""
    if isinstance(value, dict):
        pairs = cast("dict[str, object]", value)
        return ast.Dict([ast.Constant(key) for key in pairs], [constant_node(item) for item in pairs.values()])
    if isinstance(value, list | tuple):
        return ast.List([constant_node(item) for item in cast("list[object]", value)], ast.Load())
    if value is None or isinstance(value, str | bool | int | float):
        return ast.Constant(value)
    raise BuildError(f"a {type(value).__name__} cannot be written as a constant")

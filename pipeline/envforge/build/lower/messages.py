"""Messages with {expressions} in them: to f-strings for the code, to plain words for the documentation."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from envforge.build.lower.expressions import Value
from envforge.core.errors import BuildError

_CONVERSION = re.compile(r"(?s)(.+?)(![rs])?(?::([^{}'\"\[\]()]*))?$")


def split_message(message: str, *, where: str) -> list[tuple[bool, str]]:
    """(is expression, text) pieces; doubled braces are literal. Raises BuildError on a brace without partner."""
    pieces: list[tuple[bool, str]] = []
    text = ""
    position = 0
    while position < len(message):
        char = message[position]
        if message[position : position + 2] in ("{{", "}}"):
            text += char
            position += 2
        elif char == "{":
            end = _closing(message, position, where)
            pieces += [(False, text), (True, message[position + 1 : end])]
            text = ""
            position = end + 1
        elif char == "}":
            raise BuildError(f"a single '}}' in the message {message!r}", where=where, remedy="write }} for a brace")
        else:
            text += char
            position += 1
    pieces.append((False, text))
    return [piece for piece in pieces if piece[1]]


def _closing(message: str, start: int, where: str) -> int:
    depth = 0
    for position in range(start, len(message)):
        depth += {"{": 1, "}": -1}.get(message[position], 0)
        if depth == 0:
            return position
    raise BuildError(f"'{{' is never closed in the message {message!r}", where=where, remedy="write {{ for a brace")


def message_node(message: str, compile_text: Callable[[str], Value], *, where: str) -> ast.expr:
    """The message as a string constant or an f-string."""
    pieces = split_message(message, where=where)
    if not any(is_expression for is_expression, _ in pieces):
        return ast.Constant("".join(text for _, text in pieces))
    return ast.JoinedStr(
        [_field(text, compile_text) if is_expression else ast.Constant(text) for is_expression, text in pieces]
    )


def _field(text: str, compile_text: Callable[[str], Value]) -> ast.FormattedValue:
    expression, conversion, spec = _parts(text)
    value = compile_text(expression)
    kind = ord(conversion[1]) if conversion else -1
    return ast.FormattedValue(value.node, kind, ast.JoinedStr([ast.Constant(spec)]) if spec else None)


def _parts(text: str) -> tuple[str, str, str]:
    try:
        ast.parse(text.strip(), mode="eval")
    except SyntaxError:
        match = _CONVERSION.fullmatch(text)
        if match:
            return match[1], match[2] or "", match[3] or ""
    return text, "", ""


def message_words(message: str, *, where: str) -> str:
    """The message for a reader of the documentation: `{flight.number}` becomes `<number>`."""
    words = [
        f"<{last_name(text)}>" if is_expression else text for is_expression, text in split_message(message, where=where)
    ]
    return "".join(words)


def last_name(text: str) -> str:
    """What an expression is about: the last column or name in it, without methods and texts."""
    tree = ast.parse(_parts(text)[0].strip(), mode="eval")
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    read = [node for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Attribute) and id(node) not in called]
    if not read:
        return "value"
    last = max(read, key=lambda node: (node.end_col_offset or 0, isinstance(node, ast.Attribute)))
    return last.id if isinstance(last, ast.Name) else last.attr

"""Layout of Python text: documents that are flat when they fit and exploded over lines when they do not.

The rules are those of the common formatters (four spaces, double quotes, trailing comma when exploded), so the
text that comes out is a fixed point of them without the product needing one.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

WIDTH = 110
INDENT = 4
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


@dataclass(frozen=True)
class Line:
    """A place to break: `flat` when the group fits on the line, a new line otherwise."""

    flat: str = " "
    hard: bool = False


@dataclass(frozen=True)
class IfBroken:
    """`broken` when the enclosing group is exploded, else `flat`."""

    broken: Doc
    flat: Doc = ""


@dataclass(frozen=True)
class Nest:
    """Lines inside are indented one level deeper."""

    body: Doc


@dataclass(frozen=True)
class Group:
    """Flat as a whole if it fits, else all its own breaks become new lines."""

    body: Doc


Doc: TypeAlias = "str | Line | IfBroken | Nest | Group | tuple[Doc, ...]"
SOFT = Line("")
SPACE = Line()
HARD = Line("", hard=True)
_Work: TypeAlias = "tuple[int, bool, Doc]"


def render(doc: Doc, *, indent: int = 0, width: int = WIDTH) -> str:
    """The text of a document whose first line starts at column `indent` (the indentation itself included)."""
    pieces = [" " * indent]
    column = indent
    work: list[_Work] = [(indent, False, doc)]
    while work:
        level, flat, item = work.pop()
        if isinstance(item, str):
            pieces.append(item)
            column += len(item)
        elif isinstance(item, tuple):
            work.extend((level, flat, part) for part in reversed(item))
        elif isinstance(item, Nest):
            work.append((level + INDENT, flat, item.body))
        elif isinstance(item, IfBroken):
            work.append((level, flat, item.flat if flat else item.broken))
        elif isinstance(item, Group):
            fits = _fits(width - column, [*work, (level, True, item.body)])
            work.append((level, fits, item.body))
        elif flat and not item.hard:
            pieces.append(item.flat)
            column += len(item.flat)
        else:
            pieces.append("\n" + " " * level)
            column = level
    return "\n".join(line.rstrip() for line in "".join(pieces).split("\n"))


def _fits(room: int, work: list[_Work]) -> bool:
    """True if the last item of `work`, taken flat, and what follows it up to the next break fit in `room`."""
    while work and room >= 0:
        level, flat, item = work.pop()
        if isinstance(item, str):
            room -= len(item)
        elif isinstance(item, tuple):
            work.extend((level, flat, part) for part in reversed(item))
        elif isinstance(item, Nest | Group):
            work.append((level, flat, item.body))
        elif isinstance(item, IfBroken):
            work.append((level, flat, item.flat if flat else item.broken))
        elif item.hard:
            return not flat
        elif flat:
            room -= len(item.flat)
        else:
            return True
    return room >= 0


def joined(parts: Iterable[Doc], separator: Sequence[Doc]) -> Doc:
    """The parts with `separator` between them."""
    out: list[Doc] = []
    for part in parts:
        if out:
            out.extend(separator)
        out.append(part)
    return tuple(out)


def bracketed(opening: str, parts: Sequence[Doc], closing: str, *, comma: bool = True) -> Doc:
    """`opening` parts `closing`: comma-separated, one per line with a trailing comma when exploded."""
    if not parts:
        return opening + closing
    trailing: Doc = IfBroken(",") if comma else ""
    return Group((opening, Nest((SOFT, joined(parts, (",", SPACE)), trailing)), SOFT, closing))


def parenthesised_if_broken(doc: Doc) -> Doc:
    """The document, in parentheses only when it does not fit on the line."""
    return Group((IfBroken("("), Nest((SOFT, doc)), SOFT, IfBroken(")")))


def visible(text: str) -> str:
    """The text with control, direction and other invisible characters as escapes (backslashes untouched)."""
    return "".join(_escape(char) if unicodedata.category(char) in _INVISIBLE else char for char in text)


def _escape(char: str) -> str:
    short = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(char)
    if short:
        return short
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def quoted(text: str) -> str:
    """A one-line string literal for `text`: double quotes unless single ones save escapes."""
    quote = "'" if '"' in text and "'" not in text else '"'
    return quote + visible(text.replace("\\", "\\\\")).replace(quote, "\\" + quote) + quote


def block_text(text: str) -> str:
    """`text` as the inside of a triple-quoted string: keeps its lines, cannot end the string or escape."""
    lines = (visible(line) for line in text.replace("\\", "\\\\").split("\n"))
    return "\n".join(lines).replace('"""', '\\"\\"\\"')


def wrapped(text: str, *, indent: str, hanging: str | None = None, width: int = WIDTH - 10) -> list[str]:
    """Words of `text` in lines of at most `width` columns."""
    filled = textwrap.wrap(
        " ".join(text.split()),
        width=width,
        initial_indent=indent,
        subsequent_indent=indent if hanging is None else hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return filled or [indent.rstrip()]

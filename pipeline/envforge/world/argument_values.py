"""The first look at a call's arguments: are they plain JSON values of a bounded size?"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, cast

MOST_TEXT = 1_000_000
"""Characters of all texts and names together; a result may be as long (`Limits.output_bytes`)."""
MOST_VALUES = 100_000
MOST_DEEP = 64
_FEW, _SHORT = 32, 4096
_LEAST_INTEGER, _MOST_INTEGER = -(2**63), 2**63 - 1

_pairs = cast("Any", dict.items)
_items = cast("Any", list.__iter__)
_type = cast("Any", type)


class NotPlain(Exception):
    """A value that JSON or the World cannot hold, or one too many. `path` leads to it."""

    def __init__(self, message: str, code: str = "invalid_argument") -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.path: tuple[Any, ...] = ()


def refuse_strange_values(arguments: dict[Any, Any]) -> None:
    """Raises NotPlain for bytes, sets, NaN, integers over 64 bits, halves of surrogate pairs, names that are no text,
    structures that hold themselves, and for more than the limits above.
    """
    if _plain_at_sight(arguments):
        return
    walk = _Walk()
    walk.into(arguments, 1)
    if walk.text < 0:
        raise NotPlain(f"hold over {MOST_TEXT} characters", "limit_exceeded")


def _plain_at_sight(arguments: dict[Any, Any]) -> bool:
    """True for what most calls hold: a few names with short texts, whole numbers, truth values or nothing."""
    if _type(arguments) is not dict or len(arguments) > _FEW:
        return False
    for key, value in arguments.items():
        if _type(key) is not str or len(key) > _SHORT or not key.isascii():
            return False
        kind = _type(value)
        if kind is str:
            if len(value) > _SHORT or not value.isascii():
                return False
        elif kind is int:
            if not _LEAST_INTEGER <= value <= _MOST_INTEGER:
                return False
        elif kind is not bool and value is not None:
            return False
    return True


def plain_answer(answer: Any) -> Any:
    """The answer, or None when JSON or the World cannot hold it (NaN, integers over 64 bits, 64 levels and deeper)."""
    try:
        refuse_strange_values({"answer": answer})
    except NotPlain:
        return None
    return answer


class _Walk:
    """Counts while it walks. Written for speed: it looks at each value of each call."""

    __slots__ = ("text", "values")

    def __init__(self) -> None:
        self.text = MOST_TEXT
        self.values = MOST_VALUES

    def into(self, container: Any, deep: int) -> None:
        named = isinstance(container, dict)
        self.values -= len(container)
        if deep > MOST_DEEP:
            raise NotPlain(f"is nested more than {MOST_DEEP} levels deep", "limit_exceeded")
        if self.values < 0:
            raise NotPlain(f"is one too many: a call holds {MOST_VALUES} values at most", "limit_exceeded")
        # The methods of dict and list themselves: a subclass may have its own idea of what it holds.
        pairs = cast("Iterable[Any]", _pairs(container) if named else enumerate(_items(container)))
        key: Any = None
        try:
            for key, value in pairs:
                if named:
                    self.name(key)
                kind = _type(value)
                if kind is str:
                    self.text -= len(value)
                    if not value.isascii():
                        _refuse_half_pairs(value)
                elif kind is int:
                    _refuse_large(value)
                elif kind is not bool and value is not None:
                    self.rarer(value, deep)
        except NotPlain as stray:
            stray.path = (key, *stray.path)
            raise

    def name(self, key: Any) -> None:
        if not isinstance(key, str):
            raise NotPlain(f"is a name of the type {type(key).__name__}; names are texts")
        self.text -= len(key)
        if not key.isascii():
            _refuse_half_pairs(key)

    def rarer(self, value: Any, deep: int) -> None:
        if isinstance(value, (dict, list)):
            self.into(value, deep + 1)
        elif isinstance(value, float):
            if not math.isfinite(value):
                raise NotPlain(f"is {float(value)}; JSON has no such number")
        elif isinstance(value, str):
            self.name(value)
        elif isinstance(value, int):
            _refuse_large(value)
        else:
            raise NotPlain(f"is of the type {type(value).__name__}, which JSON does not have")


def _refuse_half_pairs(text: str) -> None:
    try:
        str.encode(text)
    except UnicodeEncodeError as error:
        raise NotPlain("holds half of a surrogate pair; texts are Unicode") from error


def _refuse_large(value: int) -> None:
    if not _LEAST_INTEGER <= value <= _MOST_INTEGER:
        raise NotPlain("is an integer of more than 64 bits; the World holds none so large")

"""Does a row stand in its source? All its values, near each other, in the text as it was fetched."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from envforge.core.records.research import Cell

NEAR = 800
"""Characters around the key's place in which the other values must stand."""
_MOST_PLACES = 200
_LETTER = re.compile(r"[^\W\d_]")
_THOUSANDS = re.compile(r"(?<=\d)[,'\u00a0\u202f](?=\d{3}(?!\d))")


@dataclass(frozen=True)
class Proof:
    """Where it stands, or why it does not."""

    locator: str = ""
    reason: str = ""


class Evidence:
    """One source's text, prepared for many rows."""

    def __init__(self, text: str, title: str = "") -> None:
        self._text = _THOUSANDS.sub("", _spaced(text))
        self._title = _spaced(title)

    def prove(self, values: Sequence[Cell], key: int, rivals: Collection[str] = ()) -> Proof:
        """The stretch of text that holds the key's value and all others near it.

        A value may also be the title's: what a page is about is said there once. `rivals`: keys of other rows; a
        stretch over one of them would make one row of the facts of two. Keys that are numbers may be anybody's.
        """
        wanted = [_THOUSANDS.sub("", _spaced(value)) if value is not None else "" for value in values]
        if not wanted[key]:
            return Proof(reason="its key is empty")
        others = [value for place, value in enumerate(wanted) if value and place != key]
        others = [value for value in dict.fromkeys(others) if not _holds(self._title, value)]
        missing = [value for value in (wanted[key], *others) if next(_places(self._text, value), None) is None]
        if missing:
            return Proof(reason=f"the source does not say {_named(missing)}")
        between = [rival for rival in rivals if rival not in wanted and _LETTER.search(rival)]
        found = ""
        for start in _places(self._text, wanted[key]):
            span = self._span(start, wanted[key], others)
            if span is None:
                continue
            found = next((rival for rival in between if _holds(self._text[slice(*span)], rival)), "")
            if not found:
                return Proof(locator=f"text={span[0]}-{span[1]}")
        if found:
            return Proof(reason=f"its values stand apart, with {found[:60]!r} of another row between them")
        return Proof(reason=f"the source nowhere says {_named(others)} near {wanted[key][:60]!r}")

    def _span(self, start: int, key: str, others: Sequence[str]) -> tuple[int, int] | None:
        """From the first to the last of the values around a key's place, if all are near."""
        begin = max(0, start - NEAR)
        around = self._text[begin : start + len(key) + NEAR]
        near = [place for value in others if (place := _nearest(around, value, start - begin)) is not None]
        if len(near) < len(others):
            return None
        spans = [(start, start + len(key)), *((begin + first, begin + end) for first, end in near)]
        return min(spans)[0], max(end for _, end in spans)


def _nearest(text: str, value: str, place: int) -> tuple[int, int] | None:
    starts = list(_places(text, value))
    if not starts:
        return None
    start = min(starts, key=lambda one: abs(one - place))
    return start, start + len(value)


def _places(text: str, value: str) -> Iterator[int]:
    """Where a value stands as a word of its own, not inside of another."""
    start, count = text.find(value), 0
    while start >= 0 and count < _MOST_PLACES:
        end = start + len(value)
        before, after = text[start - 1 : start], text[end : end + 1]
        if not (_joins(before, value[0]) or _joins(value[-1], after)):
            count += 1
            yield start
        start = text.find(value, start + 1)


def _joins(left: str, right: str) -> bool:
    return bool(left and right) and left[-1].isalnum() and right[0].isalnum()


def _holds(text: str, value: str) -> bool:
    return next(_places(text, value), None) is not None


def _named(values: Sequence[str]) -> str:
    return ", ".join(repr(value[:60]) for value in values[:3])


def _spaced(text: str) -> str:
    return " ".join(text.split())

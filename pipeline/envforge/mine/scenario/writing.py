"""Texts with a form: slots filled, light markup read as typed pieces, addresses and days in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from envforge.core.errors import BuildError
from envforge.mine.scenario.people import plain
from envforge.mine.scenario.text import SLOT

_MONTHS = (
    ("January", "February", "March", "April", "May", "June", "July")
    + ("August", "September", "October", "November", "December")
)  # fmt: skip
_CLOSED = frozenset({(12, day) for day in range(24, 32)} | {(1, 1)})
_MARKS = (
    ("### ", "heading_3"),
    ("## ", "heading_2"),
    ("# ", "heading_1"),
    ("- ", "bullet"),
    ("[ ] ", "to_do"),
    ("[x] ", "to_do"),
    ("> ", "quote"),
    ("! ", "callout"),
    ("+ ", "toggle"),
    ("@ ", "bookmark"),
)
_NUMBERED = re.compile(r"\d+\. ")
_CODE = re.compile(r"~([a-z]+) ")


def fill(text: str, slots: Mapping[str, Any]) -> str:
    """`text` with every {slot} replaced. Raises BuildError for a slot without a value."""

    def value(found: re.Match[str]) -> str:
        if found[1] not in slots:
            raise BuildError(f"nothing to fill {{{found[1]}}} with, in {text[:80]!r}")
        return str(slots[found[1]])

    return SLOT.sub(value, text)


def outline(text: str) -> list[dict[str, Any]]:
    """The lines of a text in light markup as pieces, in order: kind, text, depth, position, checked, language, url.

    Two blanks more at the start of a line put it inside the piece above. Kinds are paragraph, heading_1 to
    heading_3, bullet, numbered, to_do, quote, callout, toggle, code, bookmark and divider.
    """
    pieces: list[dict[str, Any]] = []
    counts: list[int] = []
    for line in text.split("\n"):
        bare = line.strip()
        if not bare:
            continue
        depth = min((len(line) - len(line.lstrip(" "))) // 2, len(counts))
        counts = counts[: depth + 1] if len(counts) > depth else [*counts, 0]
        pieces.append({**_piece(bare), "depth": depth, "position": counts[depth]})
        counts[depth] += 1
    return pieces


def _piece(line: str) -> dict[str, Any]:
    piece: dict[str, Any] = {"kind": "paragraph", "text": line, "checked": None, "language": None, "url": None}
    if line == "---":
        return {**piece, "kind": "divider", "text": None}
    code = _CODE.match(line)
    if code is not None:
        return {**piece, "kind": "code", "text": line[code.end() :], "language": code[1]}
    if _NUMBERED.match(line):
        return {**piece, "kind": "numbered", "text": line.split(". ", 1)[1]}
    for mark, kind in _MARKS:
        if line.startswith(mark):
            piece |= {"kind": kind, "text": line[len(mark) :]}
            if kind == "to_do":
                piece["checked"] = mark == "[x] "
            if kind == "bookmark":
                url, _, caption = piece["text"].partition(" ")
                piece |= {"url": url, "text": caption or None}
            break
    return piece


def slug(text: str) -> str:
    """A text as part of an address: its words, without accents, joined by hyphens."""
    found = [plain(word) if word.isalpha() else word.lower() for word in re.findall(r"[^\W_]+", text)]
    kept = [word for word in found if word.isascii()]
    return "-".join(kept)[:60].strip("-") or "untitled"


def is_workday(when: date) -> bool:
    """Monday to Friday, without the days between Christmas Eve and New Year."""
    return when.weekday() < 5 and (when.month, when.day) not in _CLOSED


def workday(day: str, count: int = 0) -> str:
    """The date `count` working days later (earlier if negative); a free day moves on to the next working day first."""
    moved = date.fromisoformat(day[:10])
    while not is_workday(moved):
        moved += timedelta(days=1)
    step = 1 if count >= 0 else -1
    for _ in range(abs(count)):
        moved += timedelta(days=step)
        while not is_workday(moved):
            moved += timedelta(days=step)
    return moved.isoformat()


def day_words(day: str, year: bool = False) -> str:
    """A date as people write it: `4 March`, or `4 March 2025`."""
    when = date.fromisoformat(day[:10])
    return f"{when.day} {_MONTHS[when.month - 1]}" + (f" {when.year}" if year else "")

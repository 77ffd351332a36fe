"""Texts of table cells into typed columns: numbers with thousands marks, dates, units, words for nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from envforge.core.records.extraction import ColumnType, MinedColumn
from envforge.mine.extract.records import typed_values

_NOTHING = frozenset({"", "—", "–", "―", "n/a", "N/A", "n.a."})
_NO_NUMBER = _NOTHING | {"-", "−", "...", "…", "?", "unknown", "Unknown", "TBD", "NA"}
_NUMBER = re.compile(r"^[+-]?(\d{1,3}([,\u0020']\d{3})+|\d{1,18})(\.\d{1,15})?$")
_LEADING_ZERO = re.compile(r"^[+-]?0\d")
_UNIT = re.compile(r"^(.{1,80}?)\s*[(\[]([^()\[\]]{1,16})[)\]]$")
_SOME_UNIT = re.compile(
    r"^(%|°[CF]|(k|c|m|d|µ|n|M|G)?(m|g|l|L|W|Hz|J|V|A|B|Pa|s)[²³23]?|k?m/h|mph|kg/m[³3]|lbs?|"
    r"(sq |cu )?(mi|ft|in|yd|km|m)|oz|kWh|h|min|days?|years?|months?|hours?|minutes?|seconds?|mm Hg|hPa|bytes?|bits?|"
    r"[KMGT]i?B|USD|EUR|GBP|US\$|[$€£¥]|ha|acres?|people|inhabitants|persons?|millions?|billions?|thousands?|"
    r"per km[²2]|/km[²2])$"
)
_PLURAL = re.compile(r"(?<=[a-z])\(s\)$")
_DATES = ("%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y", "%B %d %Y", "%Y/%m/%d")
_MAYBE_DATE = re.compile(r"^[\w, /]{8,18}$")
_YES_NO = {"yes": True, "no": False, "✓": True, "✔": True, "✗": False, "✘": False, "true": True, "false": False}


def split_unit(header: str) -> tuple[str, str | None]:
    """'Area (km²)' is the name Area with the unit km²; other words in brackets belong to the name."""
    header = _PLURAL.sub("s", header)  # "Example(s)" counts examples, not seconds
    found = _UNIT.match(header)
    if found and _SOME_UNIT.match(found[2].strip()):
        return found[1], found[2].strip()
    return header, None


def typed_column(name: str, unit: str | None, texts: Sequence[str]) -> tuple[MinedColumn, list[Any]]:
    """The column and its values; a type is taken only when every cell that says something has it."""
    kind, values, found = _typed(texts)
    column = MinedColumn(name=name, type=kind, nullable=any(value is None for value in values), unit=unit or found)
    return column, values


def _typed(texts: Sequence[str]) -> tuple[ColumnType, list[Any], str | None]:
    said = [text for text in texts if text not in _NO_NUMBER]
    if said:
        bare = [text.replace("−", "-") for text in said]
        percent = "%" if all(text.endswith("%") for text in bare) else None
        if percent:
            bare = [text[:-1].rstrip() for text in bare]
        if all(_NUMBER.match(text) and not _LEADING_ZERO.match(text) for text in bare):
            numbers = iter([_number(text) for text in bare])
            kind, values = typed_values([None if text in _NO_NUMBER else next(numbers) for text in texts])
            return kind, values, percent
        if all(_date(text) is not None for text in said):
            rest = iter([_date(text) for text in said])
            return "date", [None if text in _NO_NUMBER else next(rest) for text in texts], None
        if {text.lower() for text in said} <= _YES_NO.keys() and len({_YES_NO[text.lower()] for text in said}) == 2:
            return "boolean", [None if text in _NO_NUMBER else _YES_NO[text.lower()] for text in texts], None
    kind, values = typed_values([None if text in _NOTHING else text for text in texts])
    return kind, values, None


def _number(text: str) -> int | float:
    plain = text.replace(",", "").replace(" ", "").replace("'", "")
    return float(plain) if "." in plain else int(plain)


def _date(text: str) -> str | None:
    if not _MAYBE_DATE.match(text):
        return None
    for form in _DATES:
        try:
            return datetime.strptime(text, form).date().isoformat()
        except ValueError:
            continue
    return None


def free_names(headers: Sequence[str]) -> list[tuple[str, str | None]]:
    """Column names with their units; where two columns differ in the unit only, it stays in the name."""
    split = [split_unit(header) for header in headers]
    bare = [name.lower() for name, _ in split]
    names: list[tuple[str, str | None]] = []
    taken: set[str] = set()
    for number, ((name, unit), header) in enumerate(zip(split, headers, strict=True), start=1):
        wanted = (header if unit and bare.count(name.lower()) > 1 else name) or f"column {number}"
        free, count = wanted, 2
        while free.lower() in taken:
            free, count = f"{wanted} {count}", count + 1
        taken.add(free.lower())
        names.append((free, unit))
    return names

"""Checks and answer schemas in words."""

from __future__ import annotations

import json
import re
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, cast

from envforge.core.records.task import Check, FreeChange

_LONGEST = 300
_ALIKE = 3


def check_words(check: Check) -> str:
    """What a check wants."""
    return _KINDS[check.kind](check)


def check_rows(checks: Sequence[Check]) -> list[tuple[str, str, str]]:
    """Id, weight and condition; of many alike the first few."""
    counts = Counter(_stem(check.id) for check in checks)
    seen: Counter[str] = Counter()
    rows: list[tuple[str, str, str]] = []
    for check in checks:
        stem = _stem(check.id)
        seen[stem] += 1
        if seen[stem] <= _ALIKE or counts[stem] == _ALIKE + 1:
            rows.append((check.id, f"{check.weight:g}" if check.weight else "guard", check_words(check)))
        elif seen[stem] == counts[stem]:
            rows.append((f"… {check.id}", "", f"{counts[stem] - _ALIKE} more of this kind (--json has all)"))
    return rows


def named(ids: Sequence[str]) -> str:
    """Ids of checks, many alike as a range."""
    groups: dict[str, list[str]] = {}
    for name in ids:
        groups.setdefault(_stem(name), []).append(name)
    return ", ".join(f"{held[0]} … {held[-1]}" if len(held) > _ALIKE else ", ".join(held) for held in groups.values())


def _stem(name: str) -> str:
    return re.sub(r"-\d+$", "", name)


def field_rows(schema: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Fields of an answer: name, type, description."""
    fields = cast("Mapping[str, Mapping[str, Any]]", schema.get("properties", {}))
    return [(name, _type(field), str(field.get("description", ""))) for name, field in fields.items()]


def wrapped(text: str, width: int) -> list[str]:
    """Lines of a text, its own line breaks kept."""
    return [line for part in text.split("\n") for line in (textwrap.wrap(part, width) or [""])]


def _type(field: Mapping[str, Any]) -> str:
    kinds: Any = field.get("type", "anything")
    names = [str(kind) for kind in cast("list[Any]", kinds)] if isinstance(kinds, list) else [str(kinds)]
    words = " or ".join("nothing" if name == "null" else name for name in names)
    items: Any = field.get("items")
    return f"{words} of {_type(cast('Mapping[str, Any]', items))}s" if isinstance(items, dict) else words


def _answer(check: Check) -> str:
    how = {
        "exact": "is",
        "number": "is" if not check.tolerance else f"is, give or take {check.tolerance:g},",
        "set": "has, in any order,",
        "ordered": "has, in this order,",
        "normalised_text": "says, case and spacing aside,",
    }[check.match]
    return f"{check.path} {how} {_value(check.expect)}"


def _row(check: Check) -> str:
    columns = _columns(check.expect)
    if check.inserted:
        rows = "one new row" if check.count == 1 else f"{check.count} new rows"
        return f"{rows} of {check.table} with {columns}"
    free = f" ({', '.join(check.free_columns)} may change too)" if check.free_columns else ""
    return f"{check.table} {_key(check.where)} has {columns}{free}"


def _absent(check: Check) -> str:
    return f"{check.table} {_key(check.where)} is gone"


def _count(check: Check) -> str:
    return f"{check.table} has {check.expect:+d} rows"


def _document(check: Check) -> str:
    return f"{check.path} is gone" if check.expect is None else f"{check.path} has the text {_value(check.expect)}"


def _unchanged(check: Check) -> str:
    free = "; ".join(_free(change) for change in check.free)
    return "nothing else changes" + (f", but these may: {free}" if free else "")


def _free(change: FreeChange) -> str:
    what = f"{'/'.join(change.changes)} of {change.table}"
    what += f" ({', '.join(change.columns)})" if change.columns else ""
    if change.column:
        what += f" where {change.column} is {' or '.join(_value(value) for value in change.values[:5])}"
        what += " …" if len(change.values) > 5 else ""
    return what + (f", {len(change.keys)} rows" if change.keys else "")


_KINDS = {
    "answer": _answer,
    "row": _row,
    "absent": _absent,
    "count": _count,
    "document": _document,
    "unchanged": _unchanged,
}


def _key(where: Mapping[str, Any]) -> str:
    return ", ".join(str(value) for value in where.values())


def _columns(expect: Any) -> str:
    held: Mapping[str, Any] = cast("Mapping[str, Any]", expect) if isinstance(expect, Mapping) else {}
    return ", ".join(f"{name} = {_value(value)}" for name, value in held.items())


def _value(value: Any) -> str:
    text = "nothing" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"

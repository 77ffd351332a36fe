"""What a column's name and values say about it: enum, unit, format and role."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from envforge.core.records.extraction import ColumnType
from envforge.mine.infer.names import words

MAX_ENUM = 12
_MIN_ENUM_REPEATS = 10
_MAX_ENUM_TEXT = 40
_SAMPLE = 500

_UNITS = {
    "km": "km", "kilometers": "km", "kilometres": "km", "meters": "m", "metres": "m", "cm": "cm", "mm": "mm",
    "ft": "ft", "feet": "ft", "miles": "mi", "mi": "mi", "inches": "in", "kg": "kg", "grams": "g", "lb": "lb",
    "lbs": "lb", "minutes": "min", "mins": "min", "seconds": "s", "secs": "s", "ms": "ms", "hours": "h", "days": "d",
    "percent": "%", "pct": "%", "usd": "USD", "eur": "EUR", "gbp": "GBP", "celsius": "°C", "fahrenheit": "°F",
    "mph": "mph", "kmh": "km/h", "knots": "kn", "kb": "kB", "mb": "MB", "gb": "GB", "bytes": "B", "hpa": "hPa",
    "degrees": "deg", "deg": "deg", "latitude": "deg", "longitude": "deg", "lat": "deg", "lon": "deg", "lng": "deg",
    "watts": "W", "kw": "kW", "kwh": "kWh", "volts": "V", "litres": "l", "liters": "l", "ml": "ml",
}  # fmt: skip
_SIZE_UNITS = frozenset({"kb", "mb", "gb"})
_SIZES = frozenset({"size", "file", "memory", "ram", "disk", "storage", "download", "upload", "used", "free", "total"})
_FORMATS = (
    ("local-date-time", re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")),
    ("time", re.compile(r"[0-2]\d:[0-5]\d(:[0-5]\d)?")),
    ("email", re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")),
    ("uri", re.compile(r"https?://\S+")),
    ("uuid", re.compile(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}")),
    ("time-zone", re.compile(r"(Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific)/\S+")),
)
_EXACT_ROLES = {
    "name": "title", "title": "title", "subject": "title", "label": "title", "headline": "title", "full_name": "title",
    "description": "body", "body": "body", "content": "body", "text": "body", "notes": "body", "comment": "body",
    "created": "created_at", "date_created": "created_at", "creation_date": "created_at",
    "updated": "updated_at", "modified": "updated_at", "last_modified": "updated_at", "last_edited": "updated_at",
    "status": "state", "state": "state", "type": "type", "kind": "type", "category": "type",
    "position": "position", "sort_order": "position", "rank": "position", "sequence": "position",
    "quantity": "quantity", "qty": "quantity", "stock": "quantity", "capacity": "quantity", "seats": "quantity",
    "amount": "amount", "price": "amount", "cost": "amount", "total": "amount", "fare": "amount", "fee": "amount",
    "balance": "amount", "parent": "parent", "parent_id": "parent", "owner": "owner", "owner_id": "owner",
    "author": "author", "author_id": "author", "created_by": "author",
}  # fmt: skip
_TIME_WORDS = (
    ("created_at", frozenset({"created", "creation"})),
    ("updated_at", frozenset({"updated", "modified", "edited"})),
    ("starts_at", frozenset({"start", "starts", "begin", "begins", "departure", "departs", "opens"})),
    ("ends_at", frozenset({"end", "ends", "arrival", "arrives", "due", "closes", "finish"})),
)
_NUMERIC_ROLES = frozenset({"position", "quantity", "amount"})
_PLACES = frozenset({"city", "country", "zip", "postcode", "county", "province", "address"})


def find_enum(name: str, kind: ColumnType, values: Sequence[Any]) -> tuple[str, ...]:
    """The few values that a text column takes again and again, sorted; empty when it is not such a column."""
    if kind != "text" or set(words(name)) & ({"name", "title"} | _PLACES):
        return ()
    seen: set[str] = set()
    filled = 0
    for value in values:
        if value is None:
            continue
        filled += 1
        seen.add(value)
        if len(seen) > MAX_ENUM:
            return ()
    if len(seen) < 2 or filled < len(seen) * _MIN_ENUM_REPEATS:
        return ()
    return tuple(sorted(seen)) if all(0 < len(value) <= _MAX_ENUM_TEXT for value in seen) else ()


def find_unit(name: str, kind: ColumnType) -> str | None:
    """The unit that the last word of a numeric column's name states."""
    if kind not in ("integer", "real"):
        return None
    parts = words(name)
    if not parts or "per" in parts:
        return None
    # `size_mb` is megabytes; `c6_gb` is nobody knows what.
    if parts[-1] in _SIZE_UNITS and not _SIZES & set(parts):
        return None
    return _UNITS.get(parts[-1])


def find_format(kind: ColumnType, values: Sequence[Any]) -> str | None:
    """The format that all (sampled) values of a text column have."""
    if kind != "text":
        return None
    step = max(1, len(values) // _SAMPLE)
    sample = [value for value in values[::step] if value is not None]
    if not sample:
        return None
    return next((name for name, pattern in _FORMATS if all(pattern.fullmatch(value) for value in sample)), None)


def find_role(name: str, kind: ColumnType, *, form: str | None, enum: bool, columns: Sequence[str]) -> str | None:
    """What the column is for (see Column.role), or None. `columns` are the names of all columns of the table."""
    if form in ("email", "uri"):
        return "email" if form == "email" else "url"
    if kind in ("timestamp", "date"):
        return _time_role(name)
    role = _EXACT_ROLES.get(name)
    if role is None or (role in _NUMERIC_ROLES) != (kind in ("integer", "real")):
        return None
    if role == "title" and kind != "text":
        return None
    # `state` beside a city is a part of an address; a lifecycle has few states.
    if role in ("state", "type") and (not enum or (name == "state" and _PLACES & set(columns))):
        return None
    return role


def _time_role(name: str) -> str | None:
    parts = set(words(name))
    if parts & {"actual", "local"}:
        return None
    return next((role for role, telling in _TIME_WORDS if parts & telling), None)

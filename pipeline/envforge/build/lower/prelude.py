"""Small functions that generated tool modules embed when they use them, with an underscore before the name.

They are ordinary code, tested here as such. Their text is copied, so they may use only each other, the
constants of this file and the modules that tools.py may import. Parameter names must not be function names.
"""
# The generated modules write `dict` and `list[dict]` in their signatures, so these functions do as well.
# pyright: reportMissingTypeArgument=false, reportUnknownParameterType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime, timedelta

from envforge.world.api import ToolError

EMAIL = re.compile(r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)+")
TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d", re.ASCII)
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
URL = re.compile(r"https?://[^\s/?#]+[^\s]*")
UUID = re.compile(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
CURSOR = re.compile(r"after-(\d{1,9})", re.ASCII)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def invalid(name: str, rule: str, value: object) -> ToolError:
    """The error for an argument that breaks a rule."""
    return ToolError("invalid_argument", f"{name} must be {rule}, not {value!r:.80}.", f"Give {rule}.")


def check_text(name: str, value: object, shortest: int = 1, longest: int = 20_000) -> None:
    """Refuse what is not text of a sensible length."""
    if not isinstance(value, str):
        raise invalid(name, "text", value)
    if shortest and not value.strip():
        raise invalid(name, "text that is not empty", value)
    if not shortest <= len(value) <= longest:
        raise invalid(name, f"text of {shortest} to {longest} characters", value)


def check_choice(name: str, value: object, allowed: tuple) -> None:
    """Refuse what is not one of the allowed values."""
    if isinstance(value, bool) or value not in allowed:
        choices = ", ".join(str(choice) for choice in allowed)
        raise ToolError("invalid_argument", f"{name} cannot be {value!r:.80}.", f"Allowed values: {choices}.")


def check_flag(name: str, value: object) -> None:
    """Refuse what is neither true nor false."""
    if not isinstance(value, bool):
        raise invalid(name, "true or false", value)


def check_integer(name: str, value: object, least: int | None = None, most: int | None = None) -> None:
    """Refuse what is not a whole number in the range."""
    if isinstance(value, bool) or not isinstance(value, int) or not -(2**63) <= value < 2**63:
        raise invalid(name, "a whole number", value)
    check_range(name, value, least, most)


def check_number(name: str, value: object, least: float | None = None, most: float | None = None) -> None:
    """Refuse what is not a finite number in the range."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not -(2**63) <= value < 2**63:
        raise invalid(name, "a number", value)
    check_range(name, value, least, most)


def check_range(name: str, value: float, least: float | None, most: float | None) -> None:
    """Refuse a number outside of the range."""
    if least is not None and value < least:
        raise invalid(name, f"at least {least}", value)
    if most is not None and value > most:
        raise invalid(name, f"at most {most}", value)


def check_date(name: str, value: object) -> None:
    """Refuse what is not a calendar date."""
    if not is_date(value):
        raise invalid(name, "a date written as YYYY-MM-DD", value)


def check_timestamp(name: str, value: object) -> None:
    """Refuse what is not a moment in UTC."""
    if not is_timestamp(value):
        raise invalid(name, "a time in UTC written as YYYY-MM-DDTHH:MM:SSZ", value)


def check_time(name: str, value: object) -> None:
    """Refuse what is not a time of day."""
    if not isinstance(value, str) or not TIME.fullmatch(value):
        raise invalid(name, "a time of day written as HH:MM", value)


def check_email(name: str, value: object) -> None:
    """Refuse what is not an e-mail address."""
    if not is_email(value):
        raise invalid(name, "an e-mail address", value)


def check_url(name: str, value: object) -> None:
    """Refuse what is not a web address."""
    if not is_url(value):
        raise invalid(name, "a URL that starts with http:// or https://", value)


def check_uuid(name: str, value: object) -> None:
    """Refuse what is not a UUID."""
    if not isinstance(value, str) or not UUID.fullmatch(value):
        raise invalid(name, "a UUID (8-4-4-4-12 hexadecimal digits)", value)


def check_pattern(name: str, value: object, pattern: re.Pattern) -> None:
    """Refuse what is not written in the given form."""
    if not isinstance(value, str) or not pattern.search(value):
        raise invalid(name, f"text of the form {pattern.pattern}", value)


def check_list(name: str, value: object, fewest: int = 0, most: int = 1_000) -> None:
    """Refuse what is not a list of a sensible length."""
    if not isinstance(value, list):
        raise invalid(name, "a list", value)
    if not fewest <= len(value) <= most:
        raise invalid(name, f"a list of {fewest} to {most} items", value)


def check_distinct(name: str, values: list) -> None:
    """Refuse a list that holds a value twice."""
    if any(value in values[:position] for position, value in enumerate(values)):
        raise invalid(name, "a list without repeated items", values)


def check_object(name: str, value: object, known: tuple = (), required: tuple = ()) -> None:
    """Refuse what is not an object with the known keys (any key, if none are named)."""
    if not isinstance(value, dict):
        raise invalid(name, "an object", value)
    for key in value:
        if known and key not in known:
            hint = f"Known keys: {', '.join(known)}."
            raise ToolError("invalid_argument", f"{name} has no key {key!r:.80}.", hint)
    for key in required:
        if key not in value:
            hint = f"Required keys: {', '.join(required)}."
            raise ToolError("invalid_argument", f"{name} lacks the key {key!r}.", hint)


def is_date(value: object) -> bool:
    """True for a calendar date written as YYYY-MM-DD."""
    if not isinstance(value, str) or not DATE.fullmatch(value):
        return False
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


def is_timestamp(value: object) -> bool:
    """True for a moment in UTC written as YYYY-MM-DDTHH:MM:SSZ."""
    if not isinstance(value, str) or not TIMESTAMP.fullmatch(value):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def is_email(value: object) -> bool:
    """True for text that looks like an e-mail address."""
    return isinstance(value, str) and len(value) <= 254 and EMAIL.fullmatch(value) is not None


def is_url(value: object) -> bool:
    """True for an absolute http or https address."""
    return isinstance(value, str) and len(value) <= 2_000 and URL.fullmatch(value) is not None


def moment(text: str) -> datetime:
    """A date or timestamp as a point in time; UTC unless the text says otherwise."""
    point = datetime.fromisoformat(text)
    return point if point.tzinfo else point.replace(tzinfo=UTC)


def shifted(text: str, step: timedelta) -> str:
    """A date or timestamp moved by `step`, written as the text was."""
    if len(text) == 10:
        return (datetime.fromisoformat(text) + step).date().isoformat()
    return (datetime.fromisoformat(text) + step).isoformat().replace("+00:00", "Z")


def add_minutes(text: str, minutes: float) -> str:
    """The date or timestamp that many minutes later."""
    return shifted(text, timedelta(minutes=minutes))


def add_days(text: str, days: float) -> str:
    """The date or timestamp that many days later."""
    return shifted(text, timedelta(days=days))


def minutes_between(start: str, end: str) -> int:
    """Whole minutes from start to end; negative if end is earlier."""
    return int((moment(end) - moment(start)).total_seconds() / 60)


def days_between(start: str, end: str) -> int:
    """Calendar days from start to end, by their dates."""
    return (date.fromisoformat(end[:10]) - date.fromisoformat(start[:10])).days


def date_of(text: str) -> str:
    """The date of a timestamp, YYYY-MM-DD."""
    return text[:10]


def time_of(text: str) -> str:
    """The time of day of a timestamp, HH:MM."""
    return text[11:16]


def weekday_of(text: str) -> str:
    """The English name of the weekday of a date or timestamp."""
    return WEEKDAYS[date.fromisoformat(text[:10]).weekday()]


def like(text: str) -> str:
    """Text for a LIKE pattern (ESCAPE '!') that stands for itself."""
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")


def marks(values: list) -> str:
    """One placeholder for each value of an IN list."""
    return ", ".join("?" * len(values))


def where_all(conditions: list[str]) -> str:
    """The WHERE clause for conditions that all must hold; empty if there are none."""
    return "WHERE " + "\n  AND ".join(conditions) if conditions else ""


def assignments(changes: dict) -> str:
    """The SET list of an UPDATE, with a placeholder for each column."""
    return ", ".join(f"{column} = ?" for column in changes)


def given(**columns: object) -> dict:
    """The columns that were given a value."""
    return {column: value for column, value in columns.items() if value is not None}


def offset_of(cursor: object) -> int:
    """The position where a page starts; the beginning without a cursor."""
    if cursor is None:
        return 0
    match = CURSOR.fullmatch(cursor) if isinstance(cursor, str) else None
    if match is None:
        raise ToolError(
            "invalid_argument",
            f"{cursor!r:.80} is not a cursor.",
            "Pass the next_cursor of the page before, or leave it out to start at the beginning.",
        )
    return int(match[1])


def page(rows: list[dict], size: int, offset: int) -> dict:
    """One page out of a query that asked for one row more than the page holds."""
    has_more = len(rows) > size
    return {
        "items": rows[:size],
        "next_cursor": f"after-{offset + size}" if has_more else None,
        "has_more": has_more,
    }


def flag(value: int | None) -> bool | None:
    """A stored 0, 1 or NULL as a JSON boolean or null."""
    return None if value is None else bool(value)


def parsed(text: str | None) -> object:
    """Stored JSON text as a value."""
    return None if text is None else json.loads(text)


def to_json(value: object) -> str | None:
    """A value as canonical JSON text for a column; None stays NULL."""
    if value is None:
        return None
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

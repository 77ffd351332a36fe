"""How people say dates and times of day, alone and beside each other in one text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
ISO_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?(?!\d)")
_RELATIVE = frozenset({"today", "tomorrow", "yesterday"})
_YEAR = re.compile(r" \d{4}$")
NEAR_PAST, NEAR_FUTURE = 6, 20
"""Days around the clock in which "Thursday the 17th" is one day only: the pair comes again after 28 days at least."""
YEARLESS = 150
"""Days around the clock within which "17 January" is the one that people mean."""


def moment_of(text: str) -> datetime:
    """The moment in ISO form. Raises ValueError."""
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"{text!r} is no date or time in ISO form") from error


def date_forms(value: Any, now: datetime | None) -> Sequence[str]:
    """The first form names the day in full; the others are as exact. Raises ValueError for what is no date."""
    if not isinstance(value, str) or not ISO_DATE.fullmatch(value):
        raise ValueError(f"{value!r} is no date in ISO form")
    moment = moment_of(value)
    if moment.time() != time(0):
        raise ValueError(f"{value!r} is a moment, not a date: take date(…) of it, or say it as date_time")
    return _day(moment.date(), now)


def _day(day: date, now: datetime | None) -> Sequence[str]:
    weekday, month = _WEEKDAYS[day.weekday()], _MONTHS[day.month - 1]
    if now is None:
        return (f"{day.day} {month} {day.year}",)
    apart = (day - now.date()).days
    if abs(apart) > YEARLESS:
        return (f"{day.day} {month} {day.year}",)
    if not -NEAR_PAST <= apart <= NEAR_FUTURE:
        return (f"{day.day} {month}", f"{weekday} {day.day} {month}")
    near = [f"{weekday} the {day.day}{_suffix(day.day)}", f"{weekday} {day.day} {month}"]
    if _same_day_everywhere(now):
        near += {0: ["today"], 1: ["tomorrow"], -1: ["yesterday"]}.get(apart, [])
    return near


def dates_together(spoken: Mapping[str, str], days: Mapping[str, str]) -> dict[str, str]:
    """The words for dates that stand in one text, as exact as each other; `days` (YYYY-MM-DD) are what they mean.

    Beside another date "Thursday the 6th" may be read as of its month, "8 November" as of its year, and nobody says
    "from Tuesday 15 January to tomorrow". A weekday is said of all of them or of none. A single date, and dates that
    are all said from today on (today and tomorrow), stay as they are.
    """
    if len(spoken) < 2 or all(word in _RELATIVE for word in spoken.values()):
        return dict(spoken)
    with_weekday = all(word.startswith(_WEEKDAYS) or word in _RELATIVE for word in spoken.values())
    with_year = any(_YEAR.search(word) for word in spoken.values())
    return {name: _in_full(date.fromisoformat(days[name]), with_weekday, with_year) for name in spoken}


def _in_full(day: date, with_weekday: bool, with_year: bool) -> str:
    weekday = f"{_WEEKDAYS[day.weekday()]} " if with_weekday else ""
    return f"{weekday}{day.day} {_MONTHS[day.month - 1]}{f' {day.year}' if with_year else ''}"


def _same_day_everywhere(now: datetime) -> bool:
    """Whether people from the west coast of America to Japan have the same date."""
    return (now - timedelta(hours=8)).date() == (now + timedelta(hours=9)).date()


def _suffix(number: int) -> str:
    if 10 < number % 100 < 14:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def month_forms(value: Any, now: datetime | None) -> Sequence[str]:
    """A month near the clock needs no year. Raises ValueError for what is no month."""
    match = re.fullmatch(r"(\d{4})-(\d{2})(?:-01)?", value) if isinstance(value, str) else None
    if match is None or not 1 <= int(match.group(2)) <= 12:
        raise ValueError(f"{value!r} is no month in ISO form (2013-03)")
    year, month = int(match.group(1)), int(match.group(2))
    full = f"{_MONTHS[month - 1]} {year}"
    if now is None or abs((year - now.year) * 12 + month - now.month) > 5:
        return (full,)
    return (_MONTHS[month - 1], full)


def clock_forms(value: Any) -> Sequence[str]:
    """A time of day, of a moment too. Raises ValueError for seconds, and for zones other than UTC."""
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is no time of day in ISO form (07:05)")
    match = re.fullmatch(r"(?:\d{4}-\d{2}-\d{2}[T ])?(\d{2}):(\d{2})(?::00(?:\.0+)?)?(Z|\+00:?00)?", value)
    if match is None or int(match.group(1)) > 23 or int(match.group(2)) > 59:
        raise ValueError(f"{value!r} is no time of day that people say: hours and minutes, local or in UTC")
    return (_time_of_day(int(match.group(1)), int(match.group(2))) + (" UTC" if match.group(3) else ""),)


def _time_of_day(hour: int, minute: int) -> str:
    if minute == 0 and hour in (0, 12):
        return "12 noon" if hour else "midnight"
    return f"{(hour + 11) % 12 + 1}{f':{minute:02d}' if minute else ''} {'pm' if hour >= 12 else 'am'}"


def date_time_forms(value: Any, now: datetime | None) -> Sequence[str]:
    """A moment in all forms of its day. Raises ValueError for what is none."""
    if not isinstance(value, str) or len(value) < 16 or not ISO_DATE.fullmatch(value):
        raise ValueError(f"{value!r} is no date with a time in ISO form")
    days = _day(moment_of(value).date(), now)
    when = clock_forms(value)[0]
    if when.startswith("midnight"):
        return tuple(f"{when} at the start of {day}" for day in days)
    return tuple(f"{day} at {when}" if day in _RELATIVE else f"{when} on {day}" for day in days)

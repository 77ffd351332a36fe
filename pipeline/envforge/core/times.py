"""Time arithmetic on ISO 8601 text, as the expression language has it. Timestamps are UTC with seconds."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from envforge.core.errors import BuildError

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@lru_cache(maxsize=65536)
def moment(text: str) -> datetime:
    """The moment a timestamp (or the midnight a date) names. Raises BuildError."""
    try:
        found = datetime.fromisoformat(text)
    except (TypeError, ValueError) as error:
        raise BuildError(f"{text!r} is neither a date nor a timestamp") from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def timestamp(when: datetime) -> str:
    """A moment as the database keeps it."""
    # isoformat is a third of the cost of strftime, and a season of bookings asks for it 200,000 times.
    return when.astimezone(UTC).isoformat(timespec="seconds")[:19] + "Z"


def add_minutes(text: str, minutes: float) -> str:
    """A timestamp `minutes` later."""
    return timestamp(moment(text) + timedelta(minutes=minutes))


def add_days(text: str, days: int) -> str:
    """A date or timestamp `days` later, in the shape of the input."""
    if len(text) == len("2000-01-01"):
        return (date.fromisoformat(text) + timedelta(days=days)).isoformat()
    return timestamp(moment(text) + timedelta(days=days))


def date_of(text: str) -> str:
    """The date of a timestamp."""
    return text[:10]


def time_of(text: str) -> str:
    """The time of day of a timestamp, HH:MM."""
    return text[11:16]


def weekday_of(text: str) -> str:
    """The English name of the weekday."""
    return WEEKDAYS[moment(text).weekday()]


def days_between(first: str, second: str) -> int:
    """Whole calendar days from `first` to `second` (by date)."""
    return (date.fromisoformat(second[:10]) - date.fromisoformat(first[:10])).days


def minutes_between(first: str, second: str) -> int:
    """Whole minutes from `first` to `second`."""
    return int((moment(second) - moment(first)).total_seconds() // 60)


@lru_cache(maxsize=512)
def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise BuildError(f"{name!r} is no time zone") from error


def local_time(text: str, zone: str) -> str:
    """The wall-clock time of a UTC timestamp in `zone`, `YYYY-MM-DDTHH:MM:SS` without an offset."""
    return moment(text).astimezone(_zone(zone)).strftime("%Y-%m-%dT%H:%M:%S")


def utc_time(text: str, zone: str) -> str:
    """The UTC timestamp of a wall-clock time in `zone`."""
    return timestamp(datetime.fromisoformat(text[:19]).replace(tzinfo=_zone(zone)))

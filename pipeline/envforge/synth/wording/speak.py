"""How people say values: dates, times, numbers, names, labels, lists.

Every form is exact: who hears it and knows the World's clock knows the value, and two values never sound alike.
A value that cannot be said so is refused with the reason, so that the candidate goal is refused too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from random import Random
from typing import Any, cast, get_args

from envforge.core.records.intent import Say

NUMBER_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
LIST_LIMIT = 8
TEXT_LIMIT = 200
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
UUID = re.compile(r"\b[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}\b")
ISO_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?(?!\d)")
_RELATIVE = frozenset({"today", "tomorrow", "yesterday"})
_YEAR = re.compile(r" \d{4}$")
_SLOT = re.compile(r"\{(\w+)(?:\|(\w+))?\}")
NEAR_PAST, NEAR_FUTURE = 6, 20
"""Days around the clock in which "Thursday the 17th" is one day only: the pair comes again after 28 days at least."""
YEARLESS = 150
"""Days around the clock within which "17 January" is the one that people mean."""


def speak(
    value: Any,
    say: Say,
    *,
    labels: Mapping[str, str] | None = None,
    rng: Random | None = None,
    clock: str | datetime | None = None,
) -> str:
    """The words for `value`; `say` is the kind of value, `rng` chooses among equal forms (None: the first).

    `labels` (value -> words) serves say=label and the items of say=list. `clock` is the World's epoch: with it dates
    may be said without a year. Times are spoken as they stand; one in UTC is said to be in UTC.
    Raises ValueError, with the reason, where no words would be exact.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        raise ValueError(f"nothing to say: the value is {value!r}")
    now = _moment(clock) if isinstance(clock, str) else clock
    forms = _forms(value, say, labels or {}, now)
    return rng.choice(forms) if rng is not None else forms[0]


def speak_row(
    words: str,
    row: Mapping[str, Any],
    *,
    labels: Mapping[str, Mapping[str, str]] | None = None,
    rng: Random | None = None,
    clock: str | datetime | None = None,
) -> str:
    """Words with {column} and {column|how} filled from `row`, as in Reference.say; `labels` is by column.

    A column without `how` is said as a name if it is text, as a number otherwise; {name|first} is its first word.
    Raises ValueError like `speak`, and for a column that the row lacks or a `how` that there is not.
    """

    def fill(match: re.Match[str]) -> str:
        column, how = match.group(1), match.group(2)
        if column not in row:
            raise ValueError(f"the row has no column {column!r}; it has {', '.join(row)}")
        value = row[column]
        if how == "first":
            return speak(str(value).partition(" ")[0], "name")
        how = how or ("name" if isinstance(value, str) else "number")
        if how not in get_args(Say):
            raise ValueError(f"{{{column}|{how}}}: {how!r} is none of {', '.join(get_args(Say))}")
        return speak(value, cast("Say", how), labels=(labels or {}).get(column), rng=rng, clock=clock)

    return _SLOT.sub(fill, words)


def number_words(value: int | float) -> tuple[str, ...]:
    """All the ways in which a number may stand in a text: `7` and `seven`, `1204` and `1,204`."""
    spoken = _number(value)[0]
    return tuple(dict.fromkeys((spoken, f"{value:g}" if isinstance(value, float) else str(value), f"{value:,}")))


def _forms(value: Any, say: Say, labels: Mapping[str, str], now: datetime | None) -> Sequence[str]:
    if say == "label":
        return (_label(value, labels),)
    if say == "list":
        return (_list(value, labels, now),)
    if say in ("date", "month", "date_time"):
        dated: dict[str, Callable[[Any, datetime | None], Sequence[str]]]
        dated = {"date": _date, "month": _month, "date_time": _date_time}
        return dated[say](value, now)
    plain: dict[str, Callable[[Any], Sequence[str]]] = {
        "text": lambda v: (_text(v),),
        "name": lambda v: (_name(v, "name"),),
        "place": lambda v: (_name(v, "place"),),
        "quoted": lambda v: (_quoted(v),),
        "code": lambda v: (_code(v),),
        "clock": _clock,
        "number": _number,
        "money": _money,
        "duration": _duration,
    }
    return plain[say](value)


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"{text!r} is no date or time in ISO form") from error


# -- words --------------------------------------------------------------------------------------------------------


def _line(value: Any) -> str:
    text = str(value)
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        raise ValueError(f"{value!r} is no text")
    if text != text.strip() or "  " in text or any(not c.isprintable() for c in text):
        raise ValueError(f"{text!r} has spaces or signs that cannot be heard")
    if len(text) > TEXT_LIMIT:
        raise ValueError(f"a text of {len(text)} characters is too long to be said ({TEXT_LIMIT} at most)")
    if "{" in text or "}" in text:
        raise ValueError(f"{text!r} holds a brace")
    return text


def _text(value: Any) -> str:
    text = _line(value)
    if UUID.search(text):
        raise ValueError(f"{text!r} holds an id that no person knows")
    if ISO_DATE.fullmatch(text):
        raise ValueError(f"{text!r} is a date or time: say it as date, clock or date_time")
    return text


def _name(value: Any, what: str) -> str:
    text = _text(value)
    if "_" in text or not any(c.isalpha() for c in text):
        raise ValueError(f"{text!r} is no {what} that a person would say")
    return text


def _quoted(value: Any) -> str:
    text = _line(value)
    if '"' not in text:
        return f'"{text}"'
    if "“" in text or "”" in text:
        raise ValueError(f"{text!r} holds both kinds of quotes")
    return f"“{text}”"


def _code(value: Any) -> str:
    text = _line(value)
    if UUID.search(text) or " " in text or len(text) > 24 or (text.isdigit() and len(text) > 8):
        raise ValueError(f"{text!r} is no code that a person would read out")
    return text


def _label(value: Any, labels: Mapping[str, str]) -> str:
    text = str(value)
    if text in labels:
        return labels[text]
    if not isinstance(value, str):
        raise ValueError(f"{value!r} has no label")
    return " ".join(_line(text).replace("_", " ").split())


def _list(value: Any, labels: Mapping[str, str], now: datetime | None) -> str:
    if not isinstance(value, list | tuple) or not value:
        raise ValueError(f"{value!r} is no list of values")
    items = cast("Sequence[Any]", value)
    if len(items) > LIST_LIMIT:
        raise ValueError(f"{len(items)} items are too many to be said ({LIST_LIMIT} at most)")
    said = [_item(item, labels, now) for item in items]
    if len({s.casefold() for s in said}) < len(said):
        raise ValueError(f"two items of {said} sound alike")
    if any("," in s or re.search(r"\b(and|or)\b", s) for s in said):
        said = [_quoted(s) for s in said]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"


def _item(value: Any, labels: Mapping[str, str], now: datetime | None) -> str:
    if str(value) in labels:
        return labels[str(value)]
    if isinstance(value, str):
        return _date(value, now)[0] if ISO_DATE.fullmatch(value) else speak(value, "text")
    return speak(value, "number")


# -- numbers ------------------------------------------------------------------------------------------------------


def _numeric(value: Any) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{value!r} is no number")
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise ValueError(f"{value!r} is no number")
        return int(value) if value.is_integer() else value
    return value


def _number(value: Any) -> Sequence[str]:
    number = _numeric(value)
    sign, size = ("minus " if number < 0 else ""), abs(number)
    if isinstance(size, int):
        return (sign + (NUMBER_WORDS[size] if size < len(NUMBER_WORDS) else f"{size:,}"),)
    if round(size, 4) != size:
        raise ValueError(f"{value!r} has too many digits to be said: round it in SQL")
    return (sign + f"{size:,.4f}".rstrip("0"),)


def _money(value: Any) -> Sequence[str]:
    amount = _numeric(value)
    if amount < 0:
        raise ValueError(f"{value!r}: an amount of money is said without a sign")
    if isinstance(amount, int):
        return (f"${amount:,}",)
    if abs(round(amount, 2) - amount) > 1e-9:
        raise ValueError(f"{value!r} has fractions of a cent: round it in SQL")
    return (f"${amount:,.2f}",)


def _duration(value: Any) -> Sequence[str]:
    minutes = _numeric(value)
    if not isinstance(minutes, int) or minutes <= 0:
        raise ValueError(f"{value!r} is no whole number of minutes above nothing")
    days, hours = minutes % 1440 == 0, minutes // 60
    if days and minutes > 1440:
        return (f"{_number(minutes // 1440)[0]} days",)
    if days:
        return ("24 hours",)
    rest = minutes % 60
    if not hours:
        return ("half an hour", "30 minutes") if rest == 30 else (_count(rest, "minute"),)
    whole = "an hour" if hours == 1 else _count(hours, "hour")
    if not rest:
        return (whole,)
    if rest == 30:
        return ("an hour and a half", "90 minutes") if hours == 1 else (f"{_number(hours)[0]} and a half hours",)
    return (f"{whole} and {_count(rest, 'minute')}",)


def _count(number: int, unit: str) -> str:
    return f"{_number(number)[0]} {unit}{'' if number == 1 else 's'}"


# -- time ---------------------------------------------------------------------------------------------------------


def _date(value: Any, now: datetime | None) -> Sequence[str]:
    """The first form names the day in full; the others are as exact."""
    if not isinstance(value, str) or not ISO_DATE.fullmatch(value):
        raise ValueError(f"{value!r} is no date in ISO form")
    moment = _moment(value)
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


def _month(value: Any, now: datetime | None) -> Sequence[str]:
    match = re.fullmatch(r"(\d{4})-(\d{2})(?:-01)?", value) if isinstance(value, str) else None
    if match is None or not 1 <= int(match.group(2)) <= 12:
        raise ValueError(f"{value!r} is no month in ISO form (2013-03)")
    year, month = int(match.group(1)), int(match.group(2))
    full = f"{_MONTHS[month - 1]} {year}"
    if now is None or abs((year - now.year) * 12 + month - now.month) > 5:
        return (full,)
    return (_MONTHS[month - 1], full)


def _clock(value: Any) -> Sequence[str]:
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


def _date_time(value: Any, now: datetime | None) -> Sequence[str]:
    if not isinstance(value, str) or len(value) < 16 or not ISO_DATE.fullmatch(value):
        raise ValueError(f"{value!r} is no date with a time in ISO form")
    days = _day(_moment(value).date(), now)
    when = _clock(value)[0]
    if when.startswith("midnight"):
        return tuple(f"{when} at the start of {day}" for day in days)
    return tuple(f"{day} at {when}" if day in _RELATIVE else f"{when} on {day}" for day in days)

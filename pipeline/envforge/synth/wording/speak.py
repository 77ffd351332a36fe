"""How people say values: dates, times, numbers, names, labels, lists.

Every form is exact: who hears it and knows the World's clock knows the value, and two values never sound alike.
A value that cannot be said so is refused with the reason, so that the candidate goal is refused too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from random import Random
from typing import Any, cast, get_args

from envforge.core.records.intent import Say
from envforge.synth.wording.dates import ISO_DATE, clock_forms, date_forms, date_time_forms, moment_of, month_forms

NUMBER_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
LIST_LIMIT = 8
TEXT_LIMIT = 200
UUID = re.compile(r"\b[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}\b")
LONGEST_CODE = 24
_SLOT = re.compile(r"\{(\w+)(?:\|(\w+))?\}")


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
    now = moment_of(clock) if isinstance(clock, str) else clock
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
        dated = {"date": date_forms, "month": month_forms, "date_time": date_time_forms}
        return dated[say](value, now)
    plain: dict[str, Callable[[Any], Sequence[str]]] = {
        "text": lambda v: (_text(v),),
        "name": lambda v: (_name(v, "name"),),
        "place": lambda v: (_name(v, "place"),),
        "quoted": lambda v: (_quoted(v),),
        "code": lambda v: (_code(v),),
        "clock": clock_forms,
        "number": _number,
        "money": _money,
        "duration": _duration,
    }
    return plain[say](value)


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
    if UUID.search(text) or " " in text or len(text) > LONGEST_CODE or (text.isdigit() and len(text) > 8):
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
        return date_forms(value, now)[0] if ISO_DATE.fullmatch(value) else speak(value, "text")
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

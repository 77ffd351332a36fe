"""Values of blueprint expressions, computed by Python itself: the language is a checked subset of it."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from string import Formatter
from types import CodeType
from typing import Any

from envforge.build.unit_tests.kinds import is_object, is_series
from envforge.build.unit_tests.tables import JsonText
from envforge.core.expressions import BUILTINS, free_names, item_access, parse

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_BUILTINS: dict[str, Any] = {
    one.__name__: one
    for one in (abs, all, any, bool, dict, float, int, len, list, max, min, range, round, set)
    + (sorted, str, sum, zip, enumerate)
}
assert set(_BUILTINS) == BUILTINS


class Evaluator:
    """Evaluates expressions over a scope. `functions` are the views and the World's functions."""

    def __init__(self, functions: Mapping[str, Callable[..., Any]]) -> None:
        self._functions = {**TIME, **CHECKS, **functions}
        self._base: dict[str, Any] = {"__builtins__": {}, **_BUILTINS, **self._functions}
        self._known: dict[str, tuple[CodeType, frozenset[str]]] = {}

    def value(self, text: str, scope: Mapping[str, Any]) -> Any:
        """The value. Raises whatever Python raises for it."""
        # The text was parsed into the closed language of core.expressions: no attribute of an object is reachable.
        return eval(self._compiled(text)[0], {**self._base, **scope})  # noqa: S307

    def names(self, text: str) -> frozenset[str]:
        """The names that the expression reads."""
        return self._compiled(text)[1]

    def given(self, text: str, scope: Mapping[str, Any]) -> Any:
        """The value, or None when something that it is computed from was not given."""
        if any(scope.get(name) is None for name in self.names(text) if name in scope):
            return None
        return self.value(text, scope)

    def message(self, template: str, scope: Mapping[str, Any]) -> str | None:
        """A message with its expressions filled in; None when a part cannot be taken apart."""
        out = ""
        try:
            for literal, field, form, conversion in Formatter().parse(template):
                out += literal
                if field is None:
                    continue
                value = self.value(field, scope)
                value = {"r": repr, "s": str, "a": ascii}[conversion](value) if conversion else value
                out += format(value, form or "")
        except Exception:
            return None
        return out

    def _compiled(self, text: str) -> tuple[CodeType, frozenset[str]]:
        if text not in self._known:
            tree = parse(text, functions=self._functions, where="a unit test")
            names = frozenset(free_names(tree))
            self._known[text] = compile(item_access(tree), "<blueprint>", "eval"), names
        return self._known[text]


def shown(value: Any) -> Any:
    """A value as a result shows it: rows as plain objects, JSON texts as what they say."""
    if isinstance(value, JsonText):
        return value.value()
    if is_object(value):
        return {key: shown(inner) for key, inner in value.items()}
    if is_series(value):
        return [shown(inner) for inner in value]
    return value


def _point(text: str) -> datetime.datetime:
    point = datetime.datetime.fromisoformat(text)
    return point if point.tzinfo else point.replace(tzinfo=datetime.UTC)


def _moved(text: str, step: datetime.timedelta) -> str:
    moved = datetime.datetime.fromisoformat(text) + step
    if len(text) == len("2013-01-31"):
        return moved.strftime("%Y-%m-%d")
    return moved.isoformat().replace("+00:00", "Z")


def add_days(text: str, days: float) -> str:
    """That many days later, in the same form."""
    return _moved(text, datetime.timedelta(days=days))


def _add_minutes(text: str, minutes: float) -> str:
    return _moved(text, datetime.timedelta(minutes=minutes))


def _minutes_between(start: str, end: str) -> int:
    return int((_point(end) - _point(start)).total_seconds() / 60)


def _days_between(start: str, end: str) -> int:
    return (datetime.date.fromisoformat(end[:10]) - datetime.date.fromisoformat(start[:10])).days


def _date_of(text: str) -> str:
    return text[:10]


def _time_of(text: str) -> str:
    return text[11:16]


def _weekday_of(text: str) -> str:
    return _DAYS[datetime.date.fromisoformat(text[:10]).weekday()]


TIME: dict[str, Callable[..., Any]] = {
    "add_days": add_days,
    "add_minutes": _add_minutes,
    "date_of": _date_of,
    "days_between": _days_between,
    "minutes_between": _minutes_between,
    "time_of": _time_of,
    "weekday_of": _weekday_of,
}


def is_date(value: Any) -> bool:
    """True for YYYY-MM-DD."""
    return isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value) is not None and _exists(value)


def is_timestamp(value: Any) -> bool:
    """True for YYYY-MM-DDTHH:MM:SSZ."""
    form = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
    return isinstance(value, str) and re.fullmatch(form, value) is not None and _exists(value)


def _exists(text: str) -> bool:
    try:
        datetime.datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _is_email(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)+", value) is not None


def _is_url(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"https?://[^\s/?#]+\S*", value) is not None


CHECKS: dict[str, Callable[..., bool]] = {
    "is_date": is_date,
    "is_email": _is_email,
    "is_timestamp": is_timestamp,
    "is_url": _is_url,
}
FORMATS: dict[str, Callable[[str], bool]] = {
    "date": is_date,
    "date-time": is_timestamp,
    "email": _is_email,
    "time": lambda text: re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", text) is not None,
    "uri": _is_url,
    "url": _is_url,
    "uuid": lambda text: re.fullmatch(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", text) is not None,
}
"""JSON Schema format → what tools accept as such."""

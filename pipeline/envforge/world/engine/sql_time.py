"""SQL's date and time functions answered by the World's clock, where no VFS can be put under SQLite.

Each function is replaced by one that puts the World's time in the place of 'now' and lets SQLite do the rest on a
connection of its own. Standard library only.
"""

from __future__ import annotations

import datetime
import functools
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

_TIME_VALUES: dict[str, tuple[int, ...]] = {
    "date": (0,),
    "time": (0,),
    "datetime": (0,),
    "julianday": (0,),
    "unixepoch": (0,),
}
"""Functions, and which of their arguments are times. The first one may be left out: that is 'now' too."""
_CURRENT = {"current_date": "date", "current_time": "time", "current_timestamp": "datetime"}
_SUBSECONDS = ("subsec", "subsecond")
"""Modifiers that stand for 'now' as well when they come first."""


@functools.cache
def _reckoner() -> sqlite3.Connection:
    return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)


def answer_with(connection: sqlite3.Connection, clock: Callable[[], float]) -> None:
    """From now on SQL's 'now' on `connection` is `clock`: seconds since 1970."""

    _reckoner()  # opened now: in the middle of a call nothing can be opened

    def now() -> str:
        moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=int(clock()))
        return moment.isoformat(sep=" ")

    def ask(name: str, values: Sequence[Any]) -> Any:
        marks = ", ".join("?" * len(values))
        return _reckoner().execute(f"SELECT {name}({marks})", values).fetchone()[0]

    def replaced(name: str, places: Sequence[int]) -> Callable[..., Any]:
        return lambda *values: ask(name, _timed(values, places, now))

    def current(name: str) -> Callable[[], Any]:
        return lambda: ask(name, [now()])

    times = {**_TIME_VALUES, "strftime": (1,)}
    if sqlite3.sqlite_version_info >= (3, 43):
        times["timediff"] = (0, 1)
    for name, places in times.items():
        connection.create_function(name, -1, replaced(name, places), deterministic=True)
    for name, function in _CURRENT.items():
        connection.create_function(name, 0, current(function), deterministic=True)


def _timed(values: Sequence[Any], places: Sequence[int], now: Callable[[], str]) -> list[Any]:
    """The arguments of a time function with the World's time in the place of 'now'."""
    found = list(values)
    if len(found) == places[0]:
        return [*found, now()]
    for place in places:
        word = found[place].lower() if place < len(found) and isinstance(found[place], str) else ""
        if word == "now":
            found[place] = now()
        elif word in _SUBSECONDS:
            found.insert(place, now())
    return found

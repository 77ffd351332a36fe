"""The function table of scenario expressions. Everything random draws from the one stream handed in."""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any

from envforge.core import times
from envforge.core.errors import BuildError
from envforge.core.expressions import BUILTINS
from envforge.core.ids import canonical_json
from envforge.mine.scenario import writing
from envforge.mine.scenario.people import People
from envforge.mine.scenario.rows import RowStore
from envforge.mine.scenario.text import TextBanks

Function = Callable[..., Any]

_PLAIN: dict[str, Function] = {
    "abs": abs, "all": all, "any": any, "bool": bool, "dict": dict, "float": float, "int": int, "len": len,
    "list": list, "max": max, "min": min, "range": range, "round": round, "set": set, "sorted": sorted, "str": str,
    "sum": sum, "zip": zip, "enumerate": enumerate, "json": canonical_json,
    "add_days": times.add_days, "add_minutes": times.add_minutes, "date_of": times.date_of,
    "days_between": times.days_between, "minutes_between": times.minutes_between, "time_of": times.time_of,
    "weekday_of": times.weekday_of, "local_time": times.local_time, "utc_time": times.utc_time,
    "day_words": writing.day_words, "fill": writing.fill, "outline": writing.outline, "slug": writing.slug,
    "workday": writing.workday,
}  # fmt: skip
_WORK_HOURS = (0, 0, 0, 0, 0, 0, 0, 1, 6, 14, 16, 14, 7, 10, 14, 14, 12, 8, 3, 1, 1, 1, 0, 0)
_WAKING_HOURS = (1, 0, 0, 0, 0, 1, 3, 6, 9, 11, 11, 10, 10, 9, 9, 9, 9, 9, 9, 10, 11, 10, 6, 3)


@lru_cache(maxsize=256)
def _zipf(length: int, skew: float) -> tuple[float, ...]:
    return tuple(accumulate(1.0 / (rank**skew) for rank in range(1, length + 1)))


class Draws:
    """Random functions over one stream."""

    def __init__(self, stream: random.Random) -> None:
        self._stream = stream

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return self._stream.random() < probability

    def pick(self, items: Iterable[Any]) -> Any:
        """One of the items, each equally likely. Raises BuildError when there is none."""
        choices = _some(items, "pick")
        return choices[int(self._stream.random() * len(choices))]

    def weighted(self, weights: Mapping[Any, float]) -> Any:
        """A key of {value: weight}."""
        keys = _some(weights, "weighted")
        return self._stream.choices(keys, weights=list(weights.values()))[0]

    def skewed(self, items: Iterable[Any], skew: float = 1.0) -> Any:
        """One of the items, earlier ones far more often (rank ** -skew)."""
        choices = _some(items, "skewed")
        totals = _zipf(len(choices), skew)
        return choices[bisect_left(totals, self._stream.random() * totals[-1])]

    def sample(self, items: Iterable[Any], count: int) -> list[Any]:
        """`count` different items, or all of them if there are fewer."""
        choices = list(items)
        return self._stream.sample(choices, k=max(0, min(count, len(choices))))

    def shuffled(self, items: Iterable[Any]) -> list[Any]:
        """All items in random order."""
        choices = list(items)
        self._stream.shuffle(choices)
        return choices

    def integer(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return self._stream.randint(int(low), int(high))

    def real(self, low: float, high: float, digits: int = 2) -> float:
        """A number between the ends, rounded."""
        return round(self._stream.uniform(low, high), digits)

    def bell(self, mean: float, spread: float, low: float, high: float) -> float:
        """A bell-shaped number, clipped to [low, high]."""
        return min(high, max(low, self._stream.gauss(mean, spread)))

    def code(self, alphabet: str, length: int) -> str:
        """A random string."""
        return "".join(self._stream.choices(alphabet, k=length))

    def between(self, first: str, last: str) -> str:
        """A moment between two timestamps, to the second; `first` if they are out of order."""
        span = int((times.moment(last) - times.moment(first)).total_seconds())
        return times.add_minutes(first, self._stream.randint(0, span) / 60) if span > 0 else first

    def work_time(self, first: str, last: str, zone: str = "UTC") -> str:
        """A moment between two timestamps, on a weekday in office hours of the zone if there is one."""
        return self._by_hours(first, last, _WORK_HOURS, zone, weekdays=True)

    def waking_time(self, first: str, last: str, zone: str = "UTC") -> str:
        """A moment between two timestamps when people in the zone are awake, any day."""
        return self._by_hours(first, last, _WAKING_HOURS, zone, weekdays=False)

    def _by_hours(self, first: str, last: str, profile: Sequence[int], zone: str, *, weekdays: bool) -> str:
        top = max(profile)
        moment = self.between(first, last)
        for _ in range(40):
            local = times.local_time(moment, zone) if zone != "UTC" else moment
            fits = not weekdays or writing.is_workday(times.moment(local).date())
            if fits and self._stream.random() * top < profile[int(local[11:13])]:
                return moment
            moment = self.between(first, last)
        return moment


def _some(items: Iterable[Any], function: str) -> Sequence[Any]:
    choices = items if isinstance(items, list) else list(items)
    if not choices:
        raise BuildError(f"{function}() has nothing to choose from", remedy="guard it with a `when` step")
    return choices  # pyright: ignore[reportUnknownVariableType]


def each_of(over: Any) -> list[Any]:
    """What an each step runs over: a list of its own, or that many numbers from 0."""
    return list(range(over)) if isinstance(over, int) else list(over)


def function_table(
    store: RowStore, people: People, banks: TextBanks, stream: random.Random, clock: str
) -> dict[str, Function]:
    """All functions a scenario expression may call, by name; plus the three the compiled steps use."""
    draws, scene = Draws(stream), Scene(store, people, banks, stream, clock)
    table: dict[str, Function] = dict(_PLAIN)
    table.update((name, getattr(draws, name)) for name in DRAWS)
    table.update((name, getattr(scene, name)) for name in STORE_FUNCTIONS)
    table.update(insert_row=store.insert, update_row=store.update, each_of=each_of)
    return table


class Scene:
    """Functions over the rows, the people and the texts of a scenario."""

    def __init__(self, store: RowStore, people: People, banks: TextBanks, stream: random.Random, clock: str) -> None:
        self._store, self._people, self._banks, self._stream = store, people, banks, stream
        self._clock = clock
        self.rows, self.where, self.one, self.new_id = store.all, store.where, store.one, store.mint

    def count(self, table: str, /, **equal: Any) -> int:
        """How many rows have these values."""
        return len(self._store.where(table, **equal) if equal else self._store.rows[table])

    def say(self, bank: str, /, **slots: Any) -> str:
        """A text of the bank."""
        return self._banks.say(self._stream, bank, slots)

    def person(self, **wishes: Any) -> dict[str, Any]:
        """A new person."""
        return self._people.draw(self._stream, **wishes)

    def choices(self, table: str, column: str) -> list[str]:
        """The values a column may hold."""
        return list(self._store.table(table).column(column).enum)

    def clock(self) -> str:
        """The World's epoch."""
        return self._clock

    def today(self) -> str:
        """The World's first date."""
        return self._clock[:10]


DRAWS = (
    ("chance", "pick", "weighted", "skewed", "sample", "shuffled", "integer", "real", "bell", "code")
    + ("between", "work_time", "waking_time")
)  # fmt: skip
STORE_FUNCTIONS = ("rows", "where", "one", "count", "say", "person", "new_id", "choices", "clock", "today")
FUNCTION_NAMES: frozenset[str] = frozenset(_PLAIN) | frozenset(DRAWS) | frozenset(STORE_FUNCTIONS) | BUILTINS

"""When two JSON values are the same to a check. The rules are those of core/records/task.py, Check."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, cast

from envforge.core.records.intent import Match

BILLIONTH = 1e-9
_WORD = re.compile(r"\w+")
_NUMBERS = (int, float)


def matches(match: Match, expected: Any, given: Any, tolerance: float = 0.0) -> bool:
    """True when an answer's field is as expected. Never raises, whatever `given` is."""
    if match == "normalised_text":
        return same_text(expected, given)
    if match == "exact":
        return same(expected, given)
    if match == "number":
        return is_number(expected) and near(expected, given, tolerance) if expected is not None else given is None
    if not isinstance(given, list) or not isinstance(expected, (list, tuple)):
        return False
    wanted, items = cast("Sequence[Any]", expected), cast("list[Any]", given)
    if len(wanted) != len(items):
        return False
    if match == "ordered":
        return all(same(one, other, tolerance) for one, other in zip(wanted, items, strict=True))
    return _pairs_up(wanted, items, tolerance)


def same(expected: Any, given: Any, tolerance: float = 0.0) -> bool:
    """Equal values, also inside lists and objects; numbers in them may be `tolerance` apart."""
    if is_number(expected):
        return near(expected, given, tolerance)
    if isinstance(expected, str):
        return isinstance(given, str) and expected == given
    if isinstance(expected, Mapping):
        return isinstance(given, dict) and _same_fields(cast("Any", expected), cast("Any", given), tolerance)
    if isinstance(expected, (list, tuple)):
        return isinstance(given, list) and matches("ordered", expected, given, tolerance)
    return expected is given and (expected is None or isinstance(expected, bool))


def near(expected: Any, given: Any, tolerance: float = 0.0) -> bool:
    """Two numbers at most `tolerance` apart; where one is real, a billionth of the larger more."""
    if not is_number(expected) or not is_number(given):
        return False
    if expected == given:
        return True
    try:
        if not math.isfinite(expected) or not math.isfinite(given):
            return False
        real = isinstance(expected, float) or isinstance(given, float)
        more = BILLIONTH * max(abs(expected), abs(given)) if real else 0
        return bool(abs(expected - given) <= tolerance + more)
    except OverflowError:  # an integer that no real number holds
        return False


def same_text(expected: Any, given: Any) -> bool:
    """Equal but for case, spacing and punctuation; what is no text is compared as `same` does."""
    if not isinstance(expected, str) or not isinstance(given, str):
        return same(expected, given)
    one, other = normalised(expected), normalised(given)
    return one == other if one or other else expected.strip() == given.strip()


def normalised(text: str) -> str:
    """The words of a text, in one case, with one space between them."""
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def is_number(value: Any) -> bool:
    """True for integers and reals; true and false are none."""
    return isinstance(value, _NUMBERS) and not isinstance(value, bool)


def _same_fields(expected: Mapping[str, Any], given: Mapping[str, Any], tolerance: float) -> bool:
    if expected.keys() != given.keys():
        return False
    return all(same(value, given[name], tolerance) for name, value in expected.items())


def _pairs_up(expected: Sequence[Any], given: Sequence[Any], tolerance: float) -> bool:
    """True when each expected item can have a given one of its own that equals it (augmenting paths)."""
    fits = [[at for at, item in enumerate(given) if same(one, item, tolerance)] for one in expected]
    owner: dict[int, int] = {}
    return all(_placed(start, fits, owner) for start in range(len(expected)))


def _placed(start: int, fits: Sequence[Sequence[int]], owner: dict[int, int]) -> bool:
    """Give item `start` a partner, moving others where that helps. Breadth first: no list is too long for it."""
    came_from: dict[int, int] = {}
    todo = [start]
    for item in todo:
        for at in fits[item]:
            if at in came_from:
                continue
            came_from[at] = item
            if at not in owner:
                _move(at, start, came_from, owner)
                return True
            todo.append(owner[at])
    return False


def _move(free: int, start: int, came_from: Mapping[int, int], owner: dict[int, int]) -> None:
    partner = {item: at for at, item in owner.items()}
    at = free
    while True:
        item = came_from[at]
        owner[at] = item
        if item == start:
            return
        at = partner[item]

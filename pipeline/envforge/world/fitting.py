"""Cut a JSON value so that its text fits into a number of bytes, and say where it was cut.

Lists are cut at whole items and texts at whole characters; a name is never cut. What is small stays whole: room is
shared out evenly among what is too large. Same value and limit, same cut.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

Place = tuple[str | int, ...]

_SMALL = 32
"""A field's share of room under which fields are left out instead of shortened."""
_NOTHING = 2
"""Bytes of an empty text, list or object."""


@dataclass(frozen=True)
class Cut:
    """At `place`, `shown` of `of` items, characters or fields are left."""

    place: Place
    shown: int
    of: int
    kind: str


@dataclass(frozen=True)
class Fitted:
    """A value after cutting, the bytes of its text, and where it was cut."""

    value: Any
    size: int
    cuts: tuple[Cut, ...] = ()


def json_text(value: Any) -> str:
    """JSON as an agent is shown it."""
    return json.dumps(value, ensure_ascii=False)


def size_of(text: str) -> int:
    """Bytes in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


class Fitter:
    """Cuts one value; remembers the sizes of its parts."""

    def __init__(self, value: Any) -> None:
        self._value = value
        self._sizes: dict[int, int] = {}

    def size(self, value: Any) -> int:
        """Bytes of a part's JSON text."""
        if not isinstance(value, (dict, list)):
            return size_of(json_text(value))
        key = id(cast("object", value))
        if key not in self._sizes:
            between = 2 * max(0, len(cast("list[Any]", value)) - 1)
            if isinstance(value, dict):
                fields = cast("dict[str, Any]", value).items()
                inner = sum(self._name(name) + self.size(item) for name, item in fields)
            else:
                inner = sum(self.size(item) for item in cast("list[Any]", value))
            self._sizes[key] = _NOTHING + between + inner
        return self._sizes[key]

    def fit(self, room: int, value: Any, place: Place = ()) -> Fitted:
        """The value in at most `room` bytes; numbers and empty containers stay as they are, even if too large."""
        size = self.size(value)
        if size <= room:
            return Fitted(value, size)
        if isinstance(value, str):
            return self._text(value, room, place)
        if isinstance(value, list):
            return self._list(cast("list[Any]", value), room, place)
        if isinstance(value, dict):
            return self._fields(cast("dict[str, Any]", value), room, place)
        return Fitted(value, size)

    def _text(self, text: str, room: int, place: Place) -> Fitted:
        low, high = 0, min(len(text), max(0, room))
        while low < high:
            middle = (low + high + 1) // 2
            if self.size(text[:middle]) <= room:
                low = middle
            else:
                high = middle - 1
        return Fitted(text[:low], self.size(text[:low]), (Cut(place, low, len(text), "characters"),))

    def _list(self, items: list[Any], room: int, place: Place) -> Fitted:
        kept: list[Any] = []
        cuts: tuple[Cut, ...] = ()
        used = _NOTHING
        for number, item in enumerate(items):
            left = room - used - (2 if kept else 0)
            fitted = Fitted(item, self.size(item))
            if fitted.size > left:
                # Whole items only, unless one takes more than half of the room by itself.
                if kept and left * 2 < room:
                    break
                fitted = self.fit(left, item, (*place, number))
                if fitted.size > left or fitted.size <= _NOTHING:
                    break
            used = room - left + fitted.size
            kept.append(fitted.value)
            cuts += fitted.cuts
            if fitted.cuts:
                break
        if len(kept) < len(items):
            cuts = (Cut(place, len(kept), len(items), "items"), *cuts)
        return Fitted(kept, used, cuts)

    def _fields(self, fields: dict[str, Any], room: int, place: Place) -> Fitted:
        names = sum(map(self._name, fields)) + 2 * (len(fields) - 1) + _NOTHING
        if names + sum(min(self.size(item), _SMALL) for item in fields.values()) > room:
            return self._some_fields(fields, room, place)
        left = room - names
        fitted: dict[str, Fitted] = {}
        smallest_first = sorted(fields, key=lambda name: self.size(fields[name]))
        for number, name in enumerate(smallest_first):
            fitted[name] = self.fit(left // (len(fields) - number), fields[name], (*place, name))
            left -= fitted[name].size
        cuts = tuple(cut for name in fields for cut in fitted[name].cuts)
        return Fitted({name: fitted[name].value for name in fields}, room - left, cuts)

    def _some_fields(self, fields: dict[str, Any], room: int, place: Place) -> Fitted:
        """The first fields that fit whole."""
        kept: dict[str, Any] = {}
        used = _NOTHING
        for name, item in fields.items():
            cost = self._name(name) + self.size(item) + (2 if kept else 0)
            if used + cost > room:
                break
            kept[name] = item
            used += cost
        return Fitted(kept, used, (Cut(place, len(kept), len(fields), "fields"),))

    def _name(self, name: str) -> int:
        return self.size(name) + 2


# Places as texts


def place_text(place: Sequence[str | int]) -> str:
    """`items[3].title`; a name that is no plain word stands as JSON in brackets."""
    text = ""
    for part in place:
        if isinstance(part, int):
            text += f"[{part}]"
        elif part.isidentifier():
            text += f".{part}" if text else part
        else:
            text += f"[{json_text(part)}]"
    return text


def find_place(value: Any, at: str) -> tuple[Place, Any]:
    """The place that `place_text` wrote, and what is there. Raises LookupError when nothing is."""
    place: list[str | int] = []
    rest = at
    while rest:
        part, rest = _first_part(rest, at, start=not place)
        known = isinstance(value, dict) if isinstance(part, str) else isinstance(value, list)
        try:
            if not known:
                raise LookupError(part)
            value = value[part]
        except LookupError as error:
            raise LookupError(f"there is nothing at {at!r}") from error
        place.append(part)
    return tuple(place), value


def _first_part(text: str, at: str, *, start: bool) -> tuple[str | int, str]:
    if text.startswith("["):
        try:
            part, end = json.JSONDecoder().raw_decode(text, 1)
        except ValueError as error:
            raise LookupError(f"{at!r} is no place in a result") from error
        if text[end : end + 1] == "]" and type(part) in (str, int) and part != -1:
            return part, text[end + 1 :]
    elif start or text.startswith("."):
        name = text if start else text[1:]
        length = next((index for index, letter in enumerate(name) if letter in ".["), len(name))
        if name[:length].isidentifier():
            return name[:length], name[length:]
    raise LookupError(f"{at!r} is no place in a result")

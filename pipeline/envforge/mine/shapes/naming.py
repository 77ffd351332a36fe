"""What things are called: a subject, a person, a place or an organisation, in the form that is usual for the kind."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from envforge.core.records.shape import RowShape, Subject
from envforge.mine.scenario.people import People, plain
from envforge.mine.scenario.text import SLOT
from envforge.mine.scenario.writing import slug as as_slug
from envforge.mine.shapes.plan import TablePlan

_ATTEMPTS = 40


@dataclass
class Named:
    """A name and what stands behind it, so that all columns of a row agree."""

    title: str
    slug: str
    about: str = ""
    person: dict[str, Any] = field(default_factory=lambda: dict[str, Any]())
    place: Mapping[str, Any] = field(default_factory=lambda: dict[str, Any]())
    shown: str = ""
    """The name as people write it, where `title` is an identifier."""
    words: dict[str, str] = field(default_factory=lambda: dict[str, str]())
    """What was picked from banks for the name, so that labels say the same."""


class Namer:
    """Names the rows of one table; no name twice in the same place."""

    def __init__(self, plan: TablePlan, shape: RowShape, people: People, stream: random.Random) -> None:
        self._plan, self._shape, self._people, self._stream = plan, shape, people, stream
        self._style = plan.style
        self._used: dict[Any, set[str]] = {}
        self._turn: dict[Any, int] = {}
        self._serial = stream.randint(1, 60) * 100
        self._order = {bank: stream.sample(subjects, k=len(subjects)) for bank, subjects in shape.subjects.items()}

    def draw(self, scope: Any = None) -> Named:
        """A name that nothing in `scope` (what contains it) has yet."""
        used = self._used.setdefault(scope, set())
        named = self._once(scope)
        for _ in range(_ATTEMPTS):
            if named.title.lower() not in used:
                break
            named = self._once(scope)
        if named.title.lower() in used:
            named = self._numbered(named, used)
        used.add(named.title.lower())
        return named

    def person(self) -> dict[str, Any]:
        """Another person, for columns that name one."""
        return self._people.draw(self._stream)

    def place(self) -> Mapping[str, Any]:
        """A place; the first ones far more often."""
        places = self._shape.tables["places"]
        return places[min(int(self._stream.random() ** 2 * len(places)), len(places) - 1)]

    def organisation(self) -> str:
        """The name of an organisation."""
        first = self._pick("organisation_name")
        return f"{first} {self._pick('organisation_trade')} {self._pick('organisation_form')}"

    def expanded(self, form: str, slots: Mapping[str, Any]) -> str:
        """A form with its slots filled, from `slots` or a bank of the shape."""
        return self._filled(form, slots, {})

    def _filled(self, form: str, slots: Mapping[str, Any], picked: dict[str, str]) -> str:
        """The same; what is picked from banks is kept in `picked`."""

        def value(found: re.Match[str]) -> str:
            name = found[1]
            return str(slots[name]) if slots.get(name) else picked.setdefault(name, self._pick(name))

        return SLOT.sub(value, form)

    def serial(self) -> int:
        """The next number of the table's own count."""
        self._serial += self._stream.choice((1, 1, 1, 2, 3))
        return self._serial

    def _pick(self, bank: str) -> str:
        return self._stream.choice(self._shape.banks[bank])

    def _once(self, scope: Any) -> Named:
        style, stream = self._style, self._stream
        label = self._plan.table.label
        slots: dict[str, Any] = {"label": label, "number": stream.randint(1, 9), "initials": _initials(label)}
        form = stream.choice(style.forms)
        if "{serial}" in form:
            slots["serial"] = self.serial()
        if style.source == "person":
            person = self.person()
            name = self.expanded(form, {**slots, **person})
            return Named(name, f"{plain(person['first_name'])}.{plain(person['last_name'])}", person=person)
        if style.source == "organisation":
            name = self.expanded(form, {**slots, "name": self.organisation()})
            return Named(name, as_slug(" ".join(name.split()[:2])), place=self.place())
        if style.source == "place":
            place = self._next_place(scope)
            name = self.expanded(form, {**slots, **place})
            return Named(name, as_slug(name), place=place, shown=f"{place['city']}, {place['country_name']}")
        subject = self._subject(scope)
        picked: dict[str, str] = {}
        name = self._filled(form, {**slots, "slug": subject.slug, "title": subject.title}, picked)
        return Named(name, as_slug(name), about=subject.about, shown=subject.title, words=picked)

    def _next_place(self, scope: Any) -> Mapping[str, Any]:
        places = self._shape.tables["places"]
        turn = self._turn[scope] = self._turn.get(scope, -1) + 1
        return places[turn] if turn < len(places) else self.place()

    def _subject(self, scope: Any) -> Subject:
        bank = self._style.subjects
        if self._style.source != "ordered":
            return self._stream.choice(self._shape.subjects[bank])
        turn = self._turn[scope] = self._turn.get(scope, -1) + 1
        # Vocabularies are short lists; in each container they begin somewhere else.
        ordered = self._shape.subjects[bank] if scope is None else self._order[bank]
        offset = 0 if scope is None else len(self._turn) * 3
        return ordered[(turn + offset) % len(ordered)]

    def _numbered(self, named: Named, used: set[str]) -> Named:
        number = 2
        mark = "-" if self._style.identifier else " "
        while f"{named.title}{mark}{number}".lower() in used:
            number += 1
        named.title, named.slug = f"{named.title}{mark}{number}", f"{named.slug}-{number}"
        return named


def _initials(label: str) -> str:
    words = label.upper().split()
    return "".join(word[0] for word in words) if len(words) > 1 else words[0][:3]

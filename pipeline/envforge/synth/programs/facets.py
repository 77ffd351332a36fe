"""Facets: columns that people tell rows apart by, with the words for them; nothing for codes, addresses and hashes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from envforge.core.records.domain import Column, Table
from envforge.synth.keys import Keys
from envforge.synth.nouns import column_noun, column_unit, is_people, plural, sayable

Nature: TypeAlias = Literal["choice", "tick", "number", "date", "year"]
MOST_CHOICES = 40
LEAST_ROWS = 8
LEAST_NUMBERS = 8
RAREST = 0.04
"""A tick that fewer rows than this share have, or lack, tells too little."""
LONGEST = 60
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_WORDS = re.compile(r"[^\W\d_][\w ,.'’()/&-]*")
_MEASURES = frozenset(["metres", "meters", "seconds", "minutes", "hours", "days", "miles", "grams", "litres", "tonnes"])
_ADJECTIVE = re.compile(r"(ed|ent|ant|able|ible|al|ive|ic|ous|ful)$")
_PLANS = frozenset(["planned", "expected", "estimated", "scheduled", "proposed", "projected", "intended", "limited"])
"""What is said of a date, and not of the row that has it."""
_DUTIES = frozenset(["duty", "role", "job", "position", "occupation", "profession"])
_DOER = re.compile(
    r"(er|or|ist|ant|ian|ee|yst)$|^(admin|guest|intern|student|agent|clerk|nurse|pilot|coach|cook|host)$"
)
_NO_DOERS = frozenset(
    ["other", "former", "senior", "junior", "minor", "major", "super", "lower", "upper", "inner", "outer", "free"]
)
_VERBS = frozenset(
    ["allow", "enable", "disable", "ignore", "prohibit", "require", "include", "exclude", "use", "support", "show",
     "hide", "send", "accept", "track", "block", "delete", "need", "keep", "skip"]
)  # fmt: skip
"""What ticks begin with that say what a row does: "allow rebase"."""
_HIDDEN_ROLES = frozenset(
    ["id", "parent", "created_at", "updated_at", "position", "url", "author", "editor", "body", "email"]
)


@dataclass(frozen=True)
class Facet:
    """A column in words. choice: "region"; number: "area" with a unit; tick: a predicate, "landlocked" (see `is_so`).

    `proper`: its values are names, said without quotes. `who`: they say what a person is: "editor", "reviewer".
    `short`: its noun without what it says of the row: the "removal date" of a discouraged row.
    """

    column: str
    nature: Nature
    noun: str
    unit: str = ""
    proper: bool = False
    verb: bool = False
    choices: tuple[str, ...] = ()
    who: bool = False
    short: str = ""

    def sql(self, row: str = "r") -> str:
        """Its value."""
        return f'{row}."{self.column}"'

    def is_so(self, so: bool) -> str:
        """A tick as a clause about several rows: "that are landlocked", "that do not accept flags"."""
        if self.verb:
            return f"that {'' if so else 'do not '}{self.noun}"
        return f"that are {'' if so else 'not '}{self.noun if _ADJECTIVE.search(self.noun) else plural(self.noun)}"

    def before(self, so: bool) -> str:
        """A tick before its noun: "landlocked", "draft", "non-draft"; "" where it goes behind."""
        if self.verb or " " in self.noun:
            return ""
        return self.noun if so else f"non-{self.noun}"


def facets_of(keys: Keys, table: Table) -> Iterator[Facet]:
    """The facets of a table, in the order of its columns."""
    refers = {one.column for one in keys.foreign if one.table == table.name}
    for column in table.columns:
        hidden = column.name in table.primary_key or column.references or column.name in refers
        if hidden or column.role in _HIDDEN_ROLES or column.role == "title" or column.type == "json":
            continue
        values = [row[0] for row in keys.rows(f'SELECT "{column.name}" FROM "{table.name}"')]  # noqa: S608
        known = [value for value in values if value is not None]
        if len(known) >= LEAST_ROWS and (found := _facet(table, column, known, len(values))):
            yield found


def _facet(table: Table, column: Column, known: Sequence[Any], rows: int) -> Facet | None:
    if column.type == "boolean":
        return _tick(column, known) if len(known) == rows else None
    named, unit = _measured(column)
    noun = sayable(column_noun(table, named))
    if not noun:
        return None
    if column.type == "integer" and "year" in noun.split() and all(1000 <= value <= 2999 for value in known):
        return Facet(column.name, "year", noun) if len(set(known)) >= LEAST_NUMBERS else None
    if column.type in ("integer", "real"):
        if noun.split()[-1] == "time" and not unit:
            return None  # seconds since when?
        measured = len(set(known)) >= LEAST_NUMBERS and not column.name.endswith(("number", "index", "_"))
        return Facet(column.name, "number", noun, unit) if measured else None
    if all(isinstance(value, str) and _DATE.fullmatch(value) for value in known):
        several = len({value[:4] for value in known}) >= 3
        return Facet(column.name, "date", noun, short=_short(table, column, noun)) if several else None
    counts = Counter(str(value) for value in known)
    few = 2 <= len(counts) <= MOST_CHOICES and len(counts) * 3 <= len(known)
    if not few or max(counts.values()) > (1 - RAREST) * rows:
        return None
    if set(counts) <= {"true", "false"} or any(len(value) > LONGEST or not _WORDS.fullmatch(value) for value in counts):
        return None
    proper = all(value[0].isupper() for value in counts)
    who = noun in _DUTIES and is_people(table) and all(_is_doer(one) for one in counts)
    return Facet(column.name, "choice", noun, proper=proper, choices=tuple(sorted(counts)), who=who)


def _is_doer(value: str) -> bool:
    """A noun for somebody: "editor", "team_leader"."""
    last = value.lower().replace("_", " ").split()[-1]
    return bool(_DOER.search(last)) and last not in _NO_DOERS


def _short(table: Table, column: Column, noun: str) -> str:
    """A date's noun without a participle of the row before it; "" where that is none, or would mean two columns."""
    first, *rest = noun.split()
    if len(rest) < 2 or not first.endswith("ed") or first in _PLANS:
        return ""
    ending = "_".join(column.name.split("_")[1:])
    alike = [one for one in table.columns if one.name == ending or one.name.endswith(f"_{ending}")]
    return " ".join(rest) if len(alike) == 1 else ""


def _measured(column: Column) -> tuple[Column, str]:
    """The column without a unit at the end of its name, and the unit: "height_metres" is a height in metres."""
    words = column.name.split("_")
    if len(words) > 1 and words[-1] in _MEASURES:
        return column.model_copy(update={"name": "_".join(words[:-1])}), words[-1]
    return column, column_unit(column)


def _tick(column: Column, known: Sequence[Any]) -> Facet | None:
    share = sum(bool(value) for value in known) / len(known)
    if not RAREST <= share <= 1 - RAREST:
        return None
    words = column.name.strip("_").split("_")
    if words[0] in ("is", "was", "has"):
        words = words[1:] if words[0] != "has" else ["have", *words[1:]]
    if not words:
        return None
    if words[0] == "can" or (words[0] == "default" and len(words) > 1):
        return None
    if words[0] in _VERBS and len(words) > 1:
        return Facet(column.name, "tick", " ".join(words), verb=True)
    if words[0] == "have" or (len(words) > 1 and re.search(r"[^s]s$", words[0])):
        return Facet(column.name, "tick", " ".join([re.sub(r"s$", "", words[0]), *words[1:]]), verb=True)
    said_of_row = column.name.startswith("is_") or words[0].endswith("ly")
    if len(words) > 1 and words[-1].endswith("ed") and not said_of_row:
        return None  # "pull request merged" says that something was done, and not to the row
    if _ADJECTIVE.search(words[-1]):
        return Facet(column.name, "tick", " ".join(words))
    noun = sayable(" ".join(words))
    return Facet(column.name, "tick", noun) if noun else None


def counted_in(facet: Facet) -> str:
    """What a count counts: "seats" for a number of seats; "" for what is measured."""
    return facet.noun.removeprefix("number of ") if facet.noun.startswith("number of ") else ""

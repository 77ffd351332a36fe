"""Words for what is asked of rows: which attributes people weigh, sum up or put together in one question, and how."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from envforge.synth.chain_owner import UnsayableError
from envforge.synth.entities import Attribute
from envforge.synth.nouns import plural

_THRESHOLD = re.compile(r"\b(below|above|least|most|minimum|maximum|limit|threshold|capacity)\b")
_PRICE = re.compile(r"\b(price|cost|fare|fee|tax|charge|fine)s?$")
_MONEY = re.compile(r"\b(budget|amount|value|total|balance|price|cost|fare|fee|tax|charge|fine|paid)s?$")
_LARGE = frozenset({"estimate", "area", "size", "population", "volume", "surface"})
_UNITS = {"h": "hours", "d": "days", "min": "minutes", "wk": "weeks", "kg": "kilograms", "km": "kilometres"}
_KIND = frozenset(
    {"channel", "type", "kind", "sort", "state reason", "author association", "mergeable state", "merge commit sha"}
    | {"bio", "location", "company", "date of birth", "duty"}
)
"""What a row or person is, or how a system keeps it: nobody asks a colleague for it by the name of its column."""
_REACH = re.compile(r"(e-mail address|phone number|login)$")
_STATES = frozenset({"status", "stage", "state", "step", "phase", "progress"})
_MOVING = _STATES | {"priority", "severity", "urgency", "risk", "health"}
_HAD = _MOVING | {
    *("tier", "category", "colour", "color", "size", "role", "duty", "language", "region", "level", "grade", "class"),
    *("cause", "reason", "rank", "method"),
}
"""Choices that things are said to have: "have the tier "gold"", but no evidence "official"."""
_OPEN = frozenset({"open", "active", "late", "overdue", "done", "blocked"})
_NOT_BE = frozenset(
    {"departed", "arrived", "travelled", "boarded", "expired", "landed", "left", "commented", "booked"}
    | {"failed", "succeeded", "lapsed"}
)
"""Participles that take "have": nobody says that a flight is departed."""
_AHEAD = frozenset({"planned", "scheduled", "expected", "proposed", "reserved", "limited"})
"""Participles of what is so now: a flight is scheduled, and has not been."""
_CANCELLED = ("cancelled", "canceled", "void", "voided")


@dataclass(frozen=True)
class Measure:
    """How a number is compared: "costs more", "the most expensive"; `amount` asks how large it is."""

    more: str
    """"has the longer lead time", after "which of the two"."""
    most: str
    """"has the longest lead time", after "which of them"."""
    amount: str
    """"how many does it have", "how long is it": asks for the largest one."""
    apart: str
    """"by how many weeks": asks for the difference."""

    @property
    def told(self) -> str:
        """`amount` after "tell me": "how many it has", "how long it is"."""
        if self.amount.endswith(" is it"):
            return f"{self.amount.removesuffix(' is it')} it is"
        asked, _, verb = self.amount.partition(" does it ")
        return f"{asked} it {'has' if verb == 'have' else verb + 's'}"


def measure(attribute: Attribute) -> Measure:
    """Raises UnsayableError for thresholds, and for what nobody weighs against another."""
    noun = attribute.noun
    if attribute.nature != "number" or not noun or _THRESHOLD.search(noun):
        raise UnsayableError(f"{attribute.words} is not weighed")
    unit = attribute.unit
    unit = _UNITS.get(unit, unit)
    apart = f"by how many {unit}" if unit.islower() and len(unit) > 2 else "by how much"
    counted = noun.removeprefix("number of ")
    if counted != noun:
        return Measure(f"has more {counted}", f"has the most {counted}", "how many does it have", "by how many")
    if _PRICE.search(noun) and noun.split()[-1] in ("price", "cost", "fare"):
        return Measure("costs more", "costs the most", "how much is it", "by how much")
    if noun == "weight":
        return Measure("is heavier", "is the heaviest", "how much does it weigh", apart)
    if re.search(r"\b(time|duration|length|distance)$", noun):
        return Measure(f"has the longer {noun}", f"has the longest {noun}", "how long is it", apart)
    large = _MONEY.search(noun) or noun.split()[-1] in _LARGE
    more, most = ("larger", "largest") if large else ("higher", "highest")
    return Measure(f"has the {more} {noun}", f"has the {most} {noun}", "how much is it", apart)


def earlier(attribute: Attribute) -> str:
    """The same of a date: "has the earlier target date"."""
    if attribute.nature != "date" or not attribute.noun or attribute.noun == "date of birth":
        raise UnsayableError(f"{attribute.words} is no date that people weigh")
    return f"has the earlier {attribute.noun}"


def together(attribute: Attribute, rows: str, siblings: Sequence[Attribute]) -> tuple[str, str]:
    """The sum over rows ("the tickets on it"), as a question and after "tell me". Raises UnsayableError."""
    noun, unit = attribute.noun, attribute.unit
    if not noun or _THRESHOLD.search(noun) or (noun not in ("weight",) and not _summed(noun)):
        raise UnsayableError(f"{attribute.words} is not summed up")
    counted = noun.removeprefix("number of ")
    if counted != noun:
        return f"how many {counted} do {rows} have in all", f"how many {counted} {rows} have in all"
    said = f", in {unit}" if unit.islower() else ""
    if noun == "weight":
        return f"how much do {rows} weigh in all{said}", f"how much {rows} weigh in all{said}"
    if noun == "tax":
        return f"how much tax is there on {rows} in all", f"how much tax there is on {rows} in all"
    if _PRICE.search(noun) and noun.split()[-1] in ("price", "cost", "fare"):
        said = ", without tax" if any(one.noun == "tax" for one in siblings) else said
        return f"what do {rows} cost in all{said}", f"what {rows} cost in all{said}"
    what = f"the {plural(noun)} {'for' if noun in ('fee', 'charge') else 'of'} {rows}"
    return f"what do {what} come to in all{said}", f"what {what} come to in all{said}"


def _summed(noun: str) -> bool:
    return bool(_MONEY.search(noun)) or noun.startswith("number of ") or noun == "estimate"


def cancelled(values: Sequence[object]) -> bool:
    """Rows with such states may have been called off."""
    return any(str(value).lower() in _CANCELLED for value in values)


def are(values: Sequence[str]) -> list[str]:
    """Those of the values that follow "are": open, cancelled, checked in."""
    found: list[str] = []
    for value in values:
        words = value.replace("_", " ")
        if words in _OPEN or (_participle(words) and words.split()[0] not in _NOT_BE):
            found.append(value)
    return found


def being(value: str) -> str:
    """One of them with its verb: "are open", "have been cancelled", "are now accepted".

    What "has been accepted" has been so in every state that comes after it; what has been cancelled stays so.
    """
    words = value.replace("_", " ")
    done = _participle(words) and not words.startswith("un") and words.split()[0] not in _AHEAD | _OPEN
    if done:
        return f"have been {words}" if words in _CANCELLED else f"are now {words}"
    return f"are {words}"


def _participle(words: str) -> bool:
    return bool(re.fullmatch(r"[a-z]+ed( in| out| off| up)?", words))


def asked_after(attribute: Attribute) -> bool:
    """Somebody may ask for it by its name."""
    return bool(attribute.noun) and attribute.noun not in _KIND and not _THRESHOLD.search(attribute.noun)


def is_had(attribute: Attribute) -> bool:
    """Rows are said to have it."""
    return attribute.nature == "tick" or attribute.noun.split()[-1] in _HAD


def contact(attribute: Attribute) -> bool:
    """Where somebody can be reached: an address, a number, a login."""
    return bool(_REACH.search(attribute.noun))


def moves(attribute: Attribute) -> bool:
    """A choice that is changed from day to day; what a thing is (its sort, its channel) is not."""
    return attribute.nature == "choice" and attribute.noun in _MOVING


def is_state(attribute: Attribute) -> bool:
    """It says how far a row has come."""
    return attribute.noun in _STATES


def questions(attributes: Sequence[Attribute], *, people: bool, named: bool = False) -> Iterator[list[Attribute]]:
    """What is asked at once: a name with what goes with it, then what is of one kind, two by two.

    `named`: who asks knows the name already.
    """
    plain = [a for a in attributes if a.nature != "tick" and asked_after(a) and not (named and a.nature == "name")]
    names = [a for a in plain if a.nature == "name"]
    others = [a for a in plain if a.nature != "name"]
    reach = [a for a in others if _REACH.search(a.noun)]
    with_name = reach if people else [a for a in others if is_state(a)]
    if names:
        yield [names[0], *with_name[:1]]
    rest = [a for a in others if people or named or a not in with_name]
    dates = [a for a in rest if a.nature == "date"]
    left = [a for a in rest if a.nature != "date" and a not in reach]
    groups = [reach if len(reach) > 1 or not names else [], dates, left]
    for group in groups:
        for number in range(0, min(len(group), 4), 2):
            pair = group[number : number + 2]
            yield from [pair] if len({a.nature in ("number", "date") for a in pair}) == 1 else ([a] for a in pair)

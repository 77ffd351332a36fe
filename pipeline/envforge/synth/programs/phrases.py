"""Words of a question: a core in three forms, spoken in four registers."""

from __future__ import annotations

from dataclasses import dataclass

from envforge.synth.programs.facets import Facet, counted_in

_LARGE = frozenset(["area", "size", "population", "volume", "capacity", "length", "distance", "height", "width"])
_NO_SUM = frozenset(
    ["year", "date", "version", "rate", "rating", "percent", "factor", "latitude", "longitude", "score", "level", "age"]
)


@dataclass(frozen=True)
class Ask:
    """What is asked: "how many … are there", "how many … there are", "the number of …"; `rules`: further sentences."""

    question: str
    indirect: str
    noun: str
    rules: tuple[tuple[str, ...], ...] = ()


def banks(ask: Ask, target: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Banks of words: the whole, the question, and its rules, each in several ways."""
    head, noun = capital(ask.question), capital(ask.noun)
    rules = "".join(f" {{report_rule_{number}}}" for number in range(len(ask.rules)))
    words: dict[str, tuple[str, ...]] = {
        "text": (f"{{report}}{rules}",),
        "target": target,
        "report": (
            f"{head}?",
            f"I need {ask.noun}.",
            f"Please find out {ask.indirect}.",
            f"Can you tell me {ask.indirect}?",
        ),
        "report/terse": (
            f"{noun}, please.",
            f"{head}?",
            f"Find {ask.noun}.",
            f"Wanted: {ask.noun}.",
            f"I need {ask.noun}.",
        ),
        "report/polite": (
            f"Could you tell me {ask.indirect}?",
            f"Could you look this up for me: {ask.question}?",
            f"Please let me know {ask.indirect}.",
            f"Could you please find out {ask.indirect}?",
            f"I would be glad to know {ask.indirect}.",
        ),
        "report/rambling": (
            f"I am putting a short overview together and one piece is still missing: {ask.noun}.",
            f"I started to go through this by hand and gave up half way, so please tell me {ask.indirect}.",
            f"Somebody asked me about this and I had no answer ready, so now I want to know {ask.indirect}.",
            f"This should be simple, but I keep getting different results: {ask.question}?",
            f"We were arguing about this over lunch and nobody could say for sure. {head}?",
            f"I have a talk to prepare and would like to begin it with {ask.noun}, so please look that up.",
            f"My notes on this are years old and I don't trust them any more. {head}?",
        ),
        "report/implicit": (
            f"I still don't know {ask.indirect}.",
            f"It would help to know {ask.indirect}.",
            f"What I am missing is {ask.noun}.",
            f"Somebody wants to know {ask.indirect}.",
            f"I have been wondering {ask.indirect}." if _clause(ask) else f"I was asked for {ask.noun}.",
        ),
    }
    for number, ways in enumerate(ask.rules):
        words[f"report_rule_{number}"] = ways
    return words


def _clause(ask: Ask) -> bool:
    """The indirect form is a clause: "how many there are", not "the number"."""
    return ask.indirect.split()[0] in ("how", "which", "what", "for")


def capital(words: str) -> str:
    """With a capital, unless it begins with a slot, whose words are as they are."""
    return words[0].upper() + words[1:]


def highest(facet: Facet, *, low: bool = False) -> str:
    """ "largest area", "lowest fee", "earliest release date", "fewest seats"."""
    if things := counted_in(facet):
        return f"{'fewest' if low else 'most'} {things}"
    if facet.nature in ("date", "year"):
        return f"{'earliest' if low else 'latest'} {facet.noun}"
    if facet.noun.split()[-1] in _LARGE:
        return f"{'smallest' if low else 'largest'} {facet.noun}"
    return f"{'lowest' if low else 'highest'} {facet.noun}"


def adds_up(facet: Facet) -> bool:
    """A number that people add up."""
    return facet.nature == "number" and not set(facet.noun.split()) & _NO_SUM


def ties(word: str, *, many: bool = False) -> tuple[str, ...]:
    """What is done about ties: by the alphabet. Programs and SQL both put capitals before small letters."""
    if many:
        return f"Ties by {word}, alphabetically.", f"If two are level, put them by {word}, alphabetically."
    first = f"the {word} that comes first in the alphabet"
    return f"If two are level, take {first}.", f"Ties go to {first}."

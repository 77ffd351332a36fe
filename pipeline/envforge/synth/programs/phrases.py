"""Words of a question: a core in three forms, spoken in four registers."""

from __future__ import annotations

from dataclasses import dataclass

from envforge.synth.programs.facets import Facet, counted_in

LARGE = frozenset(["area", "size", "population", "volume", "capacity", "length", "distance", "height", "width"])
"""Measures of what is large or small."""
_NO_SUM = frozenset(
    ["year", "date", "version", "rate", "rating", "percent", "factor", "latitude", "longitude", "score", "level", "age"]
)


@dataclass(frozen=True)
class Ask:
    """What is asked: "how many … are there", "how many … there are", "the number of …".

    `rules`: further sentences. `ranked`: it asks for the highest of something, which people argue about.
    """

    question: str
    indirect: str
    noun: str
    rules: tuple[tuple[str, ...], ...] = ()
    ranked: bool = False


def banks(ask: Ask, target: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Banks of words: the whole, the question, and its rules, each in several ways."""
    head = capital(ask.question)
    tell_me = f"tell me {ask.indirect}" if _clause(ask) else f"give me {ask.noun}"
    asked = f"asked me {ask.indirect}" if _clause(ask) else f"asked me for {ask.noun}"
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
            f"{head}?",
            f"{capital(tell_me)}.",
            f"I need to know {ask.indirect}." if _clause(ask) else f"I need {ask.noun}.",
            f"Please {tell_me}.",
        ),
        "report/polite": (
            f"Could you tell me {ask.indirect}?",
            f"Could you look this up for me: {ask.question}?",
            f"Please let me know {ask.indirect}.",
            f"Could you please find out {ask.indirect}?",
            # Too much courtesy for what is looked up in one line.
            *([f"I would be glad to know {ask.indirect}."] if ask.rules else []),
        ),
        "report/rambling": (
            f"I am putting a short overview together and still have to find out {ask.indirect}."
            if _clause(ask)
            else f"I am putting a short overview together and still need {ask.noun}.",
            f"Going through everything by hand took me half the morning and got me nowhere, so please {tell_me}.",
            f"I had no answer ready when somebody {asked}. Can you look that up?",
            f"I tried it by hand and got a different result each time, so please {tell_me}.",
            f"My own notes are years old and I don't trust them any more. {head}?",
            *(_argued(ask, head) if ask.ranked else ()),
        ),
        "report/implicit": (
            f"I have looked and still don't know {ask.indirect}.",
            f"Somebody is waiting to hear from me {ask.indirect}."
            if _clause(ask)
            else f"Somebody is waiting for {ask.noun}.",
            f"I still need {ask.noun}.",
            f"I could not answer when somebody {asked}.",
            f"I have been wondering {ask.indirect}." if _clause(ask) else f"I was asked for {ask.noun}.",
        ),
    }
    for number, ways in enumerate(ask.rules):
        words[f"report_rule_{number}"] = ways
    return words


def _argued(ask: Ask, head: str) -> tuple[str, ...]:
    """Openings of what is the highest, the latest, the most: nobody argues about a list or a number."""
    return (
        f"We were arguing over lunch and nobody could say for sure. {head}?",
        f"I have a talk to prepare and would like to begin it with {ask.noun}, so please look that up.",
    )


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
        return f"{'earliest' if low else 'latest'} {facet.short or facet.noun}"
    if facet.noun.split()[-1] in LARGE:
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

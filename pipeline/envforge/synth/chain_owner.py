"""What the words of a chain are about: the start by its name, "it", or the phrase of a way from there."""

from __future__ import annotations

from dataclasses import dataclass

from envforge.synth.entities import Entity


class UnsayableError(ValueError):
    """Nobody would say it so."""


@dataclass(frozen=True)
class Owner:
    """What the next words are about: "{start}", "it", or a phrase. `plural`: more than one.

    `asking`: the question that the phrase answers ("who created it"), where it has one of its own.
    """

    words: str
    plural: bool = False
    people: bool = False
    pronoun: bool = False
    asking: str = ""

    def of(self, noun: str, preposition: str = "of") -> str:
        """The noun of it: "its lead", "the lead of the task"."""
        if self.pronoun and preposition == "of":
            return f"{'their' if self.plural or self.people else 'its'} {noun}"
        return f"the {noun} {preposition} {self.object}"

    @property
    def object(self) -> str:
        """It, as an object."""
        return "them" if self.pronoun and (self.plural or self.people) else self.words

    @property
    def subject(self) -> str:
        """It, as a subject with its verb: "it is", "they are"."""
        many = self.plural or (self.pronoun and self.people)
        return f"{self.words} {'are' if many else 'is'}"

    def does(self, verb: str) -> str:
        """It, as a subject of a verb in the third person."""
        many = self.plural or (self.pronoun and self.people)
        return f"{self.words} {verb if many else verb + 's'}"

    @property
    def question(self) -> str:
        """Without its mark: "who created it", "what is its lead"."""
        if self.asking:
            return self.asking
        verb = "are" if self.plural else "is"
        return f"{'who' if self.people else 'what'} {verb} {self.words}"


def named(entity: Entity, pronoun: bool, slot: str = "start") -> Owner:
    """The start, by its words or as "it"."""
    words = f"{{{slot}}}" if not pronoun else "they" if entity.people else "it"
    return Owner(words, people=entity.people, pronoun=pronoun)

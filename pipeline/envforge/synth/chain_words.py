"""Words for chains: the row that somebody names, and the way from it to what is asked, as a noun phrase."""

from __future__ import annotations

import re
from dataclasses import dataclass

from envforge.core.records.intent import Reference
from envforge.synth.chains import Chain, Hop
from envforge.synth.entities import Attribute, Entity, Link
from envforge.synth.nouns import lowered, plural

_WRITTEN = frozenset({"comment", "note", "message", "review", "reply"})
_ON = frozenset({"comment", "note", "review", "reply"})


class UnsayableError(ValueError):
    """Nobody would say it so."""


@dataclass(frozen=True)
class Owner:
    """What the next words are about: "{start}", "it", or a phrase. `plural`: more than one."""

    words: str
    plural: bool = False
    people: bool = False
    pronoun: bool = False

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


def named(entity: Entity, pronoun: bool, slot: str = "start") -> Owner:
    """The start, by its words or as "it"."""
    words = f"{{{slot}}}" if not pronoun else "they" if entity.people else "it"
    return Owner(words, people=entity.people, pronoun=pronoun)


def reached(chain: Chain, place: int, start: Owner) -> Owner:
    """The rows after so many hops: "the lead of the project that {start} is linked to". Raises UnsayableError."""
    owner, entity = start, chain.start
    for hop in chain.hops[:place]:
        if hop.link is not None:
            owner = _linked(entity, hop.link, hop.entity, owner, over=hop.listing)
        if hop.listing:
            owner = _listed(hop, owner)
        entity = hop.entity
    return owner


def _listed(hop: Hop, owner: Owner) -> Owner:
    own = hop.entity
    if len(hop.reach.by) == 1 and hop.reach.by[0].to_table == own.table.name:
        words = f"the {own.plural} under {owner.object}"
    else:
        words = _between(hop, owner).of(own.plural, "on" if own.label in _ON else "of")
    return Owner(words, plural=True)


def _between(hop: Hop, owner: Owner) -> Owner:
    """Rows between that must be said: "the travellers of the bookings of"; parts of parts need no word."""
    words = hop.between
    return Owner(owner.of(plural(words)), plural=True) if words else owner


def _linked(entity: Entity, link: Link, to: Entity, owner: Owner, *, over: bool) -> Owner:
    target = to if not over or to.table.name == link.to_table else None
    label = target.label if target is not None else _label_of(link)
    many = owner.plural or link.many
    return Owner(_relation(entity, link, target, label, owner, many), plural=many)


def _label_of(link: Link) -> str:
    if link.property is not None or link.role in ("author", "editor") or not link.to_label:
        raise UnsayableError(f"no word for what {link.column} leads to")
    return link.to_label


def _relation(entity: Entity, link: Link, to: Entity | None, label: str, owner: Owner, many: bool) -> str:
    noun = plural(label) if many else label
    if link.role in ("author", "editor"):
        if to is None or not to.people:
            raise UnsayableError(f"{link.column} leads to nobody")
        verb = "wrote" if entity.label in _WRITTEN else "created"
        did = verb if link.role == "author" else "last edited"
        what = owner.of(entity.table.label) if entity.collection is not None else owner.object
        return f"the {'people' if many else 'person'} who {did} {what}"
    if link.property is not None:
        return _by_property(link, to, noun, owner, many)
    if link.role == "owner":
        return f"the {noun} behind {owner.object}"
    if link.role == "parent":
        if entity.people:
            return f"the {noun} that {owner.subject} on"
        under = to is not None and to.table.name == entity.table.name
        return f"the {noun} that {owner.subject} under" if under else f"the {noun} that {owner.does('belong')} to"
    if entity.people and (to is None or to.people):
        raise UnsayableError(f"{link.column} leads from people to people")
    alone = sum(one.to_table == link.to_table for one in entity.links) == 1
    own = noun if alone else _column_words(link, many)
    return owner.of(own)


def _column_words(link: Link, many: bool) -> str:
    words = link.column.removesuffix("_id").replace("_", " ")
    return plural(words) if many else words


def _by_property(link: Link, to: Entity | None, noun: str, owner: Owner, many: bool) -> str:
    if to is None:
        raise UnsayableError(f"no word for what {link.label} leads to")
    if not to.people:
        if to.collection is None:
            raise UnsayableError(f"{link.label} leads to rows without a word of their own")
        return f"the {noun} that {owner.subject} linked to"
    if link.noun:
        already = link.many and link.noun.endswith("s")
        return owner.of(plural(link.noun) if many and not already else link.noun)
    if re.fullmatch(r"(\w+ed|run|written|made)( \w+)? by", lowered(link.label)):
        return f"the {'people' if many else 'person'} that {owner.subject} {lowered(link.label)}"
    raise UnsayableError(f"{link.label} is no noun")


@dataclass(frozen=True)
class Asked:
    """An attribute in words. `constant`: name and value of a property's name that stands in quotes."""

    attribute: Attribute
    constants: dict[str, str]

    def of(self, owner: Owner) -> str:
        """As a noun phrase: "the status of it", 'what is entered under "Due" for it'."""
        if self.attribute.noun:
            many = owner.plural and not owner.pronoun
            noun = plural(self.attribute.noun) if many else self.attribute.noun
            return owner.of(noun)
        return f'what is entered under "{self._slot}" for {owner.object}'

    def question(self, owner: Owner) -> str:
        """A question without its mark."""
        if self.attribute.noun:
            return f"what {'are' if owner.plural else 'is'} {self.of(owner)}"
        return self.of(owner)

    @property
    def several(self) -> str:
        """Of several rows: "the fares", "the weights in kilograms", 'the numbers under "Order below"'."""
        return f"the {plural(self.attribute.noun)}" if self.attribute.noun else f'the numbers under "{self._slot}"'

    def having(self, value: str) -> str:
        """A condition on several rows: "have the status {value}"."""
        if self.attribute.nature == "tick":
            label = self._slot or self.attribute.noun
            return f'have "{label}" ticked'
        if self.attribute.noun:
            return f'have the {self.attribute.noun} "{value}"'
        return f'have "{value}" under "{self._slot}"'

    @property
    def _slot(self) -> str:
        return "".join(f"{{{name}}}" for name in self.constants)


def asked(attribute: Attribute, number: int = 1) -> Asked:
    """The attribute in words; `number` tells the constants of one goal apart."""
    quoted = not attribute.noun or attribute.nature == "tick"
    constants = {f"entry_{number}": attribute.label or attribute.noun} if quoted else {}
    return Asked(attribute, constants)


def reference(chain: Chain, key: str) -> Reference:
    """How the start is named. Raises UnsayableError when people have no words for it."""
    entity = chain.start
    short = f"that {entity.label}" if not entity.people else ""
    if not chain.finders:
        return Reference(
            table=entity.table.name, key=key, by=((entity.key,),), short=short,
            say={entity.key: f"{entity.label} {{{entity.key}|code}}"},
        )  # fmt: skip
    columns = set(chain.finders[0].sight.fields)
    if {"first_name", "last_name"} <= columns:
        words = "{first_name} {last_name}"
        lead = "" if entity.label in ("user", "person") else f"{entity.label} "
        say = {"last_name+first_name": lead + words}
        by: list[tuple[str, ...]] = [("last_name", "first_name")]
        if "birth_date" in columns:
            by.append(("last_name", "first_name", "birth_date"))
            say["last_name+first_name+birth_date"] = f"{lead}{words}, born on {{birth_date|date}}"
        return Reference(table=entity.table.name, key=key, by=tuple(by), say=say, short="{first_name}")
    title = next((c.name for c in entity.table.columns if c.role == "title" and c.name in columns), "")
    if not title:
        raise UnsayableError(f"a {entity.label} has no title")
    words = f"{{{title}|name}}" if entity.people else f"the {entity.label} {{{title}|quoted}}"
    return Reference(table=entity.table.name, key=key, by=((title,),), say={title: words}, short=short)

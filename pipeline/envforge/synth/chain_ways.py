"""The way from a row that somebody names to what is asked, as people say it: "who created it", "the tickets on it".

A way that nobody would say (a table without a word of its own, a relation without a verb, down and up and down again)
raises UnsayableError: it gives no goal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from envforge.synth.chains import Chain, Hop
from envforge.synth.entities import Entity, Link
from envforge.synth.nouns import lowered, plural, said

_WROTE = frozenset({"comment", "note", "message", "review", "reply"})
_OPENED = frozenset({"issue", "pull request", "ticket"})
_MADE = frozenset({"booking", "reservation", "order", "purchase"})
_ON = frozenset({"comment", "note", "reply", "ticket", "bag", "traveller", "passenger", "charge", "payment", "label"})
_IN = frozenset({"issue", "request", "milestone", "branch", "release", "commit", "task", "file"})
_HOLDERS = frozenset({"repository", "project", "milestone", "folder", "workspace"})
_TIES = frozenset({"ticket", "seat", "registration", "loan"})
"""Rows that only tie two others: "the flights on the booking" are those of its tickets."""
_NOW = {"run": "runs", "led": "leads", "owned": "owns", "managed": "manages", "looked after": "looks after"}
_MAKERS = ("author", "editor", "person")


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
        return f"{'who' if self.people else 'which'} {verb} {self.words}"


def named(entity: Entity, pronoun: bool, slot: str = "start") -> Owner:
    """The start, by its words or as "it"."""
    words = f"{{{slot}}}" if not pronoun else "they" if entity.people else "it"
    return Owner(words, people=entity.people, pronoun=pronoun)


def reached(chain: Chain, start: Owner, since: int = 0) -> Owner:
    """The rows where the chain leads, from those after `since` hops, which `start` says. Raises UnsayableError."""
    owner, before, entity = start, start, chain.entity(since)
    for number in range(since, len(chain.hops)):
        hop = chain.hops[number]
        _sense(chain, number)
        if hop.link is not None:
            fan = number > 0 and chain.hops[number - 1].listing
            owner, before = _over(entity, hop.link, hop, owner, before, fan=fan), owner
        if hop.listing:
            owner, before = _listed(hop, owner, short=number + 1 < len(chain.hops)), owner
        entity = hop.entity
    if chain.start.people and since < len(chain.hops) and entity.table == chain.start.table:
        raise UnsayableError(f"from a {chain.start.label} to {entity.plural}: the one that was named is one of them")
    return owner


def _sense(chain: Chain, number: int) -> None:
    """Nobody goes up to a whole and down to its other parts: they would name the whole at once."""
    hop = chain.hops[number]
    if not said(hop.entity.label):
        raise UnsayableError(f"nobody talks of a {hop.entity.label}")
    down = hop.listing or any(one.listing for one in chain.hops[number + 1 :])
    if hop.link is not None and down:
        raise UnsayableError(f"{hop.link.column} leads up, and then down again")


# -- from a whole to its parts --------------------------------------------------------------------------------------


def _listed(hop: Hop, owner: Owner, *, short: bool) -> Owner:
    """The rows that a tool lists: "the comments on it", "the bookings that they made".

    `short`: more follows, so what somebody has is said in two words: "the bags on {start}'s bookings".
    """
    own, by = hop.entity, hop.reach.by
    if (
        short
        and owner.people
        and owner.words.startswith("{")
        and hop.roles == ("owner",)
        and "assign" not in by[0].column
    ):
        return Owner(f"{owner.words}'s {own.plural}", plural=True, people=own.people)
    if len(by) == 1 and by[0].to_table == own.table.name:
        return Owner(f"the {own.plural} under {owner.object}", plural=True)
    if hop.between:
        owner = Owner(_parts(hop.roles[-1], by[-1].column, by[-1].to_table, hop.between, owner), plural=True)
    place = 0 if hop.between else -1
    words = _parts(hop.roles[place], by[place].column, by[place].to_table, own.label, owner)
    return Owner(words, plural=True, people=own.people)


def _parts(role: str, column: str, whole: str, label: str, owner: Owner) -> str:
    many = plural(label)
    if not owner.people:
        stem = column.removesuffix("_id")
        if role not in ("parent", "owner") and whole not in (stem, plural(stem)):
            raise UnsayableError(f"{column} is more than a part of a whole")
        return owner.of(many, _preposition(label, owner))
    subject = owner.subject.rpartition(" ")[0]
    if role == "owner":
        if "assign" in column:
            return f"the {many} assigned to {owner.object}"
        return f"the {many} that {subject} made" if label in _MADE else owner.of(many)
    if role in _MAKERS:
        return f"the {many} that {subject} {_did(label, role)}"
    raise UnsayableError(f"no word for what {column} says of people")


def _preposition(label: str, owner: Owner) -> str:
    last = label.split()[-1]
    if last in _IN and any(re.search(rf"\b{one}", _head(owner.words)) for one in _HOLDERS):
        return "in"
    return "on" if last in _ON else "of"


def _head(words: str) -> str:
    """The noun of a phrase; a start in braces may be anything that holds others."""
    return " ".join(_HOLDERS) if words.startswith("{") or words in ("it", "them") else words


def _did(label: str, role: str) -> str:
    if role == "editor":
        return "last edited"
    return "wrote" if label.split()[-1] in _WROTE else "opened" if label in _OPENED else "created"


# -- from a row to the one that it refers to ------------------------------------------------------------------------


def _over(entity: Entity, link: Link, hop: Hop, owner: Owner, before: Owner, *, fan: bool) -> Owner:
    target = hop.entity if not hop.listing or hop.entity.table.name == link.to_table else None
    many = owner.plural or link.many
    if fan:
        return _over_many(entity, link, hop.entity, owner, before)
    if link.property is not None:
        return _by_property(link, target, owner, many)
    if link.role == "parent":
        return _up(entity, link, target, owner, many)
    people = target is not None and target.people
    if people and (maker := _maker(entity, link, owner)):
        return maker
    if entity.people and (target is None or people):
        raise UnsayableError(f"{link.column} leads from people to people")
    closes = re.fullmatch(r"(\w+s)_(\w+)_id", link.column)
    if closes and target is not None and closes.group(2) == target.label:
        verb = closes.group(1)
        return Owner(
            f"the {target.label} that {owner.words} {verb}",
            asking=f"which {target.label} does {owner.words} {verb[:-1]}",
        )
    if sum(one.to_table == link.to_table for one in entity.links) != 1 or not link.to_label:
        raise UnsayableError(f"no word for what {link.column} leads to")
    noun = plural(link.to_label) if many else link.to_label
    return Owner(owner.of(noun), plural=many, people=people)


def _maker(entity: Entity, link: Link, owner: Owner) -> Owner | None:
    """Who made it, who it is assigned to, or who did to it what the column says: "who merged it"."""
    own = owner.object
    done = re.fullmatch(r"(?:last_)?([a-z]+ed)_by", link.column)
    if link.role == "owner" and "assign" in link.column:
        return Owner(f"the person assigned to {own}", people=True, asking=f"who is assigned to {own}")
    if link.role == "owner" and entity.label in _MADE:
        return Owner(f"the {link.to_label} who made {own}", people=True, asking=f"who made {own}")
    verb = ""
    if link.role in ("author", "person"):
        verb = _did(entity.label, link.role)
    elif link.role == "editor" or done:
        verb = done.group(1) if done and not link.column.startswith("last_") else "last edited"
    return Owner(f"the person who {verb} {own}", people=True, asking=f"who {verb} {own}") if verb else None


def _over_many(entity: Entity, link: Link, to: Entity, owner: Owner, whole: Owner) -> Owner:
    """From listed rows to people ("who commented on it"), or through rows that only tie ("the flights on it")."""
    if not to.people:
        if entity.label.split()[-1] not in _TIES or whole.plural:
            raise UnsayableError(f"nobody asks for the {to.plural} of {entity.plural}")
        return Owner(f"the {to.plural} on {owner.words if whole.people else whole.object}", plural=True)
    last, own = entity.label.split()[-1], whole.object
    did = ""
    if link.role in ("author", "person"):
        if last in ("comment", "note", "reply", "review"):
            did = f"reviewed {own}" if last == "review" else f"commented on {own}"
        elif last in _IN and not whole.people:
            did = f"{_did(entity.label, link.role)} {entity.plural} in {own}"
    if did:
        return Owner(f"the people who {did}", plural=True, people=True, asking=f"who has {did}")
    if link.role == "owner" and "assign" in link.column and last in _IN and not whole.people:
        to_these = f"assigned to {entity.plural} in {own}"
        return Owner(f"the people {to_these}", plural=True, people=True, asking=f"who is {to_these}")
    raise UnsayableError(f"no word for the people of {entity.plural}")


def _up(entity: Entity, link: Link, to: Entity | None, owner: Owner, many: bool) -> Owner:
    label = to.label if to is not None else link.to_label
    if not label:
        raise UnsayableError(f"no word for what {link.column} leads to")
    noun = plural(label) if many else label
    if entity.people:
        return Owner(f"the {noun} that {owner.subject} on", plural=many, asking=f"which {noun} is {owner.words} on")
    if to is not None and to.table.name == entity.table.name:
        return Owner(f"the {noun} above {owner.object}", plural=many, asking=f"which {noun} is {owner.words} under")
    return _belonging(noun, owner, many)


def _belonging(noun: str, owner: Owner, many: bool) -> Owner:
    do = "do" if owner.plural else "does"
    asking = f"which {noun} {do} {owner.words} belong to"
    return Owner(f"the {noun} that {owner.does('belong')} to", plural=many, asking=asking)


def _by_property(link: Link, to: Entity | None, owner: Owner, many: bool) -> Owner:
    if to is None:
        raise UnsayableError(f"no word for what {link.label} leads to")
    if not to.people:
        if to.collection is None:
            raise UnsayableError(f"{link.label} leads to rows without a word of their own")
        return _belonging(to.plural if many else to.label, owner, many)
    if link.noun:
        already = link.many and link.noun.endswith("s")
        return Owner(owner.of(plural(link.noun) if many and not already else link.noun), plural=many, people=True)
    done = re.fullmatch(r"((?:\w+ed|run|led|written|made)(?: \w+)?) by", lowered(link.label))
    if done and not many:
        verb, _, particle = done.group(1).partition(" ")
        does = _NOW.get(done.group(1), f"{verb} {particle}".strip())
        first, _, rest = does.partition(" ")
        words = f"{first} {rest} {owner.object}" if rest else f"{first} {owner.object}"
        return Owner(f"the person who {words}", people=True, asking=f"who {words}")
    raise UnsayableError(f"{link.label} is no noun")

"""The way from a row that somebody names to what is asked, as people say it: "who created it", "the tickets on it".

A way that nobody would say (a table without a word of its own, a relation without a verb, down and up and down again)
raises UnsayableError: it gives no goal.
"""

from __future__ import annotations

import re
from dataclasses import replace

from envforge.synth.chain_owner import Owner, UnsayableError
from envforge.synth.chain_people import assigned, did, does, has_done, stands_as, stem
from envforge.synth.chains import Chain, Hop
from envforge.synth.entities import Entity, Link
from envforge.synth.nouns import lowered, plural, said

_ON = frozenset(
    {"comment", "note", "reply", "ticket", "bag", "traveller", "passenger", "charge", "payment", "label", "flag"}
)
_TO = frozenset({"correction", "amendment", "answer", "exception"})
_IN = frozenset({"issue", "request", "milestone", "branch", "release", "commit", "task", "file"})
_HOLDERS = frozenset({"repository", "project", "milestone", "folder", "workspace", "collection", "library", "album"})
_TIES = frozenset({"ticket", "seat", "registration", "loan"})
"""Rows that only tie two others: "the flights on the booking" are those of its tickets."""
_NOW = {"run": "runs", "led": "leads", "owned": "owns", "managed": "manages", "looked after": "looks after"}


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
        owner = _parts(hop.roles[-1], by[-1].column, by[-1].to_table, hop.between, owner)
    if hop.reach.through:
        return _tied(hop, owner)
    place = 0 if hop.between else -1
    found = _parts(hop.roles[place], by[place].column, by[place].to_table, own.label, owner)
    return replace(found, people=own.people, asking="" if own.people else found.asking)


def _tied(hop: Hop, owner: Owner) -> Owner:
    """Rows that a table of ties leads to: "the features in the collection", "the languages of the country".

    Only where the ties are called after both ends, or what they are tied to is there to hold others.
    """
    own, whole = hop.entity, stem(hop.reach.by[-1].column)
    if own.people or owner.people or owner.plural or hop.reach.by[-1].to_table == own.table.name:
        raise UnsayableError(f"no word for the {own.plural} of a {hop.tie}")
    if whole in _HOLDERS:
        return _placed("in", own.plural, owner)
    if hop.tie not in (f"{whole} {own.label}", f"{own.label} {whole}"):
        raise UnsayableError(f"no word for what a {hop.tie} says")
    if hop.tie == f"{own.label} {whole}":  # the ties are the rows' own: countries have currencies
        words = f"the {own.plural} with {owner.object}"
        return Owner(words, plural=True, asking=f"which {own.plural} have {owner.object}")
    return _placed(preposition(own.label, owner), own.plural, owner)


def _placed(preposition: str, many: str, owner: Owner) -> Owner:
    """Parts of something, and the question for them: "which issues are in {start}", "which languages does it have"."""
    if preposition == "of":
        asking = f"which {many} {'do' if owner.plural else 'does'} {owner.words} have"
    else:
        asking = f"which {many} are {preposition} {owner.object}"
    return Owner(owner.of(many, preposition), plural=True, asking=asking)


def _parts(role: str, column: str, whole: str, label: str, owner: Owner) -> Owner:
    """Rows that hold the key of their whole, or of somebody who is something to them."""
    many = plural(label)
    if not owner.people:
        part = stem(column)
        if role not in ("parent", "owner") and whole not in (part, plural(part)):
            raise UnsayableError(f"{column} is more than a part of a whole")
        return _placed(preposition(label, owner), many, owner)
    if assigned(role, column):
        asking = f"which {many} are assigned to {owner.object}"
        return Owner(f"the {many} assigned to {owner.object}", plural=True, asking=asking)
    if noun := stands_as(column):
        asking = f"which {many} have {owner.object} as their {noun}"
        return Owner(f"the {many} with {owner.object} as their {noun}", plural=True, asking=asking)
    if verb := does(label, role, column):
        asking = f"which {many} {'do' if owner.plural else 'does'} {owner.words} {verb}"
        return Owner(f"the {many} that {owner.does(verb)}", plural=True, asking=asking)
    if verb := did(label, role, column):
        asking = f"which {many} {'have' if owner.plural else 'has'} {owner.words} {has_done(verb)}"
        return Owner(f"the {many} that {owner.words} {verb}", plural=True, asking=asking)
    if role == "owner":
        return _placed("of", many, owner)
    raise UnsayableError(f"no word for what {column} says of people")


def preposition(label: str, owner: Owner) -> str:
    """What stands between a part and its whole: "the comments on it", "the issues in it"."""
    last = label.split()[-1]
    if last in _IN and any(re.search(rf"\b{one}", _head(owner.words)) for one in _HOLDERS):
        return "in"
    return "on" if last in _ON else "to" if last in _TO else "of"


def _head(words: str) -> str:
    """The noun of a phrase; a start in braces may be anything that holds others."""
    return " ".join(_HOLDERS) if words.startswith("{") or words in ("it", "them") else words


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
    """Who made it, who it is assigned to, or who does to it what the column says: "who merged it", "who owns it"."""
    own, label = owner.object, entity.label
    if assigned(link.role, link.column):
        return Owner(f"the person assigned to {own}", people=True, asking=f"who is assigned to {own}")
    if noun := stands_as(link.column):
        return Owner(owner.of(noun), people=True, asking=f"who is {owner.of(noun)}")
    verb = f"{now}s" if (now := does(label, link.role, link.column)) else did(label, link.role, link.column)
    who = link.to_label if link.role == "owner" and verb == "made" else "person"
    return Owner(f"the {who} who {verb} {own}", people=True, asking=f"who {verb} {own}") if verb else None


def _over_many(entity: Entity, link: Link, to: Entity, owner: Owner, whole: Owner) -> Owner:
    """From listed rows to people ("who commented on it"), or through rows that only tie ("the flights on it")."""
    if not to.people:
        if entity.label.split()[-1] not in _TIES or whole.plural:
            raise UnsayableError(f"nobody asks for the {to.plural} of {entity.plural}")
        on = owner.words if whole.people else whole.object
        return Owner(f"the {to.plural} on {on}", plural=True, asking=f"which {to.plural} are on {on}")
    last, own = entity.label.split()[-1], whole.object
    done = ""
    if link.role in ("author", "person"):
        if last in ("comment", "note", "reply", "review"):
            done = f"reviewed {own}" if last == "review" else f"commented on {own}"
        elif last in _IN and not whole.people:
            done = f"{did(entity.label, link.role, link.column)} {entity.plural} in {own}"
    if done:
        return Owner(f"the people who {done}", plural=True, people=True, asking=f"who has {done}")
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
        raise UnsayableError(f"who knows a {entity.label} would name the {noun} above it")
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

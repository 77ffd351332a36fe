"""Naming: a record is called what the paths call it, where its schema's name says the same in more words."""

from __future__ import annotations

from collections.abc import Sequence

from envforge.core.records.extraction import ApiOperation
from envforge.mine.infer.calls import Call
from envforge.mine.infer.envelopes import unwrap
from envforge.mine.infer.lexicon import HTTP_WORDS, SHOWING_WORDS
from envforge.mine.infer.typeviews import Typed, Types, identity, stripped


def name_by_place(calls: Sequence[Call]) -> None:
    """Let `/orders/{id}` call `OrderCompleteView` an order; the types of all calls then know it so.

    Only words that say how much of a record is shown are dropped: an issue comment under `/comments` stays one.
    A schema that stands in places of different names keeps its own.
    """
    told: dict[int, tuple[Types, dict[str, set[str]]]] = {}
    for call in calls:
        noun = _noun_of_records(call)
        for op, types, _ in call.stated if noun else ():
            name = _answered(op, types, call)
            if name is not None and _says_more_than(stripped(name), noun):
                told.setdefault(id(types), (types, {}))[1].setdefault(name, set()).add(noun)
    for types, names in told.values():
        types.called.update({name: nouns.pop() for name, nouns in names.items() if len(nouns) == 1})


def _answered(op: ApiOperation, types: Types, call: Call) -> str | None:
    """The schema of the one kind of record that stands under the path; None for a singleton or a choice."""
    last = call.segments()[-1]
    found = unwrap(Typed(op.success, types), last.noun if last.kind == "word" else "") if op.success else None
    members = found.item.members() if found is not None else ()
    view = members[0].view() if len(members) == 1 else None
    if found is None or view is None or view.name is None or identity(view) != stripped(view.name):
        return None
    return view.name if found.many or last.kind == "param" or call.method == "post" else None


def _noun_of_records(call: Call) -> str:
    """What the path calls the records that the call answers; empty if it does not say."""
    segments = call.segments()
    if segments and segments[-1].kind == "param":
        segments = segments[:-1]
    return segments[-1].noun if segments and segments[-1].kind == "word" else ""


def _says_more_than(name: str, noun: str) -> bool:
    """True if `name` is `noun` and words that say how it is shown; after `with` any words may follow.

    A name of nothing but such words (`get_list`) says less than any noun.
    """
    words, wanted = name.split("_"), noun.split("_")
    if all(word in SHOWING_WORDS or word in HTTP_WORDS for word in words):
        return True
    for at in range(len(words) - len(wanted) + 1):
        if [*words[at : at + len(wanted)]] == wanted:
            before, after = words[:at], words[at + len(wanted) :]
            return name != noun and all(word in SHOWING_WORDS for word in before) and _shows(after)
    return False


def _shows(words: Sequence[str]) -> bool:
    return words[:1] == ["with"] or all(word in SHOWING_WORDS for word in words)

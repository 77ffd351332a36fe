"""Scopes: the tenant in front of nearly every path is the World itself, not a record in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from envforge.mine.infer.entities import Subject

MIN_SHARE = 0.5
"""Share of an interface's paths that begin inside a scope that no tool could find."""
NEARLY_ALL = 0.8
"""Share from which a scope is the World, though a record of it is answered: everything is inside of one."""
UNREACHED = 0.4
"""Share that is enough where each list of such records needs one of them, or of another kind that no list leads to."""
_MAX_SCOPES = 3


def inside_scope(subjects: Sequence[Subject], entities: Collection[str]) -> list[Subject]:
    """The subjects without the leading `/companies/{id}` that half of the paths share and that is no entity.

    Nothing answers such a record, so it can be neither found nor chosen: one World is one of it. So it is with an
    entity that nearly all paths begin with and that nothing lists.
    """
    for _ in range(_MAX_SCOPES):
        scope = _scope(subjects, entities)
        if scope is None:
            break
        subjects = [
            replace(subject, path=subject.path[1:]) if _within(subject, scope) else subject for subject in subjects
        ]
    return list(subjects)


def _scope(subjects: Sequence[Subject], entities: Collection[str]) -> tuple[str, str] | None:
    heads = Counter(subject.path[0] for subject in subjects if len(subject.path) > 1)
    for (noun, parameter), count in heads.most_common(1):
        share = count / len(subjects)
        if parameter is None or share < _least(noun, subjects, entities):
            return None
        return noun, parameter
    return None


def _least(noun: str, subjects: Sequence[Subject], entities: Collection[str]) -> float:
    """The share of all paths that must begin with a holder, if it is to be the World; above one: it never is."""
    if noun not in entities:
        return MIN_SHARE
    lists = [subject for subject in subjects if _lists(subject, noun)]
    if not lists:
        return NEARLY_ALL
    inside = any((noun, parameter) in subject.path[:-1] for subject in lists for _, parameter in subject.path)
    return 2.0 if inside or noun in _led_to(subjects) else UNREACHED


def _led_to(subjects: Sequence[Subject]) -> set[str]:
    """Kinds of records that some list leads to: it needs no record, or only such as lists lead to."""
    found: set[str] = set()
    while True:
        more = {
            subject.path[-1][0]
            for subject in subjects
            if subject.path
            and _lists(subject, subject.path[-1][0])
            and {holder for holder, parameter in subject.path[:-1] if parameter is not None} <= found
        }
        if more <= found:
            return found
        found |= more


def _lists(subject: Subject, noun: str) -> bool:
    """True if the call lists the records themselves, so that one can be chosen."""
    return subject.many and noun in subject.answered and subject.path[-1:] == ((noun, None),)


def _within(subject: Subject, scope: tuple[str, str]) -> bool:
    return len(subject.path) > 1 and subject.path[0] == scope


def without_unknown_holders(subjects: Sequence[Subject], entities: Collection[str]) -> list[Subject]:
    """The subjects without steps in mid-path through records that are no entities (`/places/{id}/devices`).

    No tool finds such a record, so its id cannot be asked for; what it would narrow down is offered whole.
    """
    return [replace(subject, path=_known_path(subject.path, entities)) for subject in subjects]


def _known_path(
    path: Sequence[tuple[str, str | None]], entities: Collection[str]
) -> tuple[tuple[str, str | None], ...]:
    last = len(path) - 1
    twice = {noun for at, (noun, _) in enumerate(path) if at and path[at - 1][0] == noun}
    return tuple(
        (noun, parameter)
        for at, (noun, parameter) in enumerate(path)
        if at == last or parameter is None or noun in entities or noun in twice
    )

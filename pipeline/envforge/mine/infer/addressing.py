"""Addressing: which entity a word of a path means, and which column a path parameter is a value of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from envforge.core.records.domain import SIBLING_NUMBERS, Column
from envforge.mine.infer.columns import TableDraft
from envforge.mine.infer.entities import Subject, id_field
from envforge.mine.infer.lexicon import NATURAL_KEYS
from envforge.mine.infer.names import safe_identifier, snake
from envforge.mine.infer.typeviews import Typed


def by_entity(subjects: Sequence[Subject], entities: Collection[str]) -> list[Subject]:
    """The subjects with path words that stand for an entity (`/repos` for repository) replaced by its name."""
    aliases = _aliases(subjects, entities)
    return [
        replace(subject, path=tuple((aliases.get(noun, noun), parameter) for noun, parameter in subject.path))
        for subject in subjects
    ]


def homes(subjects: Sequence[Subject]) -> dict[str, frozenset[tuple[str, ...]]]:
    """For each record the paths (as words) under which single ones of it are read."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for subject in subjects:
        single = subject.call.method == "get" and not subject.many and len(subject.answered) == 1
        if single and subject.path and subject.path[-1][1] is not None:
            found.setdefault(subject.answered[0], set()).add(tuple(noun for noun, _ in subject.path))
    return {name: frozenset(paths) for name, paths in found.items()}


def _aliases(subjects: Sequence[Subject], entities: Collection[str]) -> dict[str, str]:
    """Words of paths that mean an entity by another name: what stands under them is always of that one entity.

    Single records tell it, and so do collections whose word is part of the entity's name (`/users` of user accounts).
    """
    votes: dict[str, Counter[str]] = {}
    for subject in subjects:
        if len(subject.answered) != 1 or subject.call.method != "get" or not subject.path:
            continue
        noun, parameter = subject.path[-1]
        entity = subject.answered[0]
        if entity not in entities and id_field(subject.views[entity], entity) is None:
            continue  # an account of something (`/users/{id}` that answers roles), no record of its own
        alone = subject.path[0][0] == noun and noun not in entities
        single = not subject.many and parameter is not None
        collection = subject.many and parameter is None and set(noun.split("_")) <= set(entity.split("_"))
        if alone and (single or collection):
            votes.setdefault(noun, Counter())[entity] += 1
    found: dict[str, str] = {}
    for noun, counted in votes.items():
        entity = next(iter(counted))
        if len(counted) == 1 and entity in entities:
            found[noun] = entity
    return found


def addressed_column(draft: TableDraft, name: str, typed: Typed | None) -> Column:
    """The column that a path parameter holds: the key, or a natural key where the parameter is of another kind.

    `issue_number` is a number, `team_slug` a slug; a text where the key is an integer is the record's handle.
    """
    key = safe_identifier(draft.entity.key)
    column = next(one for one in draft.columns if one.name == key)
    plain = snake(name)
    if plain == key or plain.endswith(f"_{key}"):
        return column
    if plain in SIBLING_NUMBERS:  # a path may call it otherwise than the record does
        place = next((one for one in draft.columns if one.name in SIBLING_NUMBERS and one.type == "integer"), None)
        if place is not None:
            return place
    ending = plain.removeprefix(f"{draft.entity.name}_").rpartition("_")[2]
    for one in draft.columns:
        if one.name == ending and one.name in NATURAL_KEYS and one.references is None:
            return one
    kind = typed.resolved().kind if typed is not None else "any"
    if column.type == "integer" and kind == "string":
        for natural in NATURAL_KEYS:
            found = next((one for one in draft.columns if one.name == natural and one.type == "text"), None)
            if found is not None:
                return found
    return column

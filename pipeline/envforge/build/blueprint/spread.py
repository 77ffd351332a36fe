"""Which tools of a source ship where no archetype brings its own: few entities, each with its whole life."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from envforge.build.blueprint.candidate import Candidate
from envforge.build.blueprint.entities import neighbours, says
from envforge.build.blueprint.reachability import needed, self_sufficient
from envforge.core.records.domain import Domain

TOOLS_EACH = 5
FEWEST, MOST = 3, 8
"""How many entities there are at least and at most, whatever the number of tools."""
WORTH = {
    "transition": 5,
    "transfer": 4,
    "link": 4,
    "create": 4,
    "update": 4,
    "delete": 3,
    "find": 3,
    "unlink": 2,
    "get": 2,
    "aggregate": 1,
}
"""What an entity gains by a verb that it has."""
STEPS = ("transition", "transfer", "link")
CHANGES = ("update", "unlink", "delete")
ROUNDS = (("find",), ("create", "update"), STEPS, STEPS, CHANGES, ("get",), CHANGES)
"""Verbs of which an entity gets one, round by round: the first that it has and has not got yet (of steps, two)."""
LATER = ("transition", "update", "delete", "unlink", "link", "transfer", "create", "get", "find", "aggregate")
_LINK = 3
_MOST_LINKS = 4
_MOST_TOLD = 8
_STEM = 4
"""Letters of a word that its plural and its short form begin with as well."""


def connected(candidates: Sequence[Candidate], domain: Domain, *, max_tools: int) -> list[str]:
    """The entities that ship, best first, each connected to one before it as long as there is such.

    Where an entity can neither be found nor changed, it comes after all that can: others need its ids at most.
    """
    verbs: dict[str, set[str]] = {}
    for one in candidates:
        verbs.setdefault(one.operation.entity, set()).add(one.verb_class)
    lives = {one.operation.entity for one in candidates if one.writes and "find" in verbs[one.operation.entity]}
    near, told = neighbours(domain), {table.entity: says(table) for table in domain.tables}

    def worth(name: str, found: Sequence[str]) -> tuple[bool, bool, int, int, str]:
        beside = near.get(name, set())
        links = len(beside & (set(found) if found else lives))
        alone = bool(found) and not links
        gain = sum(WORTH[verb] for verb in verbs[name]) + _LINK * min(links, _MOST_LINKS)
        return name not in lives, alone, -gain, -told.get(name, 0), name

    found: list[str] = []
    waiting = sorted(verbs)
    while waiting and len(found) < max(FEWEST, min(MOST, round(max_tools / TOOLS_EACH))):
        found.append(min(waiting, key=lambda name: worth(name, found)))
        waiting.remove(found[-1])
    return found


def by_rounds(candidates: Sequence[Candidate], entities: Sequence[str], *, most_each: int) -> list[Candidate]:
    """The candidates in the order in which they ship: a round of verbs for all entities, then the next one.

    No verb is taken more than `most_each` times; what is over comes last.
    """
    ordered = sorted(candidates, key=lambda one: _preference(one, entities))
    waiting = {name: [one for one in ordered if one.operation.entity == name] for name in entities}
    counts: Counter[str] = Counter()
    ranked: list[Candidate] = []
    for wanted in ROUNDS:
        for name in entities:
            had = {one.verb_class for one in ranked if one.operation.entity == name} - {"transition"}
            fresh = [one for one in waiting[name] if one.verb_class in wanted and one.verb_class not in had]
            fresh = [one for one in fresh if one not in ranked and counts[one.verb_class] < most_each]
            if fresh:
                ranked.append(min(fresh, key=lambda one: wanted.index(one.verb_class)))
                counts[ranked[-1].verb_class] += 1
    rest = [one for name in entities for one in waiting[name] if one not in ranked]
    rest.sort(key=lambda one: (LATER.index(one.verb_class), entities.index(one.operation.entity)))
    kept, over = _within(rest, counts, most_each)
    return [*ranked, *kept, *over]


def _within(rest: Sequence[Candidate], counts: Counter[str], most_each: int) -> tuple[list[Candidate], list[Candidate]]:
    kept: list[Candidate] = []
    over: list[Candidate] = []
    for one in rest:
        counts[one.verb_class] += 1
        (kept if counts[one.verb_class] <= most_each else over).append(one)
    return kept, over


def _preference(one: Candidate, entities: Collection[str]) -> tuple[bool, bool, int, int, int, str]:
    """What is called after its entity, needs no ids of what does not ship, and has a plain name; most to tell first."""
    operation = one.operation
    strange = [semantic for semantic in needed(operation) if semantic.partition(".")[0] not in entities]
    own_key = any(semantic.startswith(f"{operation.entity}.") for semantic in needed(operation))
    named = any(word[:_STEM] in operation.name for word in operation.entity.split("_"))
    told = -min(len(operation.parameters), _MOST_TOLD)
    keyless = operation.verb == "get" and not own_key
    return keyless, not named, len(strange), operation.name.count("_"), told, operation.name


def lenders(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Tools of other entities that can be asked for ids that the chosen ones need, finding tools first."""
    reading = [one for one in candidates if not one.writes]
    reading.sort(key=lambda one: _preference(one, {one.operation.entity}))
    return sorted(reading, key=lambda one: (one.verb_class != "find", not self_sufficient(one.operation)))

"""Which tools ship: entities first, then three or four verbs each, all ids reachable, no verb over 40 %."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from envforge.build.blueprint.candidate import Candidate, Kind, Rejections, rejection
from envforge.build.blueprint.entities import scored
from envforge.build.blueprint.reachability import needed, produced, reachable, self_sufficient
from envforge.build.blueprint.spread import by_rounds, connected, lenders
from envforge.core.records.blueprint import Operation, Select
from envforge.core.records.domain import Domain
from envforge.world.environment import RESERVED_NAMES

VERBS_FIRST = 4
MAX_VERB_SHARE = 0.4
VERB_ORDER = ("find", "get", "create", "update", "transition", "transfer", "link", "delete", "unlink", "aggregate")
LATER_VERBS = ("transfer", "transition", "find", "create", "update", "link", "delete", "get", "unlink", "aggregate")
"""Which verbs beyond the first four of an entity matter most."""
_KIND_ORDER: dict[Kind, int] = {"archetype": 0, "source": 1, "data": 2, "document": 3, "history": 4}
_GIVEN = ("archetype", "document", "history")
"""Kinds whose tools come first, whatever entities are chosen."""


def choose(candidates: Sequence[Candidate], domain: Domain, *, max_tools: int) -> tuple[list[Operation], Rejections]:
    """The tools that ship, by entity and verb, and the others with a reason code."""
    rejected: Rejections = []
    unique = _unique(candidates, rejected)
    choice = _of_source if _is_bare(unique, domain) else _with_archetype
    chosen, names = choice(unique, domain, max_tools, rejected)
    order = {name: position for position, name in enumerate(names)}
    chosen.sort(key=lambda one: (order[one.operation.entity], VERB_ORDER.index(one.verb_class), one.operation.name))
    return [one.operation for one in chosen], rejected


def _is_bare(candidates: Sequence[Candidate], domain: Domain) -> bool:
    """True for a source's operations on tables that no archetype knows."""
    kinds = {one.kind for one in candidates}
    return "source" in kinds and "archetype" not in kinds and not any(table.archetype_role for table in domain.tables)


def _with_archetype(
    unique: Sequence[Candidate], domain: Domain, max_tools: int, rejected: Rejections
) -> tuple[list[Candidate], list[str]]:
    """The tools that ship and their entities in order, those of archetypes first."""
    entities = scored([one for one in unique if one.kind not in ("document", "history")], domain, max_tools=max_tools)
    inside = [one for one in unique if one.operation.entity in entities or one.kind in _GIVEN]
    _reject([one for one in unique if one not in inside], "entity_not_selected", rejected)
    names = list(dict.fromkeys([*entities, *(one.operation.entity for one in inside)]))
    ranked = _ranked(inside, names)
    chosen, left = _with_writers(ranked[:max_tools], ranked[max_tools:])
    chosen, left = _all_reachable(chosen, left, rejected, max_tools)
    chosen, heavy = _balanced(chosen)
    _reject(left, "over_max_tools", rejected)
    _reject(heavy, "verb_share", rejected)
    return chosen, names


def _of_source(
    unique: Sequence[Candidate], domain: Domain, max_tools: int, rejected: Rejections
) -> tuple[list[Candidate], list[str]]:
    """The same where there is no archetype: few entities with all their verbs, and what finds the ids they need."""
    given = [one for one in unique if one.kind in _GIVEN]
    entities = connected([one for one in unique if one not in given], domain, max_tools=max_tools - len(given))
    inside = [one for one in unique if one.operation.entity in entities or one in given]
    outside = lenders([one for one in unique if one not in inside])
    ranked = by_rounds([one for one in inside if one not in given], entities, most_each=int(MAX_VERB_SHARE * max_tools))
    ranked = [*given, *ranked]
    chosen, left = _all_reachable(ranked[:max_tools], [*ranked[max_tools:], *outside], rejected, max_tools)
    chosen, left = _filled_up(chosen, [one for one in left if one in inside], max_tools)
    chosen, heavy = _balanced(chosen, by_class=True)
    said = {line["operation"] for line in rejected}
    _reject([one for one in left if one.operation.name not in said], "over_max_tools", rejected)
    _reject(heavy, "verb_share", rejected)
    gone = [one for one in unique if one not in inside and one not in chosen]
    _reject(gone, "entity_not_selected", rejected)
    return chosen, list(dict.fromkeys([*entities, *(one.operation.entity for one in chosen)]))


def _filled_up(
    chosen: list[Candidate], left: list[Candidate], max_tools: int
) -> tuple[list[Candidate], list[Candidate]]:
    """Places that unreachable tools have left go to the next ones that can be called and whose verb is not full."""
    counts = Counter(one.verb_class for one in chosen)
    for one in list(left):
        if len(chosen) >= max_tools:
            break
        full = counts[one.verb_class] >= int(MAX_VERB_SHARE * max_tools)
        if not full and not reachable(other.operation for other in [*chosen, one])[1]:
            counts[one.verb_class] += 1
            chosen = [*chosen, one]
            left = [other for other in left if other is not one]
    return chosen, left


def _reject(candidates: Sequence[Candidate], reason: str, rejected: Rejections) -> None:
    for one in candidates:
        rejected.append(rejection(one.operation.name, one.operation.locator, reason, ""))


def _unique(candidates: Sequence[Candidate], rejected: Rejections) -> list[Candidate]:
    """One candidate per name, archetype before source before data; data-first only where nothing else does it.

    A source's plain list adds nothing where the archetype's tool finds the same without being given an id.
    """
    kept: dict[str, Candidate] = {}
    lists: dict[str, str] = {}
    done: dict[tuple[str, str], str] = {}
    for one in sorted(candidates, key=lambda one: _KIND_ORDER[one.kind]):
        operation = one.operation
        if operation.name in RESERVED_NAMES:
            _reject([one], "reserved_name", rejected)
        elif operation.name in kept:
            _reject([one], "duplicate_name", rejected)
        elif one.kind == "data" and (operation.entity, one.verb_class) in done:
            other = done[operation.entity, one.verb_class]
            rejected.append(rejection(operation.name, operation.locator, "covered", f"{other} does this"))
        elif one.kind == "source" and operation.entity in lists and _asks_nothing(operation):
            detail = f"{lists[operation.entity]} lists the same"
            rejected.append(rejection(operation.name, operation.locator, "covered", detail))
        else:
            kept[operation.name] = one
            done.setdefault((operation.entity, one.verb_class), operation.name)
            if one.verb_class == "find" and one.kind == "archetype" and self_sufficient(operation):
                lists.setdefault(operation.entity, operation.name)
    return [one for one in candidates if kept.get(one.operation.name) is one]


def _asks_nothing(operation: Operation) -> bool:
    """True for a list without any condition: nothing but paging can be given."""
    pages = [step.page for step in operation.steps if isinstance(step, Select) and step.page is not None]
    paging = {name for page in pages for name in (page.cursor, page.size)}
    return operation.verb == "list" and all(parameter.name in paging for parameter in operation.parameters)


def _ranked(candidates: Sequence[Candidate], entities: Sequence[str]) -> list[Candidate]:
    """Archetype tools first, then round by round the next verb of each entity, four rounds before any fifth."""
    keyed: list[tuple[tuple[int, ...], str, Candidate]] = []
    for position, entity in enumerate(entities):
        own = [one for one in candidates if one.operation.entity == entity]
        own.sort(key=lambda one: (VERB_ORDER.index(one.verb_class), bool(needed(one.operation)), one.operation.name))
        seen: set[str] = set()
        firsts = [one for one in own if not (one.operation.verb in seen or seen.add(one.operation.verb))]
        for place, one in enumerate([*firsts, *(one for one in own if one not in firsts)]):
            if one.kind in _GIVEN:
                key = (0, place, position)
            elif place < VERBS_FIRST:
                key = (1, place, position)
            else:
                key = (2, LATER_VERBS.index(one.verb_class), position)
            keyed.append((key, one.operation.name, one))
    return [one for _, _, one in sorted(keyed, key=lambda item: item[:2])]


def _with_writers(chosen: list[Candidate], left: list[Candidate]) -> tuple[list[Candidate], list[Candidate]]:
    """An entity with tools that only read, though a writer waits, gets the writer for its last reader."""
    for entity in dict.fromkeys(one.operation.entity for one in chosen):
        own = [one for one in chosen if one.operation.entity == entity]
        writer = next((one for one in left if one.operation.entity == entity and one.writes), None)
        if writer is None or any(one.writes for one in own) or len(own) < 2:
            continue
        chosen = [writer if one is own[-1] else one for one in chosen]
        left = [own[-1] if one is writer else one for one in left]
    return chosen, left


def _all_reachable(
    chosen: list[Candidate], left: list[Candidate], rejected: Rejections, max_tools: int
) -> tuple[list[Candidate], list[Candidate]]:
    """Adds the producer that a tool lacks, in place of the last one chosen if need be; drops it if there is none.

    What was displaced does not come back, and a producer is not displaced: each turn uses up a candidate.
    """
    helpers: list[Candidate] = []
    displaced: list[Candidate] = []
    while True:
        ready, stuck = reachable(one.operation for one in chosen)
        if not stuck:
            return chosen, [*left, *displaced]
        known = set[str]().union(*(produced(one) for one in ready))
        missing = set[str]().union(*(needed(one) for one in stuck)) - known
        helper = next((one for one in left if _opens(one, missing, ready)), None)
        spare = [one for one in chosen if one not in helpers]
        if helper is None or (len(chosen) >= max_tools and not spare):
            for operation in stuck:
                detail = f"no tool yields {', '.join(sorted(needed(operation) - known))}"
                rejected.append(rejection(operation.name, operation.locator, "unreachable_id", detail))
            chosen = [one for one in chosen if one.operation not in stuck]
            continue
        left = [one for one in left if one is not helper]
        helpers.append(helper)
        if len(chosen) >= max_tools:
            displaced.append(_least_needed(spare, [*chosen, helper]))
            chosen = [one for one in chosen if one is not displaced[-1]]
        chosen = [*chosen, helper]


def _least_needed(spare: Sequence[Candidate], chosen: Sequence[Candidate]) -> Candidate:
    """The last tool that no other one depends on, archetypes' tools only if there is nothing else."""
    brought = [one for one in spare if one.kind == "archetype"]
    for one in reversed([*brought, *(one for one in spare if one not in brought)]):
        if not reachable(other.operation for other in chosen if other is not one)[1]:
            return one
    return spare[-1]


def _opens(candidate: Candidate, missing: set[str], ready: Sequence[Operation]) -> bool:
    """True if the candidate can be called with what is there and yields something missing."""
    if not produced(candidate.operation) & missing:
        return False
    return not reachable([*ready, candidate.operation])[1]


def _balanced(chosen: list[Candidate], *, by_class: bool = False) -> tuple[list[Candidate], list[Candidate]]:
    """Drops the last tools of a verb that makes up more than its share; with `by_class`, finding is one verb."""
    heavy: list[Candidate] = []

    def verb_of(one: Candidate) -> str:
        return one.verb_class if by_class else one.operation.verb

    while len(chosen) > 4:
        verb, count = Counter(verb_of(one) for one in chosen).most_common(1)[0]
        spare = [one for one in chosen if verb_of(one) == verb and one.kind not in _GIVEN]
        if count <= MAX_VERB_SHARE * len(chosen) or not spare:
            break
        rest = [one for one in chosen if one is not spare[-1]]
        if reachable(one.operation for one in rest)[1]:
            break
        chosen, heavy = rest, [*heavy, spare[-1]]
    return chosen, heavy

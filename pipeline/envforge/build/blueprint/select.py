"""Which tools ship: entities first, then three or four verbs each, all ids reachable, no verb over 40 %."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from envforge.build.blueprint.columns import references_of
from envforge.build.blueprint.reachability import needed, produced, reachable, self_sufficient
from envforge.core.records.blueprint import Operation, Select
from envforge.core.records.domain import READ_VERBS, Domain, Table
from envforge.world.environment import RESERVED_NAMES

MAX_ENTITIES = 8
VERBS_FIRST = 4
MAX_VERB_SHARE = 0.4
FIND = frozenset({"list", "search", "filter"})
VERB_ORDER = ("find", "get", "create", "update", "transition", "transfer", "link", "delete", "unlink", "aggregate")
LATER_VERBS = ("transfer", "transition", "find", "create", "update", "link", "delete", "get", "unlink", "aggregate")
"""Which verbs beyond the first four of an entity matter most."""
Kind = Literal["archetype", "source", "data"]
_KIND_ORDER: dict[Kind, int] = {"archetype": 0, "source": 1, "data": 2}


@dataclass(frozen=True)
class Candidate:
    """An operation that could become a tool, and where it comes from."""

    operation: Operation
    kind: Kind

    @property
    def verb_class(self) -> str:
        """The verb, finding verbs as one."""
        return "find" if self.operation.verb in FIND else self.operation.verb

    @property
    def writes(self) -> bool:
        """True if the tool changes rows."""
        return self.operation.verb not in READ_VERBS


Rejections = list[dict[str, Any]]


def choose(candidates: Sequence[Candidate], domain: Domain, *, max_tools: int) -> tuple[list[Operation], Rejections]:
    """The tools that ship, by entity and verb, and the others with a reason code."""
    rejected: Rejections = []
    unique = _unique(candidates, rejected)
    entities = _entities(unique, domain)
    inside = [one for one in unique if one.operation.entity in entities or one.kind == "archetype"]
    _reject([one for one in unique if one not in inside], "entity_not_selected", rejected)
    names = [*entities, *(o.operation.entity for o in inside if o.operation.entity not in entities)]
    ranked = _ranked(inside, list(dict.fromkeys(names)))
    chosen, left = ranked[:max_tools], ranked[max_tools:]
    chosen, left = _with_writers(chosen, left)
    chosen, left = _all_reachable(chosen, left, rejected, max_tools)
    chosen, heavy = _balanced(chosen)
    _reject(left, "over_max_tools", rejected)
    _reject(heavy, "verb_share", rejected)
    order = {name: position for position, name in enumerate(names)}
    chosen.sort(key=lambda one: (order[one.operation.entity], VERB_ORDER.index(one.verb_class), one.operation.name))
    return [one.operation for one in chosen], rejected


def _reject(candidates: Sequence[Candidate], reason: str, rejected: Rejections) -> None:
    for one in candidates:
        rejected.append(rejection(one.operation.name, one.operation.locator, reason, ""))


def rejection(name: str, locator: str, reason: str, detail: str) -> dict[str, Any]:
    """One line of rejected.jsonl."""
    return {"operation": name, "locator": locator, "reason": reason, "detail": detail}


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


def _entities(candidates: Sequence[Candidate], domain: Domain) -> list[str]:
    """Up to eight entities, best first, each connected to one before it as long as there is such."""
    scores: Counter[str] = Counter()
    for one in candidates:
        scores[one.operation.entity] += (4 if one.writes else 2) + (3 if one.kind == "archetype" else 0)
    near = _neighbours(domain)
    says = {table.entity: _says(table) for table in domain.tables}

    def worth(name: str) -> tuple[int, int, str]:
        return -scores[name] - len(near.get(name, ())), -says.get(name, 0), name

    waiting = sorted(scores, key=worth)
    found: list[str] = []
    while waiting and len(found) < MAX_ENTITIES:
        linked = [name for name in waiting if not found or near.get(name, set()) & set(found)]
        name = (linked or waiting)[0]
        found.append(name)
        waiting.remove(name)
    return found


def _says(table: Table) -> int:
    """How much its rows say beyond what they belong to: columns that people read, those that lead on twice."""
    told = [c for c in table.columns if c.role not in {"position", "url"}]
    return len(told) + len(references_of(table))


def _neighbours(domain: Domain) -> dict[str, set[str]]:
    """Entities that refer to each other, through link and child tables as well."""
    tables = {table.name: table for table in domain.tables}
    near: dict[str, set[str]] = {}
    for table in domain.tables:
        group = {table.entity}
        group |= {tables[ref.table].entity for _, ref in references_of(table) if ref.table in tables}
        for name in group:
            near.setdefault(name, set()).update(group - {name})
    return near


def _ranked(candidates: Sequence[Candidate], entities: Sequence[str]) -> list[Candidate]:
    """Archetype tools first, then round by round the next verb of each entity, four rounds before any fifth."""
    keyed: list[tuple[tuple[int, ...], str, Candidate]] = []
    for position, entity in enumerate(entities):
        own = [one for one in candidates if one.operation.entity == entity]
        own.sort(key=lambda one: (VERB_ORDER.index(one.verb_class), bool(needed(one.operation)), one.operation.name))
        seen: set[str] = set()
        firsts = [one for one in own if not (one.operation.verb in seen or seen.add(one.operation.verb))]
        for place, one in enumerate([*firsts, *(one for one in own if one not in firsts)]):
            if one.kind == "archetype":
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


def _balanced(chosen: list[Candidate]) -> tuple[list[Candidate], list[Candidate]]:
    """Drops the last tools of a verb that makes up more than its share."""
    heavy: list[Candidate] = []
    while len(chosen) > 4:
        verb, count = Counter(one.operation.verb for one in chosen).most_common(1)[0]
        spare = [one for one in chosen if one.operation.verb == verb and one.kind != "archetype"]
        if count <= MAX_VERB_SHARE * len(chosen) or not spare:
            break
        rest = [one for one in chosen if one is not spare[-1]]
        if reachable(one.operation for one in rest)[1]:
            break
        chosen, heavy = rest, [*heavy, spare[-1]]
    return chosen, heavy

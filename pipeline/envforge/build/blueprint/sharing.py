"""How many tools each theme gets where several are joined; with one theme, all of them."""

from __future__ import annotations

from collections.abc import Sequence

from envforge.build.blueprint.candidate import Candidate, Rejections, rejection
from envforge.build.blueprint.reachability import needed, produced, reachable
from envforge.build.blueprint.select import choose
from envforge.core.contracts import Database, Side
from envforge.core.records.blueprint import Operation

USUAL_TOOLS = 24
"""At most so many where nobody says it, or all that an archetype brings: its operations belong together."""


def shared_out(
    candidates: Sequence[Candidate], database: Database, *, max_tools: int | None
) -> tuple[list[Operation], Rejections]:
    """The tools that ship, and the others with a reason code.

    Joined themes get as many each; what one does not need goes to the next. Tools that link them come on top, as do
    those of histories and of documents that the database keeps itself: they take no other's place.
    """
    if not database.sides:
        kept = sum(one.kind == "document" for one in candidates) if database.document_plans else 0
        kept += len(database.histories)
        most = max_tools or max(USUAL_TOOLS, len(database.operations) - _told(database))
        return choose(candidates, database.domain, max_tools=most + kept)
    groups = [_of(side, candidates, database) for side in database.sides]
    grouped = {id(one) for group in groups for one in group}
    between = [one.operation for one in candidates if id(one) not in grouped]
    shares = _shares(groups, database, max_tools) if max_tools else [_usual(side, database) for side in database.sides]
    chosen: list[Operation] = []
    rejected: Rejections = []
    for side, group, share in zip(database.sides, groups, shares, strict=True):
        kept = sum(history.table in side.tables for history in database.histories)
        own, left = choose(group, database.domain, max_tools=share + kept)
        chosen += own
        rejected += left
    return _with_links(chosen, between, rejected)


def _told(database: Database) -> int:
    """How many of the archetypes' tools are those of their histories."""
    return len(database.histories) - len(database.listings)


def _usual(side: Side, database: Database) -> int:
    """How many tools a theme has where nobody says it: as many as if it stood alone."""
    histories = {f"list_{history.table}" for history in database.histories}
    brought = [one for one in database.operations if one.name in side.operations and one.name not in histories]
    return max(USUAL_TOOLS, len(brought))


def _of(side: Side, candidates: Sequence[Candidate], database: Database) -> list[Candidate]:
    """The candidates that one theme brings: its archetype's, its source's, and look-ups of its tables."""
    entities = {table.entity for table in database.domain.tables if table.name in side.tables}
    named = ("archetype", "history")
    return [
        one
        for one in candidates
        if (one.kind in named and one.operation.name in side.operations)
        or (one.kind not in (*named, "document") and one.operation.entity in entities)
    ]


def _shares(groups: Sequence[Sequence[Candidate]], database: Database, max_tools: int) -> list[int]:
    """As many for each; what is left over by one that has fewer goes to those after it, the smallest first."""
    sizes = [len(choose(group, database.domain, max_tools=len(group))[0]) for group in groups]
    shares = [0] * len(groups)
    places, waiting = max_tools, len(groups)
    for number in sorted(range(len(groups)), key=lambda number: sizes[number]):
        shares[number] = min(sizes[number], places // waiting)
        places -= shares[number]
        waiting -= 1
    return shares


def _with_links(
    chosen: Sequence[Operation], between: Sequence[Operation], rejected: Rejections
) -> tuple[list[Operation], Rejections]:
    """The chosen tools and, behind them, those that link the themes, but for what no shipped tool gives the ids of."""
    taken = {one.name for one in chosen}
    twice = [one for one in between if one.name in taken]
    ready, stuck = reachable([*chosen, *(one for one in between if one not in twice)])
    known = set[str]().union(*(produced(one) for one in ready))
    for one in stuck:
        detail = f"no tool yields {', '.join(sorted(needed(one) - known))}"
        rejected.append(rejection(one.name, one.locator, "unreachable_id", detail))
    for one in twice:
        rejected.append(rejection(one.name, one.locator, "duplicate_name", ""))
    return [one for one in (*chosen, *between) if one not in twice and one not in stuck], rejected

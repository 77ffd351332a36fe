"""Two filled databases become one; what both call alike, below the level of tables and tools, is told apart."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeVar

from envforge.core.contracts import Database, Side
from envforge.core.errors import BuildError
from envforge.core.records.base import Record
from envforge.core.records.domain import Domain
from envforge.core.records.link import Link
from envforge.core.records.trade import NEUTRAL

RecordT = TypeVar("RecordT", bound=Record)


def joined(host: Database, tracked: Database, link: Link, *, theme: str, title: str) -> Database:
    """One database with the tables, rows, tools, goals and documents of both. Raises BuildError where names clash."""
    prefix = link.tracked.prefix
    where = f"link {link.id}"
    _distinct("table", [one.name for one in host.domain.tables], [one.name for one in tracked.domain.tables], where)
    _distinct("tool", host.tool_names, tracked.tool_names, where)
    _distinct("view", [one.name for one in host.views], [one.name for one in tracked.views], where)
    _distinct("document", host.documents, tracked.documents, where)
    kinds, others = ([plan.name for plan in one.document_plans] for one in (host, tracked))
    _distinct("kind of document", kinds, others, where)
    return Database(
        domain=_domain(host.domain, tracked.domain, theme, title),
        rows={**host.rows, **tracked.rows},
        provenance=[*host.provenance, *tracked.provenance],
        documents=dict(sorted({**host.documents, **tracked.documents}.items())),
        clock=tracked.clock,
        operations=(*host.operations, *tracked.operations),
        views=(*host.views, *tracked.views),
        lifecycles=(*host.lifecycles, *tracked.lifecycles),
        plants=(*host.plants, *_apart(tracked.plants, "name", {one.name for one in host.plants}, prefix)),
        histories=(*host.histories, *tracked.histories),
        figures=(*host.figures, *tracked.figures),
        listings=(*host.listings, *tracked.listings),
        intents=(*host.intents, *_apart(tracked.intents, "id", {one.id for one in host.intents}, prefix)),
        changelog=[*host.changelog, *tracked.changelog],
        document_plans=(*host.document_plans, *tracked.document_plans),
        sides=(_side(host), _side(tracked)),
    )


def _domain(host: Domain, tracked: Domain, theme: str, title: str) -> Domain:
    # A manifest has room for one trade; what the other side follows is said in a note.
    trades = [one.trade for one in (tracked, host) if one.trade is not None]
    trades.sort(key=lambda one: one.trade == NEUTRAL)
    told = [f"trade of {one.archetype}: {one.title or one.trade}" for one in trades[1:]]
    return Domain(
        theme=theme,
        title=title,
        tables=(*host.tables, *tracked.tables),
        operations=(*host.operations, *tracked.operations),
        rejected=(*host.rejected, *tracked.rejected),
        bags=(*host.bags, *tracked.bags),
        archetypes=(*host.archetypes, *tracked.archetypes),
        notes=tuple(dict.fromkeys((*host.notes, *tracked.notes, *told))),
        trade=trades[0] if trades else None,
    )


def _side(database: Database) -> Side:
    tables = frozenset(table.name for table in database.domain.tables)
    return Side(database.domain.theme, tables, database.tool_names)


def _apart(parts: Sequence[RecordT], key: str, taken: Collection[str], prefix: str) -> tuple[RecordT, ...]:
    """The parts of the tracked side; one that is called like one of the host's gets the prefix of its side."""
    ahead = prefix.replace("_", "-")
    named = [(one, str(getattr(one, key))) for one in parts]
    return tuple(one.model_copy(update={key: f"{ahead}-{name}"}) if name in taken else one for one, name in named)


def _distinct(what: str, ours: Collection[str], theirs: Collection[str], where: str) -> None:
    clash = sorted(set(ours) & set(theirs))
    if clash:
        raise BuildError(
            f"both themes bring the {what} {clash[0]}", where=where, remedy="call it differently in one of the two"
        )

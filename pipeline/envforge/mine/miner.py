"""The verb `mine`: extractions become one domain; the domain becomes a filled database per seed."""

from __future__ import annotations

import dataclasses
import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass

from envforge.core.contracts import Database, Progress, Row
from envforge.core.errors import BuildError
from envforge.core.outcome import Failed, Rejected
from envforge.core.records.archetype import Archetype
from envforge.core.records.domain import Domain, RejectedOperation
from envforge.core.records.environment import ProvenanceEntry
from envforge.core.records.extraction import Extraction
from envforge.core.records.shape import RowShape
from envforge.core.records.source import Theme
from envforge.mine.archetypes.bind import bind
from envforge.mine.archetypes.match import ArchetypeMatch, match_archetypes
from envforge.mine.archetypes.sayings import Saying, sayings
from envforge.mine.archetypes.trade_choice import settled
from envforge.mine.complexify import complexify, derive, document, enrich
from envforge.mine.derived.told import with_histories
from envforge.mine.facts import facts_only_documents, facts_only_rows, prose_of, without_prose
from envforge.mine.infer.api import infer_api
from envforge.mine.infer.standing import Standing, as_data_source, standing
from envforge.mine.infer.tabular import infer_tables
from envforge.mine.kept_rows import keep_rows, wishes_for
from envforge.mine.scenario import simulate
from envforge.mine.shapes import managed_records, source_of
from envforge.mine.tables import limit_tables, without_tables

DEFAULT_CLOCK = "2026-01-05T09:00:00Z"
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_SOME_TIME, _NEVER = "1700", "2100"


@dataclass(frozen=True)
class Mined:
    """What the sources of a theme state: a domain, the rows that came with it, documents, archetypes at hand."""

    theme: Theme
    domain: Domain
    rows: dict[str, list[Row]]
    provenance: list[ProvenanceEntry]
    documents: dict[str, str]
    archetypes: tuple[Archetype, ...]
    stated_operations: int
    clock: str | None
    standing: Standing | None = None
    """Whether the specification can found an environment; None where no source is one."""
    shapes: tuple[RowShape, ...] = ()
    kept: tuple[str, ...] = ()
    """Wishes of the user that said which of its rows are kept."""
    prose: frozenset[str] = frozenset()
    """Facts only: the sources' own words, which tell what values mean and go when the rows are made."""
    said: tuple[Saying, ...] = ()
    """What the sources say, by which a trade is chosen."""


def mine_domain(
    theme: Theme,
    extractions: Sequence[Extraction],
    archetypes: Sequence[Archetype],
    *,
    facts_only: bool,
    max_tables: int,
    shapes: Sequence[RowShape] = (),
    keep: Sequence[str] = (),
    keeps_all: bool = True,
) -> Mined:
    """Infer and merge what the sources state. Raises BuildError when they state nothing usable, ConfigError for a
    wish in `keep` that fits no table.

    Where it does not keep all, wishes for tables that it does not have are another theme's, and passed over.
    A specification that founds no environment adds nothing to sources with rows; alone it is handed on with its
    `standing`, for the caller to refuse.
    """
    stated = infer_api(theme, extractions)
    tabular = infer_tables(theme, extractions, clock=theme.clock)
    count = sum(len(extraction.operations) for extraction in extractions)
    judged = standing(stated) if count else None
    unfit = judged is not None and judged.is_data_source
    if judged is not None and unfit and tabular.tables:
        stated = as_data_source(stated, judged)
    clash = sorted({t.name for t in stated.tables} & {t.name for t in tabular.tables})
    domain = stated.model_copy(
        update={
            # Rows decide: a table that came with rows wins over a shape of the same name.
            "tables": tuple(t for t in stated.tables if t.name not in clash) + tabular.tables,
            "notes": (*stated.notes, *tabular.notes, *(f"{name}: rows win over the stated shape" for name in clash)),
        }
    )
    rows, documents = tabular.rows, _documents(extractions)
    if facts_only:
        domain, rows = facts_only_rows(domain, rows)
        documents = facts_only_documents(documents)
    found = tabular.provenance
    keep = keep if keeps_all else wishes_for(keep, rows)
    if keep:
        domain, rows, found = keep_rows(domain, rows, found, keep)
    domain, dropped = limit_tables(domain, rows, max_tables)
    if not domain.tables and not unfit:
        reasons = sorted({item.reason for item in domain.rejected})
        raise BuildError(
            "the sources state no entity and hold no table",
            where=theme.slug,
            remedy=f"operations were rejected as: {', '.join(reasons)}" if reasons else "add a source with records",
        )
    rows = {name: kept for name, kept in rows.items() if name not in dropped}
    provenance = [entry for entry in found if entry.table not in dropped]
    if tabular.tables:
        judged = None
    prose = prose_of(extractions) if facts_only else frozenset[str]()
    return Mined(
        theme=theme,
        domain=domain,
        rows=rows,
        provenance=provenance,
        documents=documents,
        archetypes=tuple(archetypes),
        stated_operations=count,
        clock=theme.clock,
        standing=judged,
        shapes=tuple(shapes),
        kept=tuple(keep),
        prose=prose,
        said=sayings(theme, domain, extractions),
    )


def populate(mined: Mined, *, rounds: int, seed: int, database_seed: int, progress: Progress) -> Database:
    """Fill the domain: archetype by shape, scenario, complexify rounds. Mined rows never change with the seed.

    Raises BuildError when rows break a constraint, or when nothing fills any table.
    """
    filled = _filled(mined, rounds=rounds, seed=seed, database_seed=database_seed, progress=progress)
    if not mined.prose:
        return filled
    return dataclasses.replace(filled, domain=without_prose(filled.domain, mined.prose))


def _filled(mined: Mined, *, rounds: int, seed: int, database_seed: int, progress: Progress) -> Database:
    row_seed = row_seed_of(seed, database_seed)
    base, best = matched(mined, rounds=rounds, seed=row_seed, progress=progress)
    if best is None:
        return _shaped(mined, base, seed=row_seed)
    filled = played(base, best, rounds=rounds, seed=row_seed, progress=progress)
    filled = derive(filled, source=best.source, seed=row_seed, progress=progress)
    return document(without_empty(filled), progress=progress)


def row_seed_of(seed: int, database_seed: int) -> int:
    """The seed of everything that is drawn for the rows of one database."""
    return seed * 1000 + database_seed


def matched(mined: Mined, *, rounds: int, seed: int, progress: Progress) -> tuple[Database, ArchetypeMatch | None]:
    """The mined rows in hand, and the archetype that fits them best, if any does. Raises BuildError."""
    base = Database(
        domain=mined.domain,
        rows={table.name: list(mined.rows.get(table.name, ())) for table in mined.domain.tables},
        provenance=list(mined.provenance),
        documents=dict(mined.documents),
        clock=mined.clock or _latest(mined.rows) or DEFAULT_CLOCK,
    )
    # What needs nothing but the rows comes first: an archetype is matched to, and bound to, the tables as they will be.
    base = enrich(base, rounds=rounds, seed=seed, progress=progress)
    matches = match_archetypes(base.domain, base.rows, mined.archetypes)
    best = next((match for match in matches if match.accepted), None)
    if mined.clock is None and best is not None and best.archetype.clock is not None:
        base.clock = best.archetype.clock
    if best is not None:
        best, trade = settled(best, mined.said)
        base.domain = base.domain.model_copy(update={"trade": trade})
    return base, best


def played(base: Database, match: ArchetypeMatch, *, rounds: int, seed: int, progress: Progress) -> Database:
    """The database after the scenario of the archetype and its rounds. Raises BuildError."""
    progress("scenario", 0, None)
    filled = simulate(bind(base, match), match, seed=seed)
    return complexify(filled, match, rounds=rounds, seed=seed, progress=progress)


def _shaped(mined: Mined, base: Database, *, seed: int) -> Database:
    """Rows by the shape of managed records, where an interface states entities and no archetype knows them.

    Raises BuildError with the reason when there is too little to manage and no source has rows.
    """
    reasons: list[str] = []
    for shape in mined.shapes if mined.domain.operations else ():
        if mined.clock is None and not mined.rows:
            base.clock = shape.clock
        outcome = managed_records(base, shape, seed=seed)
        if isinstance(outcome, Rejected | Failed):
            reasons.append(outcome.reason if isinstance(outcome, Rejected) else outcome.error)
        else:
            told = with_histories(outcome.value, most=shape.histories)
            return without_empty(derive(told, source=source_of(shape), seed=seed))
    if reasons and not any(base.rows.values()):
        raise BuildError(
            reasons[0],
            where=mined.theme.slug,
            remedy="no archetype fits it either; add a source with records, or an archetype to themes/archetypes",
        )
    return without_empty(base)


def _documents(extractions: Sequence[Extraction]) -> dict[str, str]:
    found = {document.path: document.text for extraction in extractions for document in extraction.documents}
    return dict(sorted(found.items()))


def _latest(rows: dict[str, list[Row]]) -> str | None:
    """The latest timestamp in the rows: the World begins when the data ends. 9999-12-31 and its like mean never."""
    stamps = {
        value
        for table in rows.values()
        for row in table
        for value in row.values()
        if isinstance(value, str) and _TIMESTAMP.fullmatch(value) and _SOME_TIME < value < _NEVER
    }
    return next((stamp for stamp in sorted(stamps, reverse=True) if _is_real(stamp)), None)


def _is_real(stamp: str) -> bool:
    try:
        datetime.datetime.fromisoformat(stamp)
    except ValueError:
        return False
    return True


def without_empty(database: Database) -> Database:
    """Drop mined entities that nothing filled, and the operations on them, with the reason.

    Raises BuildError when no table is left.
    """
    empty = {t.name for t in database.domain.tables if not database.rows.get(t.name) and t.origin == "mined"}
    if not empty:
        return database
    domain, lost = without_tables(database.domain, empty)
    if not domain.tables:
        raise BuildError(
            f"no source has rows for {', '.join(sorted(empty))}, and no archetype fits them by its shape",
            where=database.domain.theme,
            remedy="add a source with records, or an archetype of such a domain to themes/archetypes",
        )
    rejected = tuple(
        RejectedOperation(
            id=operation.id,
            locator=operation.locator,
            reason="no_rows",
            detail=f"nothing fills {operation.table}: no source has rows and no matched archetype plays it",
        )
        for operation in lost
    )
    domain = domain.model_copy(
        update={
            "rejected": (*domain.rejected, *rejected),
            "notes": (*domain.notes, f"left out, because nothing fills them: {', '.join(sorted(empty))}"),
        }
    )
    rows = {name: kept for name, kept in database.rows.items() if name not in empty}
    provenance = [entry for entry in database.provenance if entry.table not in empty]
    return dataclasses.replace(database, domain=domain, rows=rows, provenance=provenance)

"""The operator that fills histories and figures, once all other rows are there."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

from envforge.core.contracts import Database, Row
from envforge.core.outcome import Failed, Outcome, Produced, Rejected
from envforge.core.records.archetype import Lifecycle
from envforge.core.records.derived import WHO, Figure, History
from envforge.core.records.environment import ProvenanceEntry
from envforge.core.seeds import stream
from envforge.mine.derived.lives import Lives, entries_of, in_order


class FillDerived:
    """Histories and figures that follow from the rows. Implements contracts.Operator; it comes after all others."""

    name = "derived"

    def __init__(self, source: str) -> None:
        self._source = source

    def apply(self, database: Database, *, seed: int, round_number: int) -> Outcome[Database]:
        """The database with its histories and figures filled; Rejected where it declares none.

        Failed for a history of rows whose life nobody knows: mined ones, or rows without a time of creation.
        """
        del round_number
        if not database.histories and not database.figures:
            return Rejected("no history and no figure is declared")
        rows = dict(database.rows)
        provenance = list(database.provenance)
        detail: dict[str, Any] = {"histories": {}, "figures": {}}
        for history in database.histories:
            problem = _unknown_lives(database, history)
            if problem:
                return Failed(boundary="build", error=problem, where=history.table, remedy="take the history out")
            rows[history.table] = _entries(database, history, seed)
            count = len(rows[history.table])
            detail["histories"][history.table] = count
            provenance.append(
                ProvenanceEntry(
                    table=history.table, source=self._source, locator="history", kind="synthetic", count=count
                )
            )
        for figure in database.figures:
            rows[figure.table] = _with_figure(rows, figure)
            detail["figures"][f"{figure.table}.{figure.column}"] = sum(
                bool(r[figure.column]) for r in rows[figure.table]
            )
        log = [*database.changelog, {"detail": detail}]
        return Produced(replace(database, rows=rows, provenance=provenance, changelog=log))


def _unknown_lives(database: Database, history: History) -> str:
    """Why nothing can be told of the past of these rows."""
    mined = any(entry.table == history.of and entry.kind != "synthetic" for entry in database.provenance)
    if mined:
        return f"the rows of {history.of} are mined: nobody knows what their states were before"
    if any(row[history.created] is None for row in database.rows.get(history.of, [])):
        return f"rows of {history.of} have no {history.created}: nobody knows when their lives began"
    return ""


def _entries(database: Database, history: History, seed: int) -> list[Row]:
    lives = Lives(history, _life_of(database, history), database.clock, database.rows)
    known = database.domain.table(history.of)
    role = known.column(history.actor).role if history.actor else None
    found: list[Row] = []
    for row in sorted(database.rows.get(history.of, []), key=lambda row: row[history.key]):
        changes = lives.changes(row, stream(seed, "history", history.table, str(row[history.key])))
        assert in_order(changes), f"{history.table}: {row[history.key]}"
        entries = list(entries_of(history, changes, row, by=row[history.actor] if history.actor else None))
        if role == "author" and entries:
            entries[0][WHO] = row[history.actor]
        found += entries
    return found


def _life_of(database: Database, history: History) -> Lifecycle:
    return next(one for one in database.lifecycles if (one.table, one.column) == (history.of, history.state))


def _with_figure(rows: dict[str, list[Row]], figure: Figure) -> list[Row]:
    totals: dict[Any, int] = defaultdict(int)
    for row in rows.get(figure.of, []):
        if all(row[column] in values for column, values in figure.where.items()):
            totals[row[figure.by]] += 1 if figure.fn == "count" else int(row[figure.measure] or 0)
    return [{**row, figure.column: totals[row[figure.key]]} for row in rows.get(figure.table, [])]

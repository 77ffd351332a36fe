"""The realism gate: what gives generated rows away, measured (LESSONS: rows).

Order of timestamps in each lifecycle, nothing from after the World's clock, known states only, titles that do
not repeat, skewed ownership, planted conditions within their stated rates, no left-over template marks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from envforge.core.contracts import GateContext
from envforge.core.records.archetype import Lifecycle
from envforge.core.records.domain import Column, Table
from envforge.core.records.environment import GateResult
from envforge.gates.folder import Folder
from envforge.gates.gate import number, verdict

_LEFT_OVER = re.compile(r"\{[a-z_.]+\}|\b(None|nan|undefined|lorem ipsum)\b|  +\S|\s,|,,|\.\.(?!\.)")
_PAST = {"created_at", "updated_at"}
_OWNERS = {"owner", "author"}


class Realism:
    """Rows that a stranger would not take for generated at once, as far as a program can tell."""

    name = "realism"

    def check(self, context: GateContext) -> GateResult:
        """Run all measures on the rows."""
        folder = Folder(context.folder)
        limits = {
            name: number(context.thresholds, self.name, name)
            for name in ("title_distinct", "owner_top_share", "owner_minimum_rows")
        }
        reasons: list[str] = []
        measured: dict[str, object] = {}
        for lifecycle in folder.knowledge.lifecycles:
            reasons += _lifecycle(folder, lifecycle)
        synthetic = {entry.table for entry in folder.provenance if entry.kind == "synthetic"}
        for table in folder.tables:
            if table.name in synthetic:
                reasons += _future(folder, table)
                reasons += _titles(folder, table, limits["title_distinct"])
                reasons += _texts(folder, table)
                reasons += _owners(folder, table, limits, measured)
        plants = dict(_plants(folder, reasons))
        return verdict(
            self.name,
            reasons,
            measured={"plants": plants, **measured, "lifecycles": len(folder.knowledge.lifecycles)},
            threshold=limits,
        )


def _lifecycle(folder: Folder, lifecycle: Lifecycle) -> Iterator[str]:
    table, column = lifecycle.table, lifecycle.column
    states = set(folder.column(f'SELECT DISTINCT "{column}" FROM "{table}" WHERE "{column}" IS NOT NULL'))  # noqa: S608
    unknown = sorted(str(state) for state in states if str(state) not in lifecycle.states)
    if unknown:
        yield f"{table}.{column}: states outside the lifecycle: {', '.join(unknown[:5])}"
    for position, first in enumerate(lifecycle.ordered):
        for later in lifecycle.ordered[position + 1 :]:
            wrong = folder.column(f'SELECT count(*) FROM "{table}" WHERE "{first}" > "{later}"')[0]  # noqa: S608
            if wrong:
                yield f"{table}: {wrong} rows have {first} after {later}"


def _future(folder: Folder, table: Table) -> Iterator[str]:
    epoch = folder.manifest.clock.epoch
    for column in table.columns:
        if column.role in _PAST and column.type == "timestamp":
            late = folder.column(f'SELECT count(*) FROM "{table.name}" WHERE "{column.name}" > \'{epoch}\'')[0]  # noqa: S608
            if late:
                yield f"{table.name}.{column.name}: {late} rows lie after the World's clock"


def _titles(folder: Folder, table: Table, least: float) -> Iterator[str]:
    within = kept_in(table)
    for column in _of_role(table, {"title"}):
        asked = ", ".join(f'"{name}"' for name in (column.name, *within))
        found = [row for row in folder.rows(f'SELECT {asked} FROM "{table.name}"') if row[0]]  # noqa: S608
        titles = [row[0] for row in found]
        share = len(set(found)) / len(found) if found else 1.0
        if len(titles) >= 10 and share < least:
            most = Counter(titles).most_common(1)[0]
            yield f"{table.name}.{column.name}: only {share:.0%} distinct ({most[0]!r} stands {most[1]} times)"


def kept_in(table: Table) -> tuple[str, ...]:
    """Columns that say where the words of a vocabulary are kept; none for a table that tells what happened.

    Labels and the like have no author, no owner, no state and no time, and are the same in every container: their
    names need to differ inside of one only.
    """
    if _of_role(table, {"author", "owner", "person", "state", "created_at", "updated_at"}):
        return ()
    return tuple(column.name for column in _of_role(table, {"parent"}) if column.references)


def _texts(folder: Folder, table: Table) -> Iterator[str]:
    for column in _of_role(table, {"title", "body"}):
        for text in folder.column(f'SELECT "{column.name}" FROM "{table.name}" WHERE "{column.name}" <> \'\''):  # noqa: S608
            found = _LEFT_OVER.search(str(text).strip())
            if found:
                yield f"{table.name}.{column.name}: {found.group()!r} in {str(text)[:80]!r}"
                break


def _owners(folder: Folder, table: Table, limits: dict[str, float], measured: dict[str, object]) -> Iterator[str]:
    for column in _of_role(table, _OWNERS):
        owned = f'FROM "{table.name}" WHERE "{column.name}" IS NOT NULL GROUP BY "{column.name}"'
        sql = f"SELECT count(*) {owned} ORDER BY 1 DESC"
        counts = [int(count) for count in folder.column(sql)]
        if sum(counts) < limits["owner_minimum_rows"] or len(counts) < 5:
            continue
        top = sum(counts[: max(1, round(len(counts) * 0.2))]) / sum(counts)
        measured[f"top_20%_of_{table.name}.{column.name}"] = round(top, 3)
        if top < limits["owner_top_share"]:
            yield f"{table.name}.{column.name}: the top 20 % own {top:.0%}; real ownership is skewed"


def _of_role(table: Table, roles: set[str]) -> list[Column]:
    return [column for column in table.columns if column.role in roles]


def _plants(folder: Folder, reasons: list[str]) -> Iterator[tuple[str, float]]:
    for plant in folder.knowledge.plants:
        population = folder.column(f"SELECT count(*) FROM ({plant.population})")[0]  # noqa: S608
        holds = folder.column(f"SELECT count(*) FROM ({plant.holds})")[0]  # noqa: S608
        share = holds / population if population else 0.0
        low, high = plant.rate
        if not low <= share <= high:
            reasons.append(
                f"planted condition {plant.name}: {holds} of {population} ({share:.1%}), wanted {low:.0%}–{high:.0%}"
            )
        yield plant.name, round(share, 4)

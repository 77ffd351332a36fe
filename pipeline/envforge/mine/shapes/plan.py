"""Which tables a shape fills, which columns they keep, how many rows each gets, and in which order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from envforge.core.contracts import Row
from envforge.core.outcome import Rejected
from envforge.core.records.domain import READ_VERBS, Column, Domain, RejectedOperation, Table
from envforge.core.records.shape import NamingStyle, RowShape
from envforge.core.seeds import stream
from envforge.gates.realism import kept_in
from envforge.mine.shapes.adapting import adapted_table, with_columns
from envforge.mine.shapes.interface import interface_of
from envforge.mine.shapes.reading import ColumnPlan, ColumnReader, Uses, kind_of, parent_variants
from envforge.mine.tables import without_tables

_LISTS = frozenset({"list", "search", "filter"})
_LEAST_OWN = 2


@dataclass(frozen=True)
class TablePlan:
    """How one table is filled."""

    table: Table
    kind: str
    style: NamingStyle
    columns: tuple[ColumnPlan, ...]
    rows: int

    @property
    def name(self) -> str:
        """The table's name."""
        return self.table.name

    def of_way(self, *ways: str) -> list[ColumnPlan]:
        """The columns that are filled in one of these ways."""
        return [plan for plan in self.columns if plan.way in ways]


@dataclass(frozen=True)
class Plan:
    """All tables to fill, in the order in which they are filled, over the domain as it is then."""

    domain: Domain
    tables: tuple[TablePlan, ...]


def uses_of(domain: Domain) -> dict[str, Uses]:
    """What the source's operations do with each table."""
    found: dict[str, Uses] = {}
    for table in domain.tables:
        own = [one for one in domain.operations if one.table == table.name]
        states: dict[str, tuple[Any, ...]] = {}
        for operation in own:
            for column, value in operation.target_state.items():
                states[column] = tuple(dict.fromkeys((*states.get(column, ()), value)))
        given = {p.column for one in own if one.verb == "create" for p in one.parameters if p.column}
        found[table.name] = Uses(
            listed=any(one.verb in _LISTS for one in own),
            written=any(one.verb not in READ_VERBS for one in own),
            given=frozenset(given),
            states=states,
        )
    return found


def make_plan(domain: Domain, rows: Mapping[str, Sequence[Row]], shape: RowShape) -> Plan | Rejected:
    """How the tables without rows are filled; Rejected when too few entities would be left to work with."""
    domain = interface_of(domain)
    uses = uses_of(domain)
    managed = _managed(domain, uses)
    if len(managed) < shape.least:
        return _too_few(shape, managed, {})
    reasons: dict[str, str] = {}
    while True:
        read = {t.name: _read(t, shape, uses[t.name]) for t in domain.tables if not rows.get(t.name)}
        gone = _refused(domain, rows, read)
        if not gone:
            break
        reasons |= gone
        domain = _smaller(domain, gone)
    managed = _managed(domain, uses)
    if len(managed) < shape.least:
        return _too_few(shape, managed, reasons)
    domain, plans = _adapted(domain, read, uses, shape)
    ordered = tuple(_in_order(plans, {name for name in rows if rows[name]}))
    notes = tuple(f"{name} left out: {reason}" for name, reason in sorted(reasons.items()))
    return Plan(domain.model_copy(update={"notes": (*domain.notes, *notes)}), ordered)


def _managed(domain: Domain, uses: Mapping[str, Uses]) -> list[str]:
    """Entities that the source lets one list and write."""
    return [t.name for t in domain.tables if t.kind != "link" and uses[t.name].listed and uses[t.name].written]


def _too_few(shape: RowShape, managed: Sequence[str], reasons: Mapping[str, str]) -> Rejected:
    found = f"only {', '.join(managed)} can" if managed else "no entity can"
    count = f"{len(managed)} of the {shape.least} that are needed"
    return Rejected(
        f"{found} be listed and written ({count}): a source of data, no environment of its own",
        {f"left out {name}": reason for name, reason in sorted(reasons.items())},
    )


Read = dict[str, ColumnPlan | str]


def _read(table: Table, shape: RowShape, uses: Uses) -> Read:
    reader = ColumnReader(table, kind_of(table, shape), shape, uses)
    return {column.name: reader.read(column) for column in table.columns}


def _refused(domain: Domain, rows: Mapping[str, Sequence[Row]], read: Mapping[str, Read]) -> dict[str, str]:
    """Tables that nothing believable can fill, or that nothing leads to, with the reason."""
    bags = {name for bag in domain.bags for name in (bag.definition_table, bag.option_table, bag.value_table)}
    referred = Counter(
        c.references.table for t in domain.tables for c in t.columns if c.references and c.references.table != t.name
    )
    served = {one.table for one in domain.operations} | {name for one in domain.operations for name in one.also}
    gone: dict[str, str] = {}
    for table in domain.tables:
        if rows.get(table.name):
            continue
        found = read[table.name]
        bad_keys = [text for name in table.primary_key if isinstance(text := found[name], str)]
        own = [plan for plan in found.values() if isinstance(plan, ColumnPlan) and plan.way != "key"]
        if table.name in bags:
            gone[table.name] = "values of typed properties need an archetype that knows what they mean"
        elif bad_keys:
            gone[table.name] = f"its key cannot be made: {bad_keys[0]}"
        elif table.kind == "link" and any(table.column(name).references is None for name in table.primary_key):
            gone[table.name] = "what it links is left out"
        elif table.kind != "link" and table.name not in served and not referred[table.name]:
            gone[table.name] = "no operation reads it and nothing refers to it"
        elif table.kind != "link" and len(own) < _LEAST_OWN:
            said = "; ".join(f"{name}: {why}" for name, why in found.items() if isinstance(why, str))
            gone[table.name] = f"too little can be said about it ({said or 'it has no fields'})"
    return gone


def _smaller(domain: Domain, gone: Mapping[str, str]) -> Domain:
    smaller, lost = without_tables(domain, gone)
    rejected = tuple(
        RejectedOperation(id=one.id, locator=one.locator, reason="no_rows", detail=f"{one.table}: {gone[one.table]}")
        for one in lost
    )
    return smaller.model_copy(update={"rejected": (*smaller.rejected, *rejected)})


def _adapted(
    domain: Domain, read: Mapping[str, Read], uses: Mapping[str, Uses], shape: RowShape
) -> tuple[Domain, list[TablePlan]]:
    plans: list[TablePlan] = []
    notes: list[str] = []
    tables: list[Table] = []
    fallback = _fallback(domain, shape)
    for table in domain.tables:
        if table.name not in read:
            tables.append(table)
            continue
        kept = tuple(plan for plan in read[table.name].values() if isinstance(plan, ColumnPlan))
        dropped = {name: why for name, why in read[table.name].items() if isinstance(why, str)}
        notes += [f"column {table.name}.{name} dropped: {why}" for name, why in sorted(dropped.items())]
        new, columns = adapted_table(table, kept, uses[table.name], shape)
        kind = kind_of(table, shape)
        style = shape.styles[kind.style if kind else fallback]
        plans.append(TablePlan(new, kind.name if kind else "", style, columns, _size(domain, new, shape)))
        tables.append(new)
    return domain.model_copy(update={"tables": tuple(tables), "notes": (*domain.notes, *notes)}), plans


def _fallback(domain: Domain, shape: RowShape) -> str:
    """The naming style of things of no known kind: that of most things beside them, if it is one that spreads."""
    kinds = [kind for table in domain.tables if table.kind != "link" and (kind := kind_of(table, shape))]
    styles = Counter(kind.style for kind in kinds)
    most = max(styles, key=lambda style: (styles[style], style), default=shape.fallback)
    return most if most in shape.fallback_like and styles[most] * 3 >= len(kinds) else shape.fallback


def _size(domain: Domain, table: Table, shape: RowShape) -> int:
    """How many rows a table gets: by the part that it plays among the others, the same under every seed."""
    kind = kind_of(table, shape)
    refers = [c for c in table.columns if c.references and c.references.table != table.name]
    referred = any(
        c.references and c.references.table == table.name and other.kind != "link"
        for other in domain.tables
        if other.name != table.name
        for c in other.columns
    )
    held = any(c.role == "parent" for c in refers)
    if table.kind == "link":
        low, high = shape.rows["link"]
    elif refers:
        low, high = shape.rows["middle" if referred else "leaf"]
    else:
        low, high = shape.rows["root" if referred else "middle"]
    if kind is not None and kind.rows is not None and (not held or kind.rows[0] > low):
        low, high = kind.rows
    if table.kind == "link":
        return high
    rows = stream(0, shape.id, table.name, "rows").randint(low, high)
    style = shape.styles[kind.style] if kind is not None else None
    if style is None or style.source != "ordered" or kept_in(table):
        return rows
    return min(rows, len(shape.subjects[style.subjects]))  # a vocabulary that nothing divides has no word twice


def without_columns(plan: Plan, gone: Mapping[str, Mapping[str, str]]) -> Plan:
    """The plan without these columns (table -> column -> reason), with a note for each."""
    tables = {one.name: _without(one, gone.get(one.name, {})) for one in plan.tables}
    notes = [f"column {name}.{column} dropped: {why}" for name in gone for column, why in sorted(gone[name].items())]
    domain = plan.domain.model_copy(
        update={
            "tables": tuple(tables[t.name].table if t.name in tables else t for t in plan.domain.tables),
            "notes": (*plan.domain.notes, *notes),
        }
    )
    return Plan(domain, tuple(tables.values()))


def _without(plan: TablePlan, gone: Mapping[str, str]) -> TablePlan:
    if not gone:
        return plan
    columns = tuple(one for one in plan.columns if one.name not in gone)
    return replace(plan, columns=columns, table=with_columns(plan.table, [one.column for one in columns]))


def _in_order(plans: Sequence[TablePlan], filled: set[str]) -> Iterable[TablePlan]:
    """Tables after those they refer to; in a ring, the one that can wait longest for its references comes first."""
    waiting = list(plans)
    while waiting:
        names = {plan.name for plan in waiting}
        chosen = min(waiting, key=lambda plan: (_open(plan, names, True), _open(plan, names, False)))
        waiting.remove(chosen)
        filled.add(chosen.name)
        yield chosen


def _open(plan: TablePlan, names: set[str], must: bool) -> int:
    """How many references of a plan lead to tables that are not filled yet."""
    return sum(
        1
        for column in _references(plan)
        if column.references
        and column.references.table in names - {plan.name}
        and (not must or not column.nullable or column.role == "parent")
    )


def _references(plan: TablePlan) -> list[Column]:
    return [one.column for one in plan.of_way("reference")]


def variants_of(plan: TablePlan) -> dict[str, dict[str, str | None]]:
    """Choices of a parent: type column -> value -> the column that holds the id then."""
    return parent_variants(plan.table)

"""Lifecycles of what was filled, and the hard cases in it: conditions that goals can be about, with their rates."""
# Names of tables and columns come from a checked domain.
# ruff: noqa: S608

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta

from envforge.core.articles import with_article
from envforge.core.contracts import Database
from envforge.core.records.archetype import Lifecycle, Plant, Transition
from envforge.core.records.domain import Column
from envforge.core.records.shape import RowShape
from envforge.core.times import moment, timestamp
from envforge.mine.scenario.measures import measure_plant, opened
from envforge.mine.shapes.lives import AHEAD, DUE, ordered_columns
from envforge.mine.shapes.plan import Plan, TablePlan
from envforge.mine.shapes.states import initial_state, phase_of, sources_of

_STALE_DAYS = 180
_LEAST, _MOST = 4, 60
"""How many rows a condition must hold for to be worth asking about."""
_WIDTH = 0.6
"""How far the share may move with another seed, as a part of it."""


def lifecycles(plan: Plan, shape: RowShape) -> tuple[Lifecycle, ...]:
    """One lifecycle per state column: its states in words, what begins it, what the source's operations do."""
    found: list[Lifecycle] = []
    for one in plan.tables:
        timed = [c for c in one.columns if c.rule is not None and c.rule.make == "moment"]
        for state in one.of_way("state"):
            states = state.column.enum
            found.append(
                Lifecycle(
                    table=one.name,
                    column=state.name,
                    states={value: value.replace("_", " ").replace("-", " ").lower() for value in states},
                    initial=initial_state(states, shape),
                    transitions=tuple(_transitions(plan, one.name, state.column, shape)),
                    ordered=ordered_columns(timed),
                )
            )
    return tuple(found)


def _transitions(plan: Plan, table: str, column: Column, shape: RowShape) -> Iterator[Transition]:
    for operation in plan.domain.operations:
        target = operation.target_state.get(column.name)
        if operation.table == table and isinstance(target, str) and target in column.enum:
            yield Transition(name=operation.name, source=sources_of(target, column.enum, shape), target=target)


def hard_cases(database: Database, plan: Plan, shape: RowShape) -> tuple[Plant, ...]:
    """The conditions that hold for some rows and not for others, each with the rate around which it is planted.

    States and choices are dealt, not drawn, so their rates stand under every seed; what holds too seldom or nearly
    always is no case.
    """
    kept: list[Plant] = []
    with opened(database, constraints=False) as connection:
        for one in plan.tables:
            if one.table.kind == "link" or len(one.table.primary_key) != 1:
                continue
            for name, about, condition in _conditions(one, shape, database.clock):
                key = f'SELECT "{one.table.primary_key[0]}" FROM "{one.name}"'
                plant = Plant(
                    name=f"{one.name}_{name}", about=about, population=key, holds=f"{key} WHERE {condition}",
                    rate=(0.0, 1.0),
                )  # fmt: skip
                measured = measure_plant(plant, database.clock, connection)
                if _LEAST <= measured.holding <= min(_MOST, measured.population * 0.6):
                    low, high = measured.share * (1 - _WIDTH), min(0.9, measured.share * (1 + _WIDTH) + 0.06)
                    kept.append(plant.model_copy(update={"rate": (round(low, 3), round(high, 3))}))
    return tuple(kept)


def lasting(database: Database, plants: Sequence[Plant]) -> tuple[tuple[Plant, ...], tuple[str, ...]]:
    """The conditions that hold at their rates in these rows too, and a note for each that does not."""
    with opened(database, constraints=False) as connection:
        within = {plant.name: measure_plant(plant, database.clock, connection).within for plant in plants}
    notes = tuple(f"planted condition {name} left out: it does not hold here" for name, ok in within.items() if not ok)
    return tuple(plant for plant in plants if within[plant.name]), notes


def _conditions(one: TablePlan, shape: RowShape, clock: str) -> Iterator[tuple[str, str, str]]:
    """Name, words and SQL condition of what may be a hard case in a table."""
    one_of = with_article(one.table.label)
    for state in one.of_way("state"):
        for phase in shape.phases:
            own = [value for value in state.column.enum if phase_of(value, shape) is phase]
            if own and len(own) < len(state.column.enum):
                listed = ", ".join("'" + value.replace("'", "''") + "'" for value in own)
                yield phase.name, f"{one_of} that is {phase.label}", f'"{state.name}" IN ({listed})'
    for column in one.table.columns:
        if column.role == "owner" and column.references is not None and column.nullable:
            yield f"without_{column.name}", f"{one_of} that nobody owns", f'"{column.name}" IS NULL'
        if column.role == "updated_at" and column.type == "timestamp":
            since = timestamp(moment(clock) - timedelta(days=_STALE_DAYS))
            yield "stale", f"{one_of} that nobody has touched for half a year", f"\"{column.name}\" < '{since}'"
    yield from _overdue(one, clock)


def _overdue(one: TablePlan, clock: str) -> Iterator[tuple[str, str, str]]:
    for due in one.columns:
        if (
            due.rule is not None
            and due.rule.make == "moment"
            and due.rule.place in {DUE, AHEAD}
            and _is_dated(due.column)
        ):
            now = clock if due.column.type == "timestamp" else clock[:10]
            yield f"{due.name}_past", f"{one.table.label}: past its {due.name}", f"\"{due.name}\" < '{now}'"


def _is_dated(column: Column) -> bool:
    return column.type in {"timestamp", "date"}

"""Rows of one table after another: references first, then the moment each row came to be, then all it says."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from envforge.core.contracts import Row
from envforge.core.records.shape import RowShape
from envforge.core.seeds import stream
from envforge.gates.realism import kept_in
from envforge.mine.scenario.minting import Minter
from envforge.mine.scenario.people import People
from envforge.mine.scenario.rows import stored
from envforge.mine.shapes.absence import is_of_another_variant, is_seldom, seldom_share
from envforge.mine.shapes.dealing import deck, weights_of
from envforge.mine.shapes.lives import Life
from envforge.mine.shapes.naming import Named, Namer
from envforge.mine.shapes.plan import Plan, TablePlan, variants_of
from envforge.mine.shapes.reading import ColumnPlan, words_of
from envforge.mine.shapes.referring import Popular, Referring
from envforge.mine.shapes.states import life_place, phase_of, state_weights
from envforge.mine.shapes.values import Draft, Values

_DEEPEST = 3
_LINKS = 150


class Filler:
    """Fills the tables of a plan; the same seed gives the same rows."""

    def __init__(self, plan: Plan, rows: Mapping[str, Sequence[Row]], shape: RowShape, clock: str, seed: int) -> None:
        self._plan, self._shape, self._clock, self._seed = plan, shape, clock, seed
        self.rows: dict[str, list[Row]] = {name: list(found) for name, found in rows.items()}
        self._kinds = {one.name: one.kind for one in plan.tables}
        self._born: dict[int, str] = {}
        self._minter = Minter(seed, shape.id)
        self._people = People(shape.locale, set(), set())
        self._late: list[tuple[TablePlan, ColumnPlan]] = []

    def fill(self) -> dict[str, list[Row]]:
        """Rows for every table of the plan, beside those that were there."""
        for plan in self._plan.tables:
            self.rows[plan.name] = []
        done = {name for name, found in self.rows.items() if found}
        for plan in self._plan.tables:
            if plan.table.kind == "link":
                self._link(plan)
            else:
                self._table(plan, done)
            done.add(plan.name)
        for plan, column in self._late:
            self._afterwards(plan, column)
        return {
            one.name: [{c.name: stored(row[c.name], c, one.name) for c in one.table.columns} for row in rows]
            for one in self._plan.tables
            for rows in [self.rows[one.name]]
        }

    def _stream(self, *names: str) -> random.Random:
        return stream(self._seed, self._shape.id, *names)

    # Links -------------------------------------------------------------------------------------------------------

    def _link(self, plan: TablePlan) -> None:
        """Some rows of the first table with a few of the second each; popular ones are linked more often."""
        first, second = (plan.table.column(name).references for name in plan.table.primary_key[:2])
        assert first is not None and second is not None
        draws = self._stream(plan.name)
        popular = Popular(self.rows[second.table], self._stream(plan.name, second.table))
        # Few teams have many members each; many tasks have a few tags each.
        most = max(plan.rows, _LINKS // max(1, len(self.rows[first.table])))
        for row in self.rows[first.table]:
            wanted = draws.choices(range(most + 1), weights=[1 / (n + 1) ** 0.6 for n in range(most + 1)])[0]
            found = {id(other): other for _ in range(wanted) if (other := popular.pick(draws)) and other is not row}
            for other in found.values():
                values = dict.fromkeys(column.name for column in plan.table.columns)
                values[plan.table.primary_key[0]] = row[first.column]
                values[plan.table.primary_key[1]] = other[second.column]
                self._say(plan, values, draws)
                self.rows[plan.name].append(values)

    def _say(self, plan: TablePlan, values: dict[str, Any], draws: random.Random) -> None:
        """What a link says besides its two ends."""
        namer = Namer(plan, self._shape, self._people, draws)
        maker = Values(plan, self._shape, namer, draws)
        draft = Draft(values, self._clock, Named("", "link"))
        life = Life(self._shape, self._clock, draws)
        timed = _timed(plan)
        values |= life.moments(timed, life.born(None, early=False), "")
        for one in plan.columns:
            if one.way == "rule" and one not in timed:
                values[one.name] = maker.make(one, draft)
            elif one.way in {"flag", "enum", "state"}:
                values[one.name] = draws.choices(*weights_of(one, self._shape))[0]
            elif one.way == "reference" and one.name not in plan.table.primary_key:
                values[one.name] = None

    # Entities ----------------------------------------------------------------------------------------------------

    def _table(self, plan: TablePlan, done: set[str]) -> None:
        draws = self._stream(plan.name)
        drafts = self._drafts(plan, done, draws)
        self._states(plan, drafts, draws)
        namer = Namer(plan, self._shape, self._people, self._stream(plan.name, "names"))
        maker = Values(plan, self._shape, namer, self._stream(plan.name, "values"))
        life = Life(self._shape, self._clock, self._stream(plan.name, "moments"))
        timed = _timed(plan)
        for one in sorted(plan.of_way("enum", "flag"), key=lambda one: "." in one.column.source_name):
            self._deal(plan, one, drafts, self._stream(plan.name, one.name))
        self._bare(plan, drafts)
        for draft in drafts:
            draft.named = namer.draw(self._scope(plan, draft))
            self._key(plan, draft, maker)
            draft.values |= life.moments(timed, draft.born, draft.phase)
            for one in plan.columns:
                if one.way == "rule" and one not in timed:
                    draft.values[one.name] = maker.make(one, draft)
            row = draft.values
            self._born[id(row)] = draft.born
            self.rows[plan.name].append(row)
        self._tree(plan, self._stream(plan.name, "tree"))
        if plan.style.source == "ordered":
            self._ascending(plan)

    def _ascending(self, plan: TablePlan) -> None:
        """What is sold in sizes costs and holds more from one to the next."""
        rows = self.rows[plan.name]
        for one in plan.of_way("rule"):
            if one.column.type in {"integer", "real"} and one.rule and one.rule.make in {"choice", "number", "money"}:
                held = [row for row in rows if row[one.name] is not None]
                for row, value in zip(held, sorted(row[one.name] for row in held), strict=True):
                    row[one.name] = value

    def _drafts(self, plan: TablePlan, done: set[str], draws: random.Random) -> list[Draft]:
        """Rows with their references, in the order in which they came to be."""
        early = any(
            c.references and c.references.table == plan.name for o in self._plan.tables for c in o.table.columns
        )
        life = Life(self._shape, self._clock, self._stream(plan.name, "born"))
        references = Referring(plan, self, done)
        drafts: list[Draft] = []
        for number in range(plan.rows):
            values, related = references.draw(draws, number)
            after = max((self._born[id(row)] for row in related if id(row) in self._born), default=None)
            drafts.append(Draft(values, life.born(after, early=early), Named("", "")))
        self._late += [(plan, one) for one in references.late]
        return sorted(drafts, key=lambda draft: draft.born)

    def _scope(self, plan: TablePlan, draft: Draft) -> Any:
        """Within what names must differ: what contains the words of a vocabulary; for anything else, the table."""
        within = kept_in(plan.table)
        if plan.style.identifier or plan.style.source == "person" or not within:
            return None
        return tuple(draft.values.get(name) for name in within)

    def _key(self, plan: TablePlan, draft: Draft, maker: Values) -> None:
        for one in plan.of_way("key", "named_key"):
            if one.way == "named_key":
                name = maker.make(one, draft)
                taken = {row[one.name] for row in self.rows[plan.name]}
                draft.values[one.name] = name if name not in taken else f"{name}-{len(taken)}"
            elif len(plan.table.primary_key) == 1:
                draft.values[one.name] = self._minter.mint(plan.table, self.rows[plan.name])
            else:
                draft.values[one.name] = len(self.rows[plan.name]) + 1

    def _states(self, plan: TablePlan, drafts: list[Draft], draws: random.Random) -> None:
        """Deals states so that early ones stand with young rows and final ones with old rows, mostly."""
        for one in plan.of_way("state"):
            weights = state_weights(one.column.enum, self._shape)
            dealt = deck(weights, len(drafts), draws)
            dealt.sort(key=lambda state: life_place(state, self._shape) + draws.uniform(-2.5, 2.5), reverse=True)
            for draft, state in zip(drafts, dealt, strict=True):
                draft.values[one.name] = state
                phase = phase_of(state, self._shape)
                if one.column.role == "state" or not draft.phase:
                    draft.phase = phase.name if phase else ""

    def _deal(self, plan: TablePlan, one: ColumnPlan, drafts: Sequence[Draft], draws: random.Random) -> None:
        values, weights = weights_of(one, self._shape)
        dealt = deck(dict(zip(values, weights, strict=True)), len(drafts), draws)
        seldom = is_seldom(one.column, self._shape) and one.way == "enum"
        for draft, value in zip(drafts, dealt, strict=True):
            empty = seldom and not draws.random() < seldom_share(draft.phase)
            other = one.column.nullable and is_of_another_variant(one.column, plan, draft.values)
            draft.values.setdefault(one.name, None if empty or other else value)
            if one.way == "flag" and not plan.of_way("state"):
                self._phase_by_flag(one, draft, bool(value))

    def _phase_by_flag(self, one: ColumnPlan, draft: Draft, value: bool) -> None:
        """Where no state says it, `completed` or `archived` tells the part of its life that a row is in."""
        phase = phase_of(one.name.removeprefix("is_"), self._shape)
        if phase is not None and phase.name in {"done", "gone", "failed"} and (value or not draft.phase):
            draft.phase = phase.name if value else "active"

    def _bare(self, plan: TablePlan, drafts: Sequence[Draft]) -> None:
        """Who completed, cancelled or deleted something stands only where that has happened."""
        for one in plan.of_way("reference"):
            phases = {phase.name for word in words_of(one.name) if (phase := phase_of(word, self._shape))}
            if not one.column.nullable or not phases & {"done", "gone", "failed"}:
                continue
            for draft in drafts:
                if draft.phase and draft.phase not in phases | {"gone"}:
                    draft.values[one.name] = None

    # References --------------------------------------------------------------------------------------------------

    def _tree(self, plan: TablePlan, draws: random.Random) -> None:
        """Self-references: some rows stand below an earlier one, a few levels deep."""
        rows = self.rows[plan.name]
        for one in plan.of_way("reference"):
            reference = one.column.references
            if reference is None or reference.table != plan.name:
                continue
            if any(one.name in kinds.values() for kinds in variants_of(plan).values()):
                continue
            depth: dict[int, int] = {}
            for number, row in enumerate(rows):
                depth[id(row)] = 0
                row[one.name] = None
                above = [other for other in rows[:number] if depth[id(other)] < _DEEPEST - 1]
                if above and draws.random() < 0.45:
                    chosen = above[int(draws.random() ** 1.5 * len(above))]
                    row[one.name] = chosen[reference.column]
                    depth[id(row)] = depth[id(chosen)] + 1

    def _afterwards(self, plan: TablePlan, one: ColumnPlan) -> None:
        """A reference to a table that was filled later: the row that refers back, if there is one."""
        reference = one.column.references
        assert reference is not None
        back = next(
            (
                other
                for target in self._plan.tables
                if target.name == reference.table
                for other in target.of_way("reference")
                if other.column.references and other.column.references.table == plan.name
            ),
            None,
        )
        popular, draws = Popular(self.rows[reference.table], self._stream(plan.name, one.name)), self._stream(one.name)
        if back is not None:
            self._answer(plan, one, back, draws)
            return
        for row in self.rows[plan.name]:
            if not one.column.nullable or draws.random() > self._shape.unowned:
                other = popular.pick(draws)
                row[one.name] = other[reference.column] if other else None

    def _answer(self, plan: TablePlan, one: ColumnPlan, back: ColumnPlan, draws: random.Random) -> None:
        """Two tables that refer to each other do so pair by pair; who is left over is paired with who is free."""
        here, there = one.column.references, back.column.references
        assert here is not None and there is not None
        others = self.rows[here.table]
        held = {row[back.name]: row[here.column] for row in others if row[back.name] is not None}
        free = [row for row in others if row[back.name] is None]
        draws.shuffle(free)
        for row in self.rows[plan.name]:
            row[one.name] = held.get(row[there.column])
            if row[one.name] is None and free:
                other = free.pop()
                row[one.name], other[back.name] = other[here.column], row[there.column]

    @property
    def plans(self) -> tuple[TablePlan, ...]:
        """The plans of all tables that are filled."""
        return self._plan.tables

    def kind_of(self, table: str) -> str:
        """The kind of thing that a table holds."""
        return self._kinds.get(table, "")

    @property
    def shape(self) -> RowShape:
        """The shape that is followed."""
        return self._shape


def _timed(plan: TablePlan) -> list[ColumnPlan]:
    return [one for one in plan.columns if one.way == "rule" and one.rule and one.rule.make == "moment"]

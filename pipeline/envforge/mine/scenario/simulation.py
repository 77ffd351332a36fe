"""Runs the scenario of a matched archetype: events happen in order, rows are their traces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from envforge.core.contracts import Database, Row
from envforge.core.records.archetype import Process
from envforge.core.records.domain import Table
from envforge.core.seeds import stream
from envforge.mine.archetypes.bind import BoundScenario, bound_scenario
from envforge.mine.archetypes.match import ArchetypeMatch
from envforge.mine.scenario.compiler import CompiledProcess, compile_process
from envforge.mine.scenario.functions import FUNCTION_NAMES, function_table
from envforge.mine.scenario.minting import Minter
from envforge.mine.scenario.people import People
from envforge.mine.scenario.provenance import Owner, entries_for
from envforge.mine.scenario.rows import RowStore
from envforge.mine.scenario.text import TextBanks


class Simulation:
    """Processes run over the rows of a database; `finished` gives the database they lead to."""

    def __init__(self, database: Database, match: ArchetypeMatch, *, seed: int, name: str) -> None:
        self._ids, self._fixed_ids = Minter(seed, name), Minter(0, name)
        self.store = RowStore(database, self._ids)
        self._database = database
        self._match = match
        self._seed = seed
        self._name = name
        self._banks = TextBanks(match.archetype.text)
        names, emails = _known_people(self.store)
        self._people = People(match.archetype.locale, names, emails)
        self._compiled: dict[str, CompiledProcess] = {}

    def run(self, process: Process, *, turn: str | int = 0, given: Mapping[str, Any] | None = None) -> None:
        """Run one process. The same seed, process and turn draw the same numbers. Raises BuildError."""
        given = given or {}
        compiled = self._compiled.get(process.name)
        if compiled is None:
            where = f"archetype {self._match.archetype.id}"
            compiled = compile_process(process, functions=FUNCTION_NAMES, where=where, given=given)
            self._compiled[process.name] = compiled
        seed = 0 if process.fixed else self._seed
        self.store.minter = self._fixed_ids if process.fixed else self._ids
        draws = stream(seed, self._match.archetype.id, self._name, process.name, turn)
        functions = function_table(self.store, self._people, self._banks, draws, self._database.clock)
        compiled.run(functions, given)

    def finished(self, *, source: str, locator: str = "scenario") -> Database:
        """The database with what happened; new rows belong to `source`. The simulation must not be used on."""
        store, tables = self.store, self._database.domain.tables
        owner = Owner(source, locator, "synthetic")
        owners = {**store.owners, **{id(row): owner for new in store.inserted.values() for row in new}}
        renumber(tables, store.rows, _resolved_chronology(self._match), self._mined_tables())
        return replace(
            self._database,
            rows=store.rows,
            provenance=entries_for(tables, store.rows, owners),
            changelog=list(self._database.changelog),
        )

    def _mined_tables(self) -> set[str]:
        return {entry.table for entry in self._database.provenance if entry.kind != "synthetic"}

    @property
    def repeats(self) -> dict[str, int]:
        """Texts that had to be used again, per bank."""
        return dict(self._banks.repeats)


def simulate(database: Database, match: ArchetypeMatch, *, seed: int) -> Database:
    """The rows that the archetype's scenario (round 0) leaves behind. `database` is bound and stays unchanged.

    Raises BuildError naming the process and step that failed.
    """
    scenario = bound_scenario(match)
    simulation = Simulation(database, match, seed=seed, name="scenario")
    for process in scenario_processes(scenario, 0):
        simulation.run(process)
    notes = [*scenario.notes, *(f"text bank {b}: {n} repeats" for b, n in sorted(simulation.repeats.items()))]
    done = simulation.finished(source=match.source)
    return replace(done, domain=done.domain.model_copy(update={"notes": (*done.domain.notes, *notes)}))


def scenario_processes(scenario: BoundScenario, round_number: int) -> list[Process]:
    """The processes that happen in a round, without those that only densities run."""
    on_demand = {density.process for density in scenario.densities}
    return [p for p in scenario.processes if p.round == round_number and p.name not in on_demand]


def _known_people(store: RowStore) -> tuple[set[str], set[str]]:
    names: set[str] = set()
    emails: set[str] = set()
    for table in store.domain.tables:
        if table.has("first_name") and table.has("last_name"):
            names |= {f"{row['first_name']} {row['last_name']}" for row in store.rows[table.name]}
        for column in table.columns:
            if column.role == "email" or column.name == "email":
                emails |= {str(row[column.name]) for row in store.rows[table.name] if row[column.name]}
    return names, emails


def _resolved_chronology(match: ArchetypeMatch) -> dict[str, str]:
    resolve = match.binding.resolve
    return {resolve(table): resolve(column) for table, column in match.archetype.chronological.items()}


def renumber(tables: Sequence[Table], rows: Mapping[str, list[Row]], order: Mapping[str, str], keep: set[str]) -> None:
    """Give the integer ids of wholly synthetic tables the order of a timestamp column, as a live system would.

    Rows are put in that order too; columns that refer to them follow. Tables in `keep` stay as they are.
    """
    specs = {table.name: table for table in tables}
    for name, column in order.items():
        table = specs[name]
        if name in keep or len(table.primary_key) != 1 or table.column(table.primary_key[0]).type != "integer":
            continue
        key = table.primary_key[0]
        rows[name].sort(key=lambda row: (str(row[column] or ""), row[key]))
        ids = sorted(row[key] for row in rows[name])
        changed = {row[key]: number for row, number in zip(rows[name], ids, strict=True)}
        for row in rows[name]:
            row[key] = changed[row[key]]
        for other in tables:
            for c in other.columns:
                if c.references is not None and (c.references.table, c.references.column) == (name, key):
                    for row in rows[other.name]:
                        row[c.name] = changed.get(row[c.name], row[c.name])

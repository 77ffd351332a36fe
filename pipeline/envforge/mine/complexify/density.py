"""Fills thin entities: runs a process of the archetype again until its stated density is there."""

from __future__ import annotations

from envforge.core.contracts import Database
from envforge.core.outcome import Outcome, Produced, Rejected
from envforge.core.records.archetype import Density
from envforge.mine.archetypes.bind import bound_scenario
from envforge.mine.archetypes.match import ArchetypeMatch
from envforge.mine.scenario.measures import measure_density, opened
from envforge.mine.scenario.simulation import Simulation


class FillEntities:
    """Brings every density of the archetype up to its minimum, as far as its limit of runs allows."""

    name = "fill"

    def __init__(self, match: ArchetypeMatch) -> None:
        self._match = match

    def apply(self, database: Database, *, seed: int, round_number: int) -> Outcome[Database]:
        """A denser database, or Rejected when everything is dense enough."""
        details: list[dict[str, object]] = []
        current = database
        for density in bound_scenario(self._match).densities:
            current, detail = self._fill(current, density, seed, round_number)
            if detail:
                details.append(detail)
        if not details:
            return Rejected("every density of the archetype is reached")
        current.changelog.append({"detail": {"densities": details}})
        return Produced(current)

    def _fill(
        self, database: Database, density: Density, seed: int, round_number: int
    ) -> tuple[Database, dict[str, object]]:
        """Run the process in growing batches, measuring after each, so that few measurements are needed."""
        processes = {process.name: process for process in bound_scenario(self._match).processes}
        before = _measured(database, density)
        now, runs, batch = before, 0, 1
        while now < density.minimum and runs < density.at_most:
            simulation = Simulation(
                database, self._match, seed=seed, name=f"{self.name}-{round_number}-{density.name}-{runs}"
            )
            for turn in range(min(batch, density.at_most - runs)):
                simulation.run(processes[density.process], turn=runs + turn)
            runs += min(batch, density.at_most - runs)
            database = simulation.finished(source=self._match.source)
            gained = _measured(database, density) - now
            now += gained
            batch = max(1, min(50, int((density.minimum - now) / gained * batch) if gained > 0 else batch * 2))
        if not runs:
            return database, {}
        return database, {
            "name": density.name,
            "before": before,
            "after": now,
            "minimum": density.minimum,
            "runs": runs,
        }


def _measured(database: Database, density: Density) -> float:
    with opened(database, constraints=False, queries=[density.measure]) as connection:
        return measure_density(density, database.clock, connection)

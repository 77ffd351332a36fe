"""Adds the operational side of an archetype: what happens in this round of its scenario."""

from __future__ import annotations

from envforge.core.contracts import Database
from envforge.core.outcome import Outcome, Produced, Rejected
from envforge.mine.archetypes.bind import bound_scenario
from envforge.mine.archetypes.match import ArchetypeMatch
from envforge.mine.scenario.simulation import Simulation, scenario_processes


class OperationalSide:
    """Runs the processes that the archetype assigns to the round."""

    name = "operational"

    def __init__(self, match: ArchetypeMatch) -> None:
        self._match = match

    def apply(self, database: Database, *, seed: int, round_number: int) -> Outcome[Database]:
        """The database after the round's processes, or Rejected when the round has none."""
        processes = scenario_processes(bound_scenario(self._match), round_number)
        if not processes:
            return Rejected(f"the archetype has no process for round {round_number}")
        simulation = Simulation(database, self._match, seed=seed, name=f"{self.name}-{round_number}")
        for process in processes:
            simulation.run(process)
        done = simulation.finished(source=self._match.source)
        done.changelog.append({"detail": {"processes": [process.name for process in processes]}})
        return Produced(done)

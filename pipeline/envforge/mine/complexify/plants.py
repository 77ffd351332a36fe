"""Plants hard cases: each condition that intents rely on is measured and brought within its stated rate."""

from __future__ import annotations

import math
from typing import Any

from envforge.core.contracts import Database
from envforge.core.outcome import Outcome, Produced, Rejected
from envforge.core.records.archetype import Plant, Process
from envforge.core.seeds import stream
from envforge.mine.archetypes.match import ArchetypeMatch
from envforge.mine.scenario.measures import PlantMeasure, measure_plant, opened, plant_candidates
from envforge.mine.scenario.simulation import Simulation


class PlantHardCases:
    """Runs the steps of a plant for rows picked from its population, until its rate is reached."""

    name = "plant"

    def __init__(self, match: ArchetypeMatch) -> None:
        self._match = match

    def apply(self, database: Database, *, seed: int, round_number: int) -> Outcome[Database]:
        """A database with the plants brought up to rate, or Rejected when none is short."""
        current = database
        details: list[dict[str, Any]] = []
        for plant in database.plants:
            current, detail = self._plant(current, plant, seed, round_number)
            if detail:
                details.append(detail)
        if not any(detail["planted"] for detail in details):
            return Rejected("every planted condition is within its rate", {"outside": details})
        current.changelog.append({"detail": {"plants": details}})
        return Produced(current)

    def _plant(
        self, database: Database, plant: Plant, seed: int, round_number: int
    ) -> tuple[Database, dict[str, Any] | None]:
        with opened(database, constraints=False) as connection:
            before = measure_plant(plant, database.clock, connection)
            candidates = plant_candidates(plant, database.clock, connection)
        if before.within or not plant.steps or before.share > before.high:
            return database, None if before.within else _detail(before, before, 0)
        wanted = _wanted(before)
        draws = stream(seed, self.name, plant.name, round_number)
        chosen = draws.sample(candidates, k=min(wanted, len(candidates)))
        simulation = Simulation(database, self._match, seed=seed, name=f"{self.name}-{round_number}-{plant.name}")
        process = Process(name=f"plant {plant.name}", steps=plant.steps)
        for turn, item in enumerate(chosen):
            simulation.run(process, turn=turn, given={"item": item})
        database = simulation.finished(source=f"operator:{self.name}", locator=f"plant {plant.name}")
        with opened(database, constraints=False) as connection:
            after = measure_plant(plant, database.clock, connection)
        return database, _detail(before, after, len(chosen))


def _wanted(measure: PlantMeasure) -> int:
    """How many rows it takes to come to a third of the way between the low and the high rate."""
    aim = measure.low + (measure.high - measure.low) / 3
    return math.ceil(aim * measure.population) - measure.holding


def _detail(before: PlantMeasure, after: PlantMeasure, planted: int) -> dict[str, Any]:
    return {
        "name": before.name,
        "population": after.population,
        "before": round(before.share, 4),
        "after": round(after.share, 4),
        "rate": [before.low, before.high],
        "planted": planted,
    }

"""Plants hard cases: each condition that intents rely on is measured and brought within its stated rate."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from envforge.core.contracts import Database
from envforge.core.outcome import Outcome, Produced, Rejected
from envforge.core.records.archetype import Plant, Process
from envforge.core.seeds import stream
from envforge.mine.archetypes.match import ArchetypeMatch
from envforge.mine.scenario.measures import PlantMeasure, measure_plant, opened, plant_candidates
from envforge.mine.scenario.simulation import Simulation

_PASSES = 6


class PlantHardCases:
    """Runs the steps of a plant for rows picked from its population, until its rate is reached."""

    name = "plant"

    def __init__(self, match: ArchetypeMatch) -> None:
        self._match = match

    def apply(self, database: Database, *, seed: int, round_number: int) -> Outcome[Database]:
        """A database with the plants brought up to rate, or Rejected when none is short.

        One row may make several hold (a namesake makes two), so each pass plants half of what is missing.
        """
        first = _measures(database, database.plants)
        planted: Counter[str] = Counter()
        current, measures = database, dict(first)
        for number in range(_PASSES):
            short = [plant for plant in current.plants if plant.steps and measures[plant.name].short]
            if not short:
                break
            current = self._pass(current, short, measures, planted, seed=seed, name=f"{round_number}-{number}")
            measures = {**measures, **_measures(current, short)}
        details = [
            _detail(first[plant.name], measures[plant.name], planted[plant.name])
            for plant in current.plants
            if planted[plant.name] or not measures[plant.name].within
        ]
        if not planted:
            return Rejected("no planted condition is short of its rate", {"outside": details})
        current.changelog.append({"detail": {"plants": details}})
        return Produced(current)

    def _pass(
        self,
        database: Database,
        plants: Sequence[Plant],
        measures: Mapping[str, PlantMeasure],
        planted: Counter[str],
        *,
        seed: int,
        name: str,
    ) -> Database:
        queries = [query for plant in plants for query in (plant.population, plant.holds)]
        with opened(database, constraints=False, queries=queries) as connection:
            candidates = {plant.name: plant_candidates(plant, database.clock, connection) for plant in plants}
        simulation = Simulation(database, self._match, seed=seed, name=f"{self.name}-{name}")
        for plant in plants:
            found = candidates[plant.name]
            count = min(math.ceil(measures[plant.name].missing / 2), len(found))
            process = Process(name=f"plant {plant.name}", steps=plant.steps)
            for turn, item in enumerate(stream(seed, self.name, plant.name, name).sample(found, k=count)):
                simulation.run(process, turn=turn, given={"item": item})
            planted[plant.name] += count
        return simulation.finished(source=f"operator:{self.name}", locator="planted")


def _measures(database: Database, plants: Sequence[Plant]) -> dict[str, PlantMeasure]:
    queries = [query for plant in plants for query in (plant.population, plant.holds)]
    with opened(database, constraints=False, queries=queries) as connection:
        return {plant.name: measure_plant(plant, database.clock, connection) for plant in plants}


def _detail(before: PlantMeasure, after: PlantMeasure, planted: int) -> dict[str, Any]:
    return {
        "name": before.name,
        "population": after.population,
        "before": round(before.share, 4),
        "after": round(after.share, 4),
        "rate": [before.low, before.high],
        "planted": planted,
    }

"""The complexify loop: in every round each operator may change the database, and says by how much."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from envforge.core.contracts import Database, Operator, Progress
from envforge.core.errors import BuildError
from envforge.core.outcome import Failed, Produced
from envforge.mine.archetypes.match import ArchetypeMatch
from envforge.mine.complexify.density import FillEntities
from envforge.mine.complexify.operational import OperationalSide
from envforge.mine.complexify.plants import PlantHardCases
from envforge.mine.scenario.measures import check_constraints, complexity, measure_plants, opened


def operators(match: ArchetypeMatch) -> tuple[Operator, ...]:
    """The operator families, in the order in which a round applies them. A new family is one more line."""
    return (OperationalSide(match), FillEntities(match), PlantHardCases(match))


def complexify(
    database: Database, match: ArchetypeMatch, *, rounds: int, seed: int, progress: Progress | None = None
) -> Database:
    """The database after `rounds` rounds; 0 leaves the scenario as it is. The changelog grows by one entry per
    operator that changed something: operator, round, complexity before and after, detail.

    Raises BuildError when an operator fails or leaves rows that break a constraint of the domain.
    """
    check_constraints(database)
    for round_number in range(1, rounds + 1):
        chain = operators(match)
        for done, operator in enumerate(chain):
            if progress is not None:
                progress(f"complexify round {round_number}: {operator.name}", done, len(chain))
            database = apply_operator(database, operator, seed=seed, round_number=round_number)
    return database


def apply_operator(database: Database, operator: Operator, *, seed: int, round_number: int) -> Database:
    """The database after one operator, its constraints checked and its change logged. Raises BuildError."""
    outcome = operator.apply(database, seed=seed, round_number=round_number)
    if isinstance(outcome, Failed):
        raise BuildError(outcome.error, where=f"complexify operator {operator.name}", remedy=outcome.remedy)
    if not isinstance(outcome, Produced):
        return database
    after = outcome.value
    check_constraints(after)
    said: dict[str, Any] = {}
    for entry in after.changelog[len(database.changelog) :]:
        said.update(entry.get("detail", {}))
    entry = {
        "operator": operator.name,
        "round": round_number,
        "before": figures(database),
        "after": figures(after),
        "detail": said,
    }
    return replace(after, changelog=[*database.changelog, entry])


def figures(database: Database) -> dict[str, Any]:
    """Complexity of the rows and how many planted conditions are within their rate."""
    with opened(database, constraints=False) as connection:
        plants = measure_plants(database, connection)
    return {**complexity(database), "plants_within_rate": sum(plant.within for plant in plants)}

"""The complexify loop: in every round each operator may change the database, and says by how much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from envforge.core.contracts import Database, Operator, Progress
from envforge.core.errors import BuildError
from envforge.core.outcome import Failed, Produced
from envforge.mine.archetypes.match import ArchetypeMatch
from envforge.mine.complexify.density import FillEntities
from envforge.mine.complexify.operational import OperationalSide
from envforge.mine.complexify.plants import PlantHardCases
from envforge.mine.complexify.split import SplitRepeated
from envforge.mine.derived.filling import FillDerived
from envforge.mine.documents.writing import WriteDocuments
from envforge.mine.scenario.measures import PlantMeasure, complexity, measure_plants, opened


def operators(match: ArchetypeMatch) -> tuple[Operator, ...]:
    """The operator families, in the order in which a round applies them. A new family is one more line."""
    return (OperationalSide(match), FillEntities(match), PlantHardCases(match))


def plain_operators() -> tuple[Operator, ...]:
    """The operators that need nothing but the mined rows: they come before any archetype."""
    return (SplitRepeated(),)


def enrich(database: Database, *, rounds: int, seed: int, progress: Progress | None = None) -> Database:
    """The database after `rounds` rounds of the operators that need no archetype, logged as in `complexify`.

    Raises BuildError when an operator fails or leaves rows that break a constraint of the domain.
    """
    for round_number in range(1, rounds + 1):
        for operator in plain_operators():
            if progress is not None:
                progress(f"complexify round {round_number}: {operator.name}", 0, None)
            changed = _applied(operator, database, seed=seed, round_number=round_number)
            if changed is not None:
                before, after = (figures(one)[0] for one in (database, changed))
                entry = {"operator": operator.name, "round": round_number, "before": before, "after": after}
                database = _logged(database, changed, entry)
    return database


def complexify(
    database: Database, match: ArchetypeMatch, *, rounds: int, seed: int, progress: Progress | None = None
) -> Database:
    """The database after `rounds` rounds; 0 leaves the scenario as it is. The changelog grows by one entry per
    operator that changed something: operator, round, complexity before and after, detail.

    Raises BuildError when an operator fails or leaves rows that break a constraint of the domain.
    """
    before, measures = figures(database)
    for round_number in range(1, rounds + 1):
        chain = operators(match)
        for done, operator in enumerate(chain):
            if progress is not None:
                progress(f"complexify round {round_number}: {operator.name}", done, len(chain))
            changed = _applied(operator, database, seed=seed, round_number=round_number)
            if changed is not None:
                after, measures = figures(changed)
                entry = {"operator": operator.name, "round": round_number, "before": before, "after": after}
                database = _logged(database, changed, entry)
                before = after
    return _with_lasting_plants(database, measures, planted=rounds > 0)


def derive(database: Database, *, source: str, seed: int, progress: Progress | None = None) -> Database:
    """The database with the histories and figures that it declares filled, logged as in `complexify`, as round 0.

    It comes after all rounds: what follows from rows follows from the last of them. Raises BuildError.
    """
    operator = FillDerived(source)
    if progress is not None:
        progress(f"complexify: {operator.name}", 0, None)
    changed = _applied(operator, database, seed=seed, round_number=0)
    if changed is None:
        return database
    before, after = (figures(one)[0] for one in (database, changed))
    return _logged(database, changed, {"operator": operator.name, "round": 0, "before": before, "after": after})


def document(database: Database, *, progress: Progress | None = None) -> Database:
    """The database with the documents that it is to keep, logged as in `complexify`, as round 0: they say what the
    rows say when nothing changes these any more. Raises BuildError.
    """
    operator = WriteDocuments()
    changed = _applied(operator, database, seed=0, round_number=0)
    if changed is None:
        return database
    if progress is not None:
        progress(f"complexify: {operator.name}", 0, None)
    before = figures(database)[0]
    return _logged(database, changed, {"operator": operator.name, "round": 0, "before": before, "after": before})


def _applied(operator: Operator, database: Database, *, seed: int, round_number: int) -> Database | None:
    """The database as the operator has changed it; None where it found nothing to change. Raises BuildError."""
    outcome = operator.apply(database, seed=seed, round_number=round_number)
    if isinstance(outcome, Failed):
        raise BuildError(outcome.error, where=f"complexify operator {operator.name}", remedy=outcome.remedy)
    return outcome.value if isinstance(outcome, Produced) else None


def _with_lasting_plants(database: Database, measures: Sequence[PlantMeasure], *, planted: bool) -> Database:
    """Without the plants that cannot hold here: those without a population, and, when nothing was planted, all
    that are outside their rate. What is left is what intents may rely on and the realism gate demands.
    """
    gone = [m.name for m in measures if m.population == 0 or (not planted and not m.within)]
    notes = tuple(f"planted condition {name} left out: it does not hold here" for name in gone)
    domain = database.domain.model_copy(update={"notes": (*database.domain.notes, *notes)})
    plants = tuple(plant for plant in database.plants if plant.name not in gone)
    return replace(database, domain=domain, plants=plants)


def _logged(database: Database, changed: Database, entry: dict[str, Any]) -> Database:
    """The changed database with one entry more in its changelog; what the operator said becomes its detail."""
    detail: dict[str, Any] = {}
    for said in changed.changelog[len(database.changelog) :]:
        detail.update(said.get("detail", {}))
    return replace(changed, changelog=[*database.changelog, {**entry, "detail": detail}])


def figures(database: Database) -> tuple[dict[str, Any], list[PlantMeasure]]:
    """Complexity of the rows with the number of planted conditions within their rate, and their measures.

    Raises BuildError when the rows break a constraint of the domain.
    """
    with opened(database) as connection:
        plants = measure_plants(database, connection)
    return {**complexity(database), "plants_within_rate": sum(plant.within for plant in plants)}, plants

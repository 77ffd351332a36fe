"""What the witnesses of an archetype's tools lead to: arguments that each tool must accept, or refuse with a code."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from envforge.build.blueprint import draw_blueprint
from envforge.build.lower import lower
from envforge.build.unit_tests.probe import witnessed
from envforge.build.unit_tests.reference import Reference
from envforge.core.contracts import Database
from envforge.core.records.environment import Clock, EnvironmentManifest
from envforge.mine.load import id_styles, write_database
from envforge.store.files import write_json, write_text
from envforge.world.environment import Environment

Witnesses = dict[tuple[str, str], tuple[str, set[str]]]
"""Tool and what a witness is about -> the outcome that it states, and those that its calls have."""
Met = Callable[[Database], Witnesses]


def outcomes(reference: Reference) -> Witnesses:
    """What the witnesses of all tools lead to, each in the rows as they are."""
    found: Witnesses = {}
    for operation in reference.blueprint.operations:
        for witness in operation.witnesses:
            calls = [reference.run(operation, given) for given in witnessed(reference, operation, witness)]
            codes = {"success" if told.ok else told.code or f"crash: {told.fault}" for told in calls}
            found[operation.name, f"{witness.outcome}: {witness.about}"] = (witness.outcome, codes)
    return found


def missed(found: Witnesses) -> list[tuple[str, str]]:
    """The witnesses that lead to something else than they state, or for which there is no row."""
    return [name for name, (outcome, codes) in found.items() if outcome not in codes]


def accepted(found: Witnesses) -> set[str]:
    """The tools that a witness has shown to succeed."""
    return {tool for (tool, _), (outcome, codes) in found.items() if outcome == "success" and "success" in codes}


def opened_draft(database: Database, folder: Path) -> Reference:
    """The reference of a database's tools, over its rows in a folder."""
    manifest = EnvironmentManifest(
        id=database.domain.theme,
        theme=database.domain.theme,
        family=f"{database.domain.theme}-draft",
        database_seed=0,
        title=database.domain.theme,
        licence="mixed",
        sources=(),
        clock=Clock(epoch=database.clock),
        ids=id_styles(database.domain, database.rows),
        authors={},
        grounding="spec",
    )
    write_database(database, folder, manifest, [])
    blueprint, _ = draw_blueprint(database, max_tools=None)
    module, specs = lower(blueprint)
    write_text(folder / "tools.py", module)
    write_json(folder / "tools.json", [spec.to_json() for spec in specs], sort_keys=False)
    return Reference(blueprint, Environment.open(folder))


@contextmanager
def at_work(database: Database, folder: Path) -> Generator[Callable[..., Any]]:
    """call(tool, argument=value): calls one after the other in one World; a result, or the code of the error."""
    opened_draft(database, folder).close()
    with Environment.open(folder).start() as session:

        def call(tool: str, /, **arguments: Any) -> Any:
            seen = session.call(tool, arguments)
            return seen.error.code if seen.error is not None else seen.result

        yield call


@pytest.fixture
def met(tmp_path: Path) -> Met:
    """met(database): what the witnesses of the database's tools lead to."""

    def run(database: Database) -> Witnesses:
        reference = opened_draft(database, tmp_path / "draft")
        try:
            return outcomes(reference)
        finally:
            reference.close()

    return run

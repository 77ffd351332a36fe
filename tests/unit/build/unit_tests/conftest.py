"""Draft environments of the two small databases, with their tools."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from envforge.build.blueprint import draw_blueprint
from envforge.build.lower import lower
from envforge.build.unit_tests.reference import Reference
from envforge.core.contracts import Database
from envforge.core.records.blueprint import Blueprint
from envforge.core.records.environment import (
    Clock,
    EnvironmentBlueprint,
    EnvironmentManifest,
    ProvenanceEntry,
    ToolSpec,
)
from envforge.mine.load import id_styles, write_database
from envforge.store.files import write_json, write_text
from envforge.world.environment import Environment


@dataclass
class Draft:
    """A draft environment folder and what it was made from."""

    blueprint: Blueprint
    specs: tuple[ToolSpec, ...]
    database: Database
    folder: Path


def draft(database: Database, folder: Path) -> Draft:
    database.provenance = [
        ProvenanceEntry(table=name, source="archetype:test@0", kind="synthetic", count=len(rows))
        for name, rows in database.rows.items()
    ]
    manifest = EnvironmentManifest(
        id="draft",
        theme=database.domain.theme,
        family="draft",
        database_seed=0,
        title="Draft",
        licence="mixed",
        sources=(),
        clock=Clock(epoch=database.clock),
        ids=id_styles(database.domain, database.rows),
        authors={},
        grounding="spec",
    )
    write_database(database, folder, manifest, [])
    blueprint, _ = draw_blueprint(database, max_tools=24)
    module, specs = lower(blueprint)
    write_text(folder / "tools.py", module)
    write_json(folder / "tools.json", [spec.to_json() for spec in specs])
    write_json(folder / "blueprint.json", EnvironmentBlueprint(blueprint=blueprint).to_json())
    return Draft(blueprint, specs, database, folder)


@pytest.fixture
def flights(schedule: Database, tmp_path: Path) -> Draft:
    return draft(schedule, tmp_path / "flights")


@pytest.fixture
def docs(workspace: Database, tmp_path: Path) -> Draft:
    return draft(workspace, tmp_path / "docs")


@pytest.fixture
def reference() -> Iterator[Callable[[Draft], Reference]]:
    """Opens references, and closes them after the test."""
    opened: list[Reference] = []

    def opening(one: Draft) -> Reference:
        opened.append(Reference(one.blueprint, Environment.open(one.folder)))
        return opened[-1]

    yield opening
    for one in opened:
        one.close()

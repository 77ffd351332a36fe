"""The compiled author: from a database in hand to tools and tests that pass in a World."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from envforge.build.author import CompiledToolAuthor
from envforge.core.contracts import Database
from envforge.core.errors import BuildError
from envforge.core.outcome import Failed, Produced, Rejected
from envforge.core.records.domain import Domain
from envforge.core.records.environment import Clock, EnvironmentManifest, ProvenanceEntry
from envforge.mine.load import write_database
from envforge.world.test_runner import run_tests


def draft(database: Database, folder: Path) -> Path:
    manifest = EnvironmentManifest(
        id=database.domain.theme,
        theme=database.domain.theme,
        family=f"{database.domain.theme}-draft",
        database_seed=0,
        title=database.domain.theme,
        licence="mixed",
        sources=(),
        clock=Clock(epoch=database.clock),
        ids={},
        authors={},
        grounding="mined",
    )
    entries = [
        ProvenanceEntry(table=name, source="archetype:test", kind="synthetic", count=len(rows))
        for name, rows in database.rows.items()
    ]
    write_database(replace(database, provenance=entries), folder, manifest, [])
    return folder


def test_tools_and_their_tests_are_written_and_pass(schedule: Database, tmp_path: Path) -> None:
    folder = draft(schedule, tmp_path / "a")
    outcome = CompiledToolAuthor().write(schedule, folder, max_tools=12)
    assert isinstance(outcome, Produced)
    tools = outcome.value
    assert (folder / "tools.py").read_text(encoding="utf-8") == tools.module
    names = [entry["name"] for entry in json.loads((folder / "tools.json").read_text(encoding="utf-8"))]
    assert names == [spec.name for spec in tools.specs]
    assert "search_flights" in names
    report = run_tests(folder)
    assert report.failed == ()
    assert len(report.passed) > len(names)


def test_the_same_database_gives_the_same_bytes(schedule: Database, tmp_path: Path) -> None:
    texts: list[list[bytes]] = []
    for name in ("a", "b"):
        folder = draft(schedule, tmp_path / name)
        CompiledToolAuthor().write(schedule, folder, max_tools=12)
        texts.append([(folder / path).read_bytes() for path in ("tools.py", "tools.json", "tests/test_tools.py")])
    assert texts[0] == texts[1]


def test_a_domain_without_operations_is_rejected(tmp_path: Path) -> None:
    empty = Database(Domain(theme="empty", tables=()), {}, [], {}, "2013-01-03T00:00:00Z")
    outcome = CompiledToolAuthor().write(empty, tmp_path, max_tools=12)
    assert isinstance(outcome, Rejected)
    assert not list(tmp_path.iterdir())


def test_an_error_keeps_its_place(schedule: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> object:
        raise BuildError("no way", where="operation x", remedy="mend it")

    monkeypatch.setattr("envforge.build.author.lower", broken)
    outcome = CompiledToolAuthor().write(schedule, tmp_path, max_tools=12)
    assert outcome == Failed("build", "no way", False, "operation x", "mend it")

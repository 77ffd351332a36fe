"""A set of environments that ship, read once; frozen, so tests change copies."""

from __future__ import annotations

from pathlib import Path

import pytest

from envforge.core.records.environment import Certificate, EnvironmentManifest, ProvenanceEntry, ToolSpec
from envforge.core.records.published import ChangelogEntry
from envforge.core.records.source import Source
from envforge.publish.published import Published, PublishedEnvironment, PublishedTasks
from envforge.store.files import read_json, read_json_list
from envforge.store.record_lines import read_records
from envforge.store.tasks import read_set_certificate, read_tasks

ROOT = Path(__file__).parents[4]


def _read(name: str, *, tasks: bool) -> PublishedEnvironment:
    folder, beside = ROOT / "environments" / name, ROOT / "tasks" / name
    return PublishedEnvironment(
        folder=folder,
        split="train",
        manifest=EnvironmentManifest.model_validate(read_json(folder / "environment.json")),
        tools=tuple(ToolSpec.model_validate(value) for value in read_json_list(folder / "tools.json")),
        sources=tuple(read_records(folder / "sources.jsonl", Source, "")),
        provenance=tuple(read_records(folder / "provenance.jsonl", ProvenanceEntry, "")),
        certificate=Certificate.model_validate(read_json(folder / "certificate.json")),
        tasks=PublishedTasks(beside, read_tasks(beside).tasks, read_set_certificate(beside)) if tasks else None,
    )


@pytest.fixture(scope="session")
def published() -> Published:
    """airline-booking with its tasks, notion without."""
    return Published(
        repo="harbour/first-set",
        version="1.1.0",
        changelog=(
            ChangelogEntry(version="1.1.0", changes=("notion is new",)),
            ChangelogEntry(version="1.0.0", changes=("the first version",)),
        ),
        environments=(_read("airline-booking", tasks=True), _read("notion", tasks=False)),
    )

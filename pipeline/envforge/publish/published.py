"""What is to be published, read and frozen: everything that files, tables and card of a set are made of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from envforge.core.ids import seeded_uuid
from envforge.core.records.environment import Certificate, EnvironmentManifest, ProvenanceEntry, ToolSpec
from envforge.core.records.evaluation import MeasuredDifficulty
from envforge.core.records.published import ChangelogEntry
from envforge.core.records.source import Source
from envforge.core.records.task import Task, TaskSetCertificate
from envforge.core.records.training import Split
from envforge.core.records.trajectory import Trajectory


@dataclass(frozen=True)
class PublishedTasks:
    """The tasks of one environment."""

    folder: Path
    tasks: tuple[Task, ...]
    certificate: TaskSetCertificate
    measured: tuple[MeasuredDifficulty, ...] = ()
    """What agents reached on these very tasks (measured.jsonl); nothing where nobody measured."""


@dataclass(frozen=True)
class PublishedEnvironment:
    """One environment of the set, with its records."""

    folder: Path
    split: Split
    manifest: EnvironmentManifest
    tools: tuple[ToolSpec, ...]
    sources: tuple[Source, ...]
    provenance: tuple[ProvenanceEntry, ...]
    certificate: Certificate
    tasks: PublishedTasks | None = None
    trajectories: tuple[Trajectory, ...] = ()
    """Episodes on its tasks, that somebody wants to publish with it."""

    @property
    def id(self) -> str:
        """Its id."""
        return self.manifest.id

    @property
    def tasks_folder(self) -> Path | None:
        """Where its tasks lie; nothing where it has none."""
        return None if self.tasks is None else self.tasks.folder


@dataclass(frozen=True)
class Published:
    """A set under one name and version. `environments` in the order of their ids."""

    repo: str
    """OWNER/NAME."""
    version: str
    changelog: tuple[ChangelogEntry, ...]
    """Newest first; the first entry is this version's."""
    environments: tuple[PublishedEnvironment, ...]

    @property
    def canary(self) -> str:
        """A GUID that depends on the name of the set only: every version of it has the same one."""
        return seeded_uuid("published set", self.repo)

    @property
    def url(self) -> str:
        """Where it is seen on the Hub."""
        return f"https://huggingface.co/datasets/{self.repo}"

    @property
    def licences(self) -> list[str]:
        """Of its environments, each once."""
        return sorted({one.manifest.licence for one in self.environments})

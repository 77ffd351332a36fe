"""An environment and its tasks as the rules see them: records, and the files that would be published."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from envforge.core.records.environment import EnvironmentManifest
from envforge.core.records.source import Source
from envforge.gates.folder import Folder
from envforge.publish.contents import files_of
from envforge.publish.refusals.rebuilding import rebuild_command
from envforge.publish.refusals.texts import Text, text_of
from envforge.store.hashing import file_hashes
from envforge.store.record_lines import read_records


@dataclass(frozen=True)
class Case:
    """Lazy and read-only. Every accessor raises StoreError naming the file."""

    environment: Path
    tasks: Path | None

    @cached_property
    def folder(self) -> Folder:
        """The environment, opened."""
        return Folder(self.environment)

    @property
    def manifest(self) -> EnvironmentManifest:
        """environment.json."""
        return self.folder.manifest

    @cached_property
    def sources(self) -> list[Source]:
        """sources.jsonl."""
        return read_records(self.environment / "sources.jsonl", Source, "build the environment again")

    @cached_property
    def hashes(self) -> dict[str, str]:
        """Path -> SHA-256 of what the environment hash covers."""
        return file_hashes(self.environment)

    @cached_property
    def rebuild(self) -> str:
        """The commands that make this environment and its tasks again, facts only."""
        return rebuild_command(self.manifest, self.environment, self.tasks)

    @cached_property
    def texts(self) -> tuple[Text, ...]:
        """Every file as text. Raises StoreError for one that is no text: nobody could look into it."""
        keys = {f"{table.name}.csv": table.primary_key for table in self.folder.tables}
        return tuple(text_of(told, path, keys) for told, path in self.files())

    def files(self) -> Iterator[tuple[str, Path]]:
        """Name to tell and place of every file that is published; what lies beside them stays where it is."""
        for _, _, path in files_of(self.environment, self.tasks):
            yield self.told(str(path)), path

    def told(self, place: str) -> str:
        """A path as it is told: from environments/ or tasks/ on, wherever that lies."""
        for kind, folder in (("environments", self.environment), ("tasks", self.tasks)):
            if folder is not None and place.startswith(str(folder)):
                return f"{kind}/{folder.name}{place.removeprefix(str(folder))}"
        return place

"""The folder of a set, as it is uploaded: environments and tasks to the byte, and what is derived from them."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from envforge.core.errors import StoreError
from envforge.core.records.published import PublishedMember, PublishedSet
from envforge.publish.adapters.registry import EXPORTERS
from envforge.publish.contents import files_of
from envforge.publish.croissant import croissant
from envforge.publish.published import Published, PublishedEnvironment
from envforge.publish.tables.writing import write_tables
from envforge.publish.versions import changelog_text
from envforge.store.files import write_json, write_text

MANIFEST = "published.json"
CARD = "README.md"
HEADS = (CARD, "CHANGELOG.md", "croissant.json", MANIFEST)
"""What tells a reader what the set is. It is uploaded when all the rest is there."""
CardWriter = Callable[[Path, Published], None]


def content_paths(environment: PublishedEnvironment) -> Iterator[tuple[str, Path]]:
    """Path in the set, and the file, of all that belongs to an environment and its tasks, and of nothing beside it."""
    for kind, name, path in files_of(environment.folder, environment.tasks_folder):
        yield f"{kind}/{environment.id}/{name}", path


def content_hashes(environments: Sequence[PublishedEnvironment]) -> dict[str, str]:
    """Path in the set → SHA-256. Raises StoreError."""
    return {path: sha256_of(file) for one in environments for path, file in content_paths(one)}


def members_of(environments: Sequence[PublishedEnvironment]) -> tuple[PublishedMember, ...]:
    """What published.json says of each."""
    return tuple(
        PublishedMember(
            id=one.id,
            family=one.manifest.family,
            database_seed=one.manifest.database_seed,
            environment_hash=one.manifest.environment_hash,
            split=one.split,
            tasks=len(one.tasks.tasks) if one.tasks else 0,
        )
        for one in environments
    )


def write_set(folder: Path, published: Published, write_card: CardWriter) -> PublishedSet:
    """Write the whole set into an empty folder. The same set gives the same bytes.

    Raises ConfigError where the extra is not installed, StoreError.
    """
    for one in published.environments:
        for path, file in content_paths(one):
            _copy(file, folder / path)
    write_tables(folder, published)
    for exporter in EXPORTERS:
        exporter.write(published, folder)
    write_text(folder / "CHANGELOG.md", changelog_text(published.changelog))
    write_json(folder / "croissant.json", croissant(published, folder), sort_keys=False)
    write_card(folder, published)
    found = PublishedSet(
        repo=published.repo,
        version=published.version,
        canary=published.canary,
        members=members_of(published.environments),
        changelog=published.changelog,
        files={path.relative_to(folder).as_posix(): sha256_of(path) for path in _files(folder)},
    )
    write_json(folder / MANIFEST, found.to_json())
    return found


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != MANIFEST)


def _copy(file: Path, target: Path) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    except OSError as error:
        raise StoreError(f"could not be copied: {error.strerror or error}", where=str(file)) from error


def sha256_of(path: Path) -> str:
    """Of a file of any size. Raises StoreError."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise StoreError(f"could not be read: {error.strerror or error}", where=str(path)) from error

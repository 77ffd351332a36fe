"""Which files of an environment and its tasks are published: one list, for who judges them and who copies them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from envforge.core.errors import StoreError
from envforge.store.hashing import file_hashes
from envforge.store.tasks import CERTIFICATE, MEASURED, set_hashes

_BESIDE_THE_HASH = ("environment.json", CERTIFICATE, "rejected.jsonl")


def files_of(environment: Path, tasks: Path | None) -> Iterator[tuple[str, str, Path]]:
    """environments or tasks, the name in that folder, and the file; what else lies there stays where it is.

    Raises StoreError for a link: what is published must lie in the folder itself.
    """
    yield from _in(environment, "environments", {*file_hashes(environment), *_BESIDE_THE_HASH})
    if tasks is not None:
        yield from _in(tasks, "tasks", {*set_hashes(tasks), CERTIFICATE, MEASURED})


def _in(folder: Path, kind: str, names: set[str]) -> Iterator[tuple[str, str, Path]]:
    for name in sorted(names):
        path = folder / name
        if path.is_symlink():
            raise StoreError("a symbolic link is not published", where=str(path), remedy="put the file itself there")
        if path.is_file():
            yield kind, name, path

"""The environment hash: SHA-256 over the sorted (path, sha256) of what defines an environment (DESIGN, Hash)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from envforge.core.errors import StoreError
from envforge.core.ids import canonical_json, sha256_bytes, sha256_text
from envforge.core.records.environment import EnvironmentManifest
from envforge.store.files import read_jsonl

_FILES = ("schema.sql", "blueprint.json", "tools.py", "tools.json", "provenance.jsonl")
_FOLDERS = ("data", "documents", "tests")
_OUTSIDE_THE_HASH = {"environment_hash", "statistics", "files"}


def file_hashes(folder: Path) -> dict[str, str]:
    """Path (POSIX, relative) → sha256 of every file that the environment hash covers."""
    refuse_links(folder)
    hashes = _sources_hash(folder)
    paths = [folder / name for name in _FILES if (folder / name).is_file()]
    for name in _FOLDERS:
        paths.extend(path for path in (folder / name).rglob("*") if path.is_file() and _is_content(path))
    hashes |= {path.relative_to(folder).as_posix(): _hash(path) for path in paths}
    return dict(sorted(hashes.items()))


def refuse_links(folder: Path) -> None:
    """Raise StoreError for a link, a pipe or a device among the files: what is read must be in the folder itself."""
    for path in _all_content(folder):
        if path.is_symlink():
            raise StoreError("a symbolic link cannot be part of an environment", where=str(path))
        if path.exists() and not path.is_file() and not path.is_dir():
            raise StoreError("is no regular file", where=str(path))


def _all_content(folder: Path) -> Iterator[Path]:
    for name in (*_FILES, "environment.json", "sources.jsonl"):
        yield folder / name
    for name in _FOLDERS:
        yield folder / name
        if not (folder / name).is_symlink():
            yield from (path for path in (folder / name).rglob("*") if _is_content(path))


def _sources_hash(folder: Path) -> dict[str, str]:
    # When a source was fetched says nothing about the environment: two machines must get one hash.
    path = folder / "sources.jsonl"
    if not path.is_file():
        return {}
    sources = [{k: v for k, v in source.items() if k != "retrieved_at"} for source in read_jsonl(path)]
    return {"sources.jsonl": sha256_text(canonical_json(sources))}


def _is_content(path: Path) -> bool:
    # A person's own pytest run leaves caches beside the tests; they are no part of the environment.
    return path.suffix != ".pyc" and "__pycache__" not in path.parts and ".pytest_cache" not in path.parts


def _hash(path: Path) -> str:
    return sha256_bytes(path.read_bytes())


def environment_hash(manifest: EnvironmentManifest, files: dict[str, str]) -> str:
    """Hash of the files and of the manifest without its hash, statistics and file list."""
    kept: dict[str, Any] = {k: v for k, v in manifest.to_json().items() if k not in _OUTSIDE_THE_HASH}
    return sha256_text(canonical_json([*sorted(files.items()), ["environment.json", canonical_json(kept)]]))

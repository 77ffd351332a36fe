from pathlib import Path

import pytest

from envforge.core.errors import StoreError
from envforge.core.records.environment import Clock, EnvironmentManifest
from envforge.store.files import write_jsonl
from envforge.store.hashing import environment_hash, file_hashes


def manifest(**changes: object) -> EnvironmentManifest:
    values: dict[str, object] = {
        "id": "x", "theme": "x", "family": "x-1", "database_seed": 0, "title": "X", "licence": "MIT",
        "sources": (), "clock": Clock(epoch="2026-01-01T00:00:00Z"), "ids": {}, "authors": {}, "grounding": "mined",
    }  # fmt: skip
    return EnvironmentManifest.model_validate(values | changes)


def folder(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.csv").write_text("id\n1\n")
    (tmp_path / "tools.py").write_text("x = 1\n")
    return tmp_path


def test_statistics_and_caches_do_not_matter(tmp_path: Path) -> None:
    env = folder(tmp_path)
    before = environment_hash(manifest(), file_hashes(env))
    (env / "tests" / "__pycache__").mkdir(parents=True)
    (env / "tests" / "__pycache__" / "x.pyc").write_bytes(b"1")
    (env / "certificate.json").write_text("{}")
    assert environment_hash(manifest(statistics={"rows": 1}, environment_hash="f"), file_hashes(env)) == before


@pytest.mark.parametrize("path", ["tools.py", "data/a.csv"])
def test_any_changed_byte_changes_the_hash(tmp_path: Path, path: str) -> None:
    env = folder(tmp_path)
    before = environment_hash(manifest(), file_hashes(env))
    (env / path).write_text((env / path).read_text() + " ")
    assert environment_hash(manifest(), file_hashes(env)) != before


def test_retrieval_time_does_not_matter_but_the_licence_does(tmp_path: Path) -> None:
    env = folder(tmp_path)
    seen: set[str] = set()
    for time, licence in [("t1", "MIT"), ("t2", "MIT"), ("t1", "GPL-3.0")]:
        write_jsonl(env / "sources.jsonl", [{"id": "s", "retrieved_at": time, "licence": licence}])
        seen.add(environment_hash(manifest(), file_hashes(env)))
    assert len(seen) == 2


def test_a_link_is_refused(tmp_path: Path) -> None:
    env = folder(tmp_path)
    (env / "data" / "b.csv").symlink_to("/etc/hostname")
    with pytest.raises(StoreError, match="symbolic link"):
        file_hashes(env)

"""The trial of API descriptions on a small folder: what reads, what is refused, what crashes, what goes on."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

TRIAL = Path(__file__).resolve().parents[2] / "bench" / "openapi_directory"


def description(count: int) -> dict[str, Any]:
    answer = {
        "200": {
            "description": "ok",
            "content": {
                "application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/S0"}}}
            },
        }
    }
    fields = {name: {"type": "string"} for name in ("id", "a", "b", "c")}
    return {
        "openapi": "3.0.0",
        "info": {"title": "Own", "version": "1"},
        "paths": {f"/s{n}": {"get": {"operationId": f"list{n}", "responses": answer}} for n in range(count)},
        "components": {"schemas": {f"S{n}": {"type": "object", "properties": fields} for n in range(count)}},
    }


def folder_of(root: Path) -> Path:
    api = root / "package" / "api"
    for name in ("one", "two", "three"):
        (api / f"{name}.test").mkdir(parents=True)
        (api / f"{name}.test" / "main.json").write_text(json.dumps(description(12)))
    (api / "small.test.json").write_text(json.dumps(description(2)))
    (api / "broken.test.json").write_text('{"openapi": "3.0.0", "paths": {')
    (root / "package" / "package.json").write_text("{}")
    return root / "package"


def trial(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(TRIAL), *arguments], capture_output=True, text=True, check=False)


def test_every_description_is_read_once_and_a_broken_one_has_its_reason(tmp_path: Path) -> None:
    package, work = folder_of(tmp_path), tmp_path / "work"
    first = trial("read", str(package), "--work", str(work))
    assert first.returncode == 0, first.stdout + first.stderr
    assert "5 files, 0 crashes or hangs, 0 over the limits" in first.stdout
    records = [json.loads(line) for line in (work / "read.jsonl").read_text().splitlines()]
    by_path = {record["path"]: record for record in records}
    assert by_path["api/broken.test.json"]["outcome"] == "refused"
    assert "api/broken.test.json:1: broken JSON" in by_path["api/broken.test.json"]["reason"]
    assert by_path["api/one.test/main.json"]["operations"] == 12
    before = (work / "read.jsonl").read_text()
    assert trial("read", str(package), "--work", str(work)).returncode == 0
    assert (work / "read.jsonl").read_text() == before


def test_the_sample_is_of_providers_with_some_size_and_the_same_for_a_seed(tmp_path: Path) -> None:
    package = folder_of(tmp_path)
    (package / "api" / "broken.test.json").unlink()
    lists: list[list[dict[str, Any]]] = []
    for name in ("a", "b"):
        done = trial("draw", str(package), "--work", str(tmp_path / name), "--count", "2", "--seed", "7")
        assert done.returncode == 0, done.stderr
        lists.append(json.loads((tmp_path / name / "sample.json").read_text()))
    assert lists[0] == lists[1]
    assert len(lists[0]) == 2
    assert all(one["operations"] == 12 and one["schemas"] == 12 for one in lists[0])


def test_a_build_has_a_verdict_and_a_reason(tmp_path: Path) -> None:
    package, work = folder_of(tmp_path), tmp_path / "work"
    (package / "api" / "broken.test.json").unlink()
    assert trial("draw", str(package), "--work", str(work), "--count", "1").returncode == 0
    built = trial("build", str(package), "--work", str(work))
    assert built.returncode == 0, built.stderr
    record = json.loads((work / "builds.jsonl").read_text())
    assert record["verdict"] == "rejected"
    assert record["rejection"]["reason"] == "data_source"
    assert record["rejection"]["operations"]["stated"] == 12
    shown = trial("table", "--work", str(work)).stdout
    assert "| rejected | 1 |" in shown
    assert "12 / " in shown

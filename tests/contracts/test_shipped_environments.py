"""What ships in environments/: whole, certified, small, facts only; from the snapshot the same bytes come again."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from envforge.core.contracts import Fetched, GateContext
from envforge.core.records.environment import Certificate, EnvironmentManifest
from envforge.factory.config import MineConfig
from envforge.factory.fetching import FetchPlan, fetch_anchors
from envforge.factory.mine_theme import mine_theme
from envforge.factory.themes import find_theme, load_themes
from envforge.gates.certificate import ENVIRONMENT_GATES, compare_certificate, load_thresholds, run_gates
from envforge.store.files import read_json, read_jsonl

ROOT = Path(__file__).parents[2]
SHIPPED = sorted(path.parent for path in (ROOT / "environments").glob("*/environment.json"))
THRESHOLDS = ROOT / "validators/gates/environment.json"
MOST_BYTES = 4_000_000
"""Of all environments together."""
QUICK = {"integrity", "compiles", "no_module_state", "foreign_keys", "tracked_changes", "provenance", "realism"}
RUN = 8
"""Words in a row that would be somebody's text."""
Tree = Callable[[Path], dict[str, bytes]]

each = pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
SAMPLE = "airline-booking"
"""Whose slow gates are run again at each change; those of all with `make verify`."""
one_of_them = pytest.mark.parametrize(
    "folder",
    [pytest.param(folder, marks=() if folder.name == SAMPLE else pytest.mark.whole) for folder in SHIPPED],
    ids=lambda folder: folder.name,
)


def _manifest(folder: Path) -> EnvironmentManifest:
    return EnvironmentManifest.model_validate(read_json(folder / "environment.json"))


def _silent(label: str, done: int, total: int | None) -> None:
    del label, done, total


def test_three_ship_and_are_small() -> None:
    assert [folder.name for folder in SHIPPED] == ["airline-booking", "notion", "web-browsers"]
    sizes = {folder.name: sum(p.stat().st_size for p in folder.rglob("*") if _is_shipped(p)) for folder in SHIPPED}
    assert sum(sizes.values()) <= MOST_BYTES, sizes


def _is_shipped(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts


@each
def test_quick_gates_pass_again_as_certified(folder: Path) -> None:
    context = GateContext(folder, load_thresholds(THRESHOLDS))
    quick = [gate for gate in ENVIRONMENT_GATES if gate.name in QUICK]
    assert {gate.name for gate in quick} == QUICK
    assert [reason for gate in quick for reason in gate.check(context).reasons] == []
    certificate = Certificate.model_validate(read_json(folder / "certificate.json"))
    assert certificate.certified and certificate.environment_hash == _manifest(folder).environment_hash
    assert [result.gate for result in certificate.gates] == [gate.name for gate in ENVIRONMENT_GATES]


@pytest.mark.slow
@one_of_them
def test_every_gate_passes_again(folder: Path) -> None:
    results = run_gates(GateContext(folder, load_thresholds(THRESHOLDS)))
    assert [f"{result.gate}: {reason}" for result in results for reason in result.reasons] == []
    assert compare_certificate(folder, results) == []


@each
def test_files_are_text_that_no_system_changes_or_knows_a_machine(folder: Path) -> None:
    for path in filter(_is_shipped, folder.rglob("*")):
        text = path.read_bytes().decode("utf-8")
        assert path.suffix in {".json", ".jsonl", ".csv", ".sql", ".py"}, path
        assert "\r" not in text and "\0" not in text, path
        assert re.search(r"(?<![\w./-])/(work|tmp|home|root|Users)/", text) is None, path
    attributes = (ROOT / ".gitattributes").read_text(encoding="utf-8")
    assert "environments/*/** " in attributes and "tasks/*/** " in attributes


@each
def test_it_holds_facts_of_sources_that_may_be_passed_on(folder: Path) -> None:
    manifest, sources = _manifest(folder), read_jsonl(folder / "sources.jsonl")
    assert manifest.facts_only and not (folder / "documents").exists()
    assert sorted(cast("str", source["id"]) for source in sources) == list(manifest.sources)
    licences = [cast("dict[str, Any]", source["licence"]) for source in sources]
    assert all(licence["status"] == "stated-open" and licence["spdx"] and licence["evidence"] for licence in licences)
    assert set(manifest.licence.split(" AND ")) == {licence["spdx"] for licence in licences}


@pytest.mark.snapshot
@pytest.mark.slow
@each
def test_from_the_snapshot_the_same_bytes_come_again(folder: Path, snapshot: Path, tmp_path: Path, tree: Tree) -> None:
    manifest = _manifest(folder)
    config = MineConfig(
        theme=manifest.theme,
        workspace=tmp_path,
        snapshot=snapshot,
        database_seeds=(manifest.database_seed,),
        facts_only=True,
        keep=tuple(manifest.statistics.get("keep", ())),
        constants=tuple(manifest.statistics.get("set", ())),
        max_tools=manifest.statistics.get("max_tools", MineConfig.max_tools),
        until="tools",
    )
    report = mine_theme(config, _silent)
    shipped = {path: body for path, body in tree(folder).items() if "__pycache__" not in path}
    del shipped["certificate.json"]  # gates are run on certified ones only
    built = tree(report.environments[0].path)
    assert sorted(built) == sorted(shipped)
    assert [path for path in shipped if built[path] != shipped[path]] == []


@pytest.mark.snapshot
@each
def test_no_text_of_a_source_is_in_it(folder: Path, snapshot: Path, tmp_path: Path) -> None:
    theme = find_theme(_manifest(folder).theme, load_themes([ROOT / "themes"]))
    fetched = fetch_anchors(theme, tmp_path / "sources", FetchPlan(workspace=tmp_path, snapshot=snapshot))
    theirs = {run for item in fetched for text in _texts(item) for run in _runs(text)}
    assert theirs or folder.name == "airline-booking", "the sources hold no text: this proves nothing"
    names = {run for name in _names(folder) for run in _runs(name)}
    found = {
        f"{path.name}: {run}"
        for path in filter(_is_shipped, folder.rglob("*"))
        for run in _runs(path.read_text(encoding="utf-8"))
        if run in theirs and run not in names
    }
    assert sorted(found)[:20] == []


def _names(folder: Path) -> Iterator[str]:
    """Values of the data that do not end as a sentence does: standards and features have long names."""
    for path in folder.glob("data/*.csv"):
        with path.open(encoding="utf-8", newline="") as lines:
            for row in csv.reader(lines):
                yield from (cell for cell in row if not cell.rstrip().endswith((".", "!", "?")))


def _texts(fetched: Fetched) -> Iterator[str]:
    """What people wrote in a source: strings of JSON, comments of declarations, pages and other files as they are."""
    path, body = fetched.source.path, fetched.body
    if path.endswith(".json"):
        waiting: list[Any] = [json.loads(body)]
        while waiting:
            one = waiting.pop()
            if isinstance(one, str):
                yield one
            elif isinstance(one, dict):
                waiting.extend(cast("dict[str, Any]", one).values())
            elif isinstance(one, list):
                waiting.extend(cast("list[Any]", one))
    elif path.endswith(".ts"):
        yield from re.findall(r"/\*.*?\*/|//[^\n]*", body.decode("utf-8"), re.DOTALL)
    elif not path.endswith((".csv", ".zip")):
        yield from re.sub(r"<[^>]+>", " ", body.decode("utf-8")).splitlines()


def _runs(text: str) -> Iterator[str]:
    # An address is a fact, however many words are in it.
    for part in re.split(r"https?://[^\s\"'<>]+", text.lower().replace("\\n", " ")):
        words = re.findall(r"\w+", part)
        yield from (" ".join(words[start : start + RUN]) for start in range(len(words) - RUN + 1))

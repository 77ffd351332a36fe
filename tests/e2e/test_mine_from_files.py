"""`envforge mine` from files in an empty folder, all the way to a certificate, and the same again."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
Tree = Callable[[Path], dict[str, bytes]]
FIXTURES = Path(__file__).parents[1] / "fixtures"
MINE = ("mine", "--theme", "lighthouses", "--new", "--source", "file:lighthouses")
FILES = {
    *("environment.json", "schema.sql", "blueprint.json", "tools.py", "tools.json", "sources.jsonl"),
    *("provenance.jsonl", "tests/test_tools.py", "certificate.json", "rejected.jsonl"),
}


def _without_times(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files without the one thing that two runs from live files may differ in: when a source was read."""
    return {path: re.sub(rb'"retrieved_at":"[^"]+"', b"", body) for path, body in files.items()}


@pytest.fixture
def workspace(tmp_path: Path, few_mutants: Callable[[Path], None]) -> Path:
    shutil.copytree(FIXTURES / "lighthouses", tmp_path / "lighthouses")
    few_mutants(tmp_path)
    return tmp_path


def test_files_become_a_certified_environment(lighthouses: Path) -> None:
    report = json.loads((lighthouses / "report.json").read_text(encoding="utf-8"))
    assert (lighthouses / "exit").read_text(encoding="utf-8").startswith("0\n")
    environment = report["environments"][0]
    assert environment["certified"] and environment["grounding"] == "mined"
    assert environment["rows"] == {"inspections": 120, "keepers": 14, "lights": 34, "regions": 3}
    assert len(environment["tools"]) >= 10
    assert all(gate["passed"] for gate in environment["gates"])


def test_the_folder_holds_what_the_formats_promise(lighthouses: Path, tree: Tree) -> None:
    assert [path.name for path in (lighthouses / "environments").iterdir()] == ["lighthouses"]
    files = tree(lighthouses / "environments" / "lighthouses")
    assert files.keys() == FILES | {f"data/{t}.csv" for t in ("inspections", "keepers", "lights", "regions")}


def test_no_place_of_this_machine_gets_into_an_environment(lighthouses: Path, tree: Tree) -> None:
    for path, body in tree(lighthouses / "environments" / "lighthouses").items():
        assert str(FIXTURES).encode() not in body and str(lighthouses).encode() not in body, path


def test_rows_are_those_of_the_files(lighthouses: Path) -> None:
    for table in ("inspections", "keepers", "lights", "regions"):
        mined = (lighthouses / "environments/lighthouses/data" / f"{table}.csv").read_text(encoding="utf-8")
        stated = (FIXTURES / "lighthouses" / f"{table}.csv").read_text(encoding="utf-8")
        assert sorted(mined.splitlines()) == sorted(stated.splitlines())


def test_a_run_keeps_its_journal_sources_and_ledger(lighthouses: Path) -> None:
    run = next((lighthouses / "runs").glob("lighthouses-*"))
    stages = [json.loads(line)["stage"] for line in (run / "journal.jsonl").read_text(encoding="utf-8").splitlines()]
    assert list(dict.fromkeys(stages)) == ["fetch", "extract", "infer", "environment"]
    assert (run / "sources" / "sources.warc.gz").is_file() and (run / "sources" / "index.json").is_file()
    assert (lighthouses / "runs" / "ledger.sqlite").is_file()
    assert not (run / "scratch" / "lighthouses").exists()


@pytest.fixture
def mined(coast: Path, tmp_path: Path) -> Path:
    """A copy of a workspace in which the command has been run."""
    return shutil.copytree(coast, tmp_path / "mined")


@pytest.mark.slow
def test_the_same_command_gives_the_same_bytes(envforge: Run, mined: Path, tree: Tree) -> None:
    said = (mined / "said").read_text(encoding="utf-8")
    assert "certified:" in said and "valid 10" in said
    before = tree(mined / "environments")
    second = envforge(*MINE, "--quiet", cwd=mined)
    assert (second.returncode, second.stdout) == (0, "")
    assert tree(mined / "environments") == before


def test_another_workspace_gives_the_same_environment(coast: Path, lighthouses: Path, tree: Tree) -> None:
    mine, theirs = (_without_times(tree(place / "environments")) for place in (coast, lighthouses))
    for files in (mine, theirs):  # the number of mutants differs
        files.pop("lighthouses/certificate.json")
    assert mine == theirs


@pytest.mark.parametrize(("until", "last"), [("database", "schema.sql"), ("tools", "tools.py")])
def test_stopping_early_leaves_a_draft_and_no_environment(
    envforge: Run, workspace: Path, until: str, last: str
) -> None:
    done = envforge(*MINE, "--until", until, "--json", cwd=workspace)
    assert done.returncode == 0, done.stderr
    environment = json.loads(done.stdout)["environments"][0]
    assert not environment["certified"]
    assert (workspace / environment["path"] / last).is_file()
    assert (workspace / environment["path"] / "tools.py").exists() == (until == "tools")
    assert not (workspace / "environments").exists()


@pytest.mark.slow
def test_what_fails_a_gate_is_not_called_built(envforge: Run, workspace: Path) -> None:
    (workspace / "lighthouses" / "keepers.csv").unlink()
    done = envforge(*MINE, cwd=workspace)
    assert done.returncode == 1
    assert "not certified" in done.stdout and "minimal_validity" in done.stdout and "3 tables" in done.stdout
    assert not (workspace / "environments").exists()
    certificate = next(workspace.glob("runs/*/rejected/lighthouses/certificate.json"))
    assert json.loads(certificate.read_text(encoding="utf-8"))["certified"] is False


@pytest.mark.slow
def test_a_failed_rebuild_leaves_the_old_environment_whole(envforge: Run, mined: Path, tree: Tree) -> None:
    before = tree(mined / "environments")
    lights = mined / "lighthouses" / "lights.csv"
    lights.write_text(lights.read_text(encoding="utf-8") + "L999,Half a row\n", encoding="utf-8")
    assert envforge(*MINE, "--quiet", cwd=mined).returncode == 2
    assert tree(mined / "environments") == before


def test_changed_files_are_read_again(envforge: Run, workspace: Path) -> None:
    def rows() -> dict[str, int]:
        done = envforge(*MINE, "--until", "database", "--json", cwd=workspace)
        return json.loads(done.stdout)["environments"][0]["rows"]

    assert rows()["regions"] == 3
    regions = workspace / "lighthouses" / "regions.csv"
    regions.write_text(regions.read_text(encoding="utf-8") + "WES,Western Isles,Cawdale\n", encoding="utf-8")
    assert rows()["regions"] == 4


@pytest.fixture(scope="session")
def family(ferry: Path) -> dict[str, Path]:
    """The two databases of the ferry, by id."""
    places = [p for p in ferry.glob("runs/*/rejected/ferry*") if p.is_dir()]
    places += [p for p in ferry.glob("environments/ferry*") if p.is_dir()]
    return {place.name: place for place in places}


@pytest.mark.slow
def test_two_databases_of_a_family_are_certified(ferry: Path, family: dict[str, Path]) -> None:
    report = json.loads((ferry / "report.json").read_text(encoding="utf-8"))
    failed = [
        g["gate"] + ": " + "; ".join(g["reasons"][:3])
        for e in report["environments"]
        for g in e["gates"]
        if not g["passed"]
    ]
    assert failed == []
    assert sorted(family) == ["ferry", "ferry--s1"]
    assert sorted(path.name for path in (ferry / "environments").iterdir()) == ["ferry", "ferry--s1"]


@pytest.mark.slow
def test_a_family_shares_tools_and_mined_rows_and_nothing_synthetic(family: dict[str, Path], tree: Tree) -> None:
    one, two = tree(family["ferry"]), tree(family["ferry--s1"])
    for path in ("tools.py", "tools.json", "schema.sql", "data/lines.csv", "data/ports.csv", "data/vessels.csv"):
        assert one[path] == two[path], path
    for path in ("data/bookings.csv", "data/customers.csv", "data/tickets.csv", "data/payments.csv"):
        assert one[path] != two[path], path
    manifests: list[dict[str, Any]] = [json.loads(files["environment.json"]) for files in (one, two)]
    assert manifests[0]["family"] == manifests[1]["family"]
    assert [m["database_seed"] for m in manifests] == [0, 1]


@pytest.mark.slow
def test_the_root_seed_changes_rows_and_not_tools(
    envforge: Run, tmp_path: Path, family: dict[str, Path], tree: Tree
) -> None:
    command = ("mine", "--theme", "ferry", "--new", "--source", f"file:{FIXTURES / 'ferry'}", "--until", "tools")
    done = envforge(*command, "--seed", "7", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    seven, zero = tree(tmp_path / json.loads(done.stdout)["environments"][0]["path"]), tree(family["ferry"])
    for path in ("tools.py", "tools.json", "schema.sql", "data/ports.csv"):
        assert seven[path] == zero[path], path
    assert seven["data/customers.csv"] != zero["data/customers.csv"]

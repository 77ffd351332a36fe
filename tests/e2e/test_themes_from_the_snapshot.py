"""Themes from the snapshot: certified for two databases each, and the same bytes elsewhere.

What ships is mined and its bytes compared by tests/contracts/test_shipped_environments.py; here `make verify` does it.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import OTHER_ORDER

pytestmark = [pytest.mark.snapshot, pytest.mark.slow]

Run = Callable[..., "subprocess.CompletedProcess[str]"]
Tree = Callable[[Path], dict[str, bytes]]
MINED = ("notion", "airline-booking", "github")
WHOLE = tuple(pytest.param(theme, marks=pytest.mark.whole, id=f"{theme}-whole") for theme in MINED)
THEMES = ("github", *WHOLE)
PROMISED = {
    "notion": {"search", "retrieve_page", "create_page", "move_page", "append_block_children", "query_data_source"}
    | {"create_comment"},
    "airline-booking": {"search_flights", "create_booking", "change_flight", "cancel_booking", "check_in"},
    "github": {"list_issues", "list_pulls", "get_issue", "update_issue", "create_issue_comment", "add_label"}
    | {"list_pulls", "merge_pull", "request_review", "list_milestones"},
}


not_shipped = pytest.mark.parametrize("theme", ["github"], indirect=True)
"""What ships is built and checked again by tests/contracts/test_shipped_environments.py."""


@pytest.fixture(params=THEMES)
def theme(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def seeds(request: pytest.FixtureRequest) -> str:
    """One database where a sample is tried, two where all is."""
    return "0-1" if request.node.get_closest_marker("whole") else "0"


@pytest.fixture
def built(theme: str, seeds: str, snapshot: Path, once: Callable[..., Path], envforge: Run) -> Path:
    """A workspace where the theme was mined, shipped thresholds."""

    def make(folder: Path) -> None:
        options = ("--snapshot", str(snapshot), "--database-seeds", seeds, "--json")
        done = envforge("mine", "--theme", theme, *options, cwd=folder, timeout=1800)
        (folder / "report.json").write_text(done.stdout, encoding="utf-8")
        (folder / "exit").write_text(f"{done.returncode}\n{done.stderr}", encoding="utf-8")

    return once(f"snapshot-{theme}-{seeds}", make)


@pytest.fixture
def report(built: Path) -> dict[str, Any]:
    code, _, complaint = (built / "exit").read_text(encoding="utf-8").partition("\n")
    text = (built / "report.json").read_text(encoding="utf-8")
    assert text, f"mine ended with {code}: {complaint}"
    return json.loads(text)


def test_every_database_is_certified(theme: str, seeds: str, built: Path, report: dict[str, Any]) -> None:
    failed = [
        f"{environment['id']} {gate['gate']}: {reason}"
        for environment in report["environments"]
        for gate in environment["gates"]
        if not gate["passed"]
        for reason in gate["reasons"]
    ]
    assert failed == []
    wanted = [theme] if seeds == "0" else [theme, f"{theme}--s1"]
    assert sorted(path.name for path in (built / "environments").iterdir()) == wanted


def test_the_tools_are_those_of_the_trade(theme: str, built: Path, report: dict[str, Any]) -> None:
    tools = set(report["environments"][0]["tools"])
    assert tools >= PROMISED[theme], f"missing: {sorted(PROMISED[theme] - tools)}"
    path = built / report["environments"][0]["path"] / "blueprint.json"
    operations = json.loads(path.read_text(encoding="utf-8"))["blueprint"]["operations"]
    assert 10 <= len(tools) <= 24 or all(one["origin"] == "synthetic" for one in operations)


@pytest.mark.whole
def test_a_family_has_one_set_of_tools_and_two_sets_of_rows(
    theme: str, built: Path, report: dict[str, Any], tree: Tree
) -> None:
    one, two = (tree(Path(built / environment["path"])) for environment in report["environments"])
    assert {p: one[p] for p in ("tools.py", "tools.json", "schema.sql")} == {
        p: two[p] for p in ("tools.py", "tools.json", "schema.sql")
    }
    assert any(one[path] != two[path] for path in one if path.startswith("data/"))


@pytest.mark.whole
@not_shipped
def test_the_same_bytes_in_another_workspace(
    theme: str, built: Path, report: dict[str, Any], snapshot: Path, tmp_path: Path, envforge: Run, tree: Tree
) -> None:
    options = ("--snapshot", str(snapshot), "--database-seeds", "0-1", "--until", "tools", "--json")
    done = envforge("mine", "--theme", theme, *options, cwd=tmp_path, env=OTHER_ORDER, timeout=1800)
    assert done.returncode == 0, done.stderr
    again = json.loads(done.stdout)["environments"]
    for first, second in zip(report["environments"], again, strict=True):
        expected = tree(built / first["path"])
        del expected["certificate.json"]  # gates are run on certified ones only
        assert tree(tmp_path / second["path"]) == expected


@pytest.mark.whole
@not_shipped
def test_check_holds(theme: str, built: Path, report: dict[str, Any], envforge: Run) -> None:
    done = envforge("check", theme, cwd=built, timeout=1200)
    assert done.returncode == 0, done.stdout + done.stderr

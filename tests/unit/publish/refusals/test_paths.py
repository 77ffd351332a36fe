from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from envforge.publish.refusals.case import Case
from envforge.publish.refusals.paths import no_absolute_paths

Changing = Callable[[str, Callable[[dict[str, Any]], None]], Case]


@pytest.fixture
def case(few: Case) -> Case:
    return few


def told(case: Case) -> list[tuple[str, str | None, str]]:
    return [(one.file.rpartition("/")[2], one.row, one.reason) for one in no_absolute_paths(case)]


def test_what_ships_names_none(case: Case) -> None:
    assert told(case) == []


@pytest.mark.parametrize(
    "path", ["file:///srv/x.csv", "/home/ada/harbours/x.csv", "/tmp/x.csv", "C:\\Users\\ada\\x.csv", "/Users/ada/x"]
)
def test_an_absolute_path_in_a_record_is_refused(change: Changing, path: str) -> None:
    spoiled = change("environment.json", lambda held: held["statistics"].update({"source": [f"read {path}"]}))
    ((file, row, reason),) = told(spoiled)
    assert file == "environment.json" and row is not None and row.startswith("line ")
    assert path.replace("\\", "\\\\")[:10] in reason


def test_this_machines_own_folders_are_refused_anywhere(case: Case) -> None:
    own = str(case.environment.parents[1])
    (case.environment / "documents").mkdir()
    (case.environment / "documents" / "guide.md").write_text(f"see\n{own}/runs/first\n", encoding="utf-8")
    ((file, row, reason),) = told(case)
    assert (file, row) == ("guide.md", "line 2") and "this machine" in reason


@pytest.mark.parametrize(
    "text",
    [
        "the file lies in /etc/hosts or /home/user/app",
        "GET /v1/users/{id} and https://harbour.org/home/ada/x",
        "../tmp/x and a/root/b, 3/4, w/o",
    ],
)
def test_documentation_may_speak_of_paths(case: Case, text: str) -> None:
    (case.environment / "documents").mkdir()
    (case.environment / "documents" / "guide.md").write_text(text, encoding="utf-8")
    assert told(case) == []


def test_addresses_in_records_are_no_paths(change: Changing) -> None:
    address = "https://harbour.org/home/ada/tmp/x?file=/usr"
    assert told(change("environment.json", lambda held: held["statistics"].update({"source": [address]}))) == []


def test_an_own_folder_behind_an_escape_is_no_less_told(case: Case) -> None:
    own = str(case.environment.parent)
    (case.environment / "documents").mkdir()
    (case.environment / "documents" / "log.jsonl").write_text(f'{{"said": "see\\n{own}/x"}}\n', encoding="utf-8")
    ((file, row, reason),) = told(case)
    assert (file, row) == ("log.jsonl", "line 1") and "this machine" in reason


def test_the_current_folder_counts(case: Case, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "elsewhere" / "deep").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "elsewhere" / "deep")
    (case.environment / "documents").mkdir()
    (case.environment / "documents" / "guide.md").write_text(f"{Path.cwd()}\n", encoding="utf-8")
    assert [file for file, _, _ in told(case)] == ["guide.md"]

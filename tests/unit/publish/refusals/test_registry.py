from __future__ import annotations

from pathlib import Path

import pytest

from envforge.publish.refusals import refusals_of, refusals_of_file
from envforge.publish.refusals.case import Case

ROOT = Path(__file__).parents[4]


def test_nothing_that_ships_is_refused() -> None:
    names = sorted(path.parent.name for path in ROOT.glob("environments/*/environment.json"))
    found = refusals_of([ROOT / "environments" / n for n in names], [ROOT / "tasks" / n for n in names])
    assert len(names) == 3 and found == ()


def test_a_file_that_cannot_be_read_is_told_with_the_rest(case: Case) -> None:
    (case.environment / "sources.jsonl").write_text("{\n", encoding="utf-8")
    (case.environment / "data" / "browsers.csv").unlink()
    rules = {one.rule: one for one in refusals_of([case.environment], [case.tasks])}
    assert rules["unreadable"].file == "environments/web-browsers/sources.jsonl" and rules["unreadable"].remedy


def test_a_link_is_told(case: Case) -> None:
    (case.environment / "data" / "passwd.csv").symlink_to("/etc/hostname")
    found = refusals_of([case.environment], [None])
    assert {one.rule for one in found} == {"unreadable"} and "symbolic link" in found[0].reason


@pytest.mark.parametrize("name", ["environments/web-browsers/rejected.jsonl", "tasks/web-browsers/measured.jsonl"])
def test_a_link_that_no_hash_answers_for_is_told_too(few: Case, name: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("of no one's business\n", encoding="utf-8")
    path = few.environment.parents[1] / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(tmp_path / "notes.txt")
    tasks = few.environment.parents[1] / "tasks" / "web-browsers"
    found = refusals_of([few.environment], [tasks if tasks.is_dir() else None])
    assert (name, "a symbolic link is not published") in {(one.file, one.reason) for one in found}


def test_each_environment_needs_a_word_on_its_tasks(case: Case) -> None:
    with pytest.raises(ValueError, match="zip"):
        refusals_of([case.environment], [])


def test_what_lies_beside_the_files_is_not_looked_at(case: Case) -> None:
    assert case.tasks is not None
    (case.environment / ".env").write_text("/home/ada/secrets/x\n", encoding="utf-8")
    (case.tasks / "notes.md").write_text("ring +44 20 7946 1234\n", encoding="utf-8")
    assert refusals_of([case.environment], [case.tasks]) == ()


def test_a_file_that_goes_along_is_looked_through(tmp_path: Path) -> None:
    path = tmp_path / "runs" / "first" / "trajectories.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(
        f'{{"said": "fine"}}\n{{"id": "e2", "said": "ring +44 20 7946 1234, see {tmp_path}"}}\n', encoding="utf-8"
    )
    assert [(one.rule, one.row) for one in refusals_of_file(path)] == [
        ("person", "line 2 (e2)"),
        ("absolute-path", "line 2 (e2)"),
    ]
    path.write_text('{"said": "/tmp/x is a path, info@harbour.org nobody"}\n', encoding="utf-8")
    assert refusals_of_file(path) == ()
    path.write_bytes(b"\xff\xfe\x00")
    assert [one.rule for one in refusals_of_file(path)] == ["unreadable"]

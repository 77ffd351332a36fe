from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from envforge.publish.refusals.case import Case
from envforge.publish.refusals.certificates import certificates_fit

Changing = Callable[[str, Callable[[dict[str, Any]], None]], Case]


def reasons(case: Case) -> list[str]:
    return [f"{one.file}|{one.row}|{one.reason}" for one in certificates_fit(case)]


def test_what_was_certified_passes(case: Case) -> None:
    assert reasons(case) == []
    assert reasons(Case(case.environment, None)) == []


@pytest.mark.parametrize("name", ["data/browsers.csv", "tools.py", "sources.jsonl", "tests/test_tools.py"])
def test_one_changed_byte_is_told_with_its_file(case: Case, name: str) -> None:
    path = case.environment / name
    text = path.read_text(encoding="utf-8")
    spoiled = text.replace("CC0-1.0", "CC0-9.9", 1) if name == "sources.jsonl" else text + "\n"
    path.write_text(spoiled, encoding="utf-8")
    found = reasons(case)
    assert any(one.startswith(f"environments/web-browsers/{name}|None|its bytes are not those") for one in found)
    assert any("environment_hash is not the hash" in one for one in found)


def test_missing_and_added_files_are_told(case: Case) -> None:
    (case.environment / "data" / "browsers.csv").unlink()
    (case.environment / "data" / "more.csv").write_text("id\n1\n", encoding="utf-8")
    found = " ".join(reasons(case))
    assert "data/browsers.csv|None|is missing" in found
    assert "data/more.csv|None|environment.json does not name it" in found


def test_an_environment_without_a_certificate_is_refused(case: Case) -> None:
    (case.environment / "certificate.json").unlink()
    assert "no gate has judged" in reasons(Case(case.environment, None))[0]


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("environment_hash", "0" * 64, "another environment hash"),
        ("environment_id", "somebody", "'somebody'"),
        ("certified", False, "not certified"),
        ("gates", [], "no gate has judged it"),
        ("gates", [{"gate": "mutation", "passed": False, "reasons": ["too few die"]}], "gate mutation was not passed"),
        ("more", 1, "field more"),
    ],
)
def test_a_certificate_that_does_not_fit_is_refused(change: Changing, field: str, value: Any, told: str) -> None:
    spoiled = change("certificate.json", lambda held: held.update({field: value}))
    assert any(told in one for one in reasons(spoiled))


def test_a_changed_title_changes_the_hash(change: Changing) -> None:
    spoiled = change("environment.json", lambda held: held.update({"title": "Something else"}))
    assert any("environment_hash is not the hash" in one for one in reasons(spoiled))


def test_statistics_are_outside_the_hash(change: Changing) -> None:
    assert reasons(change("environment.json", lambda held: held["statistics"].update({"note": 1}))) == []


def test_a_changed_task_is_told(case: Case) -> None:
    assert case.tasks is not None
    path = case.tasks / "tasks.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    first = json.loads(lines[0])
    first["environment_hash"] = "1" * 64
    first["certificate"]["gates"][0] = {"gate": "gold_passes", "passed": False}
    path.write_text("\n".join([json.dumps(first), *lines[1:], ""]), encoding="utf-8")
    found = [one for one in certificates_fit(case) if one.file.endswith("tasks.jsonl")]
    assert [one.row for one in found] == [None, first["id"], first["id"]]
    assert "bytes" in found[0].reason and "another environment" in found[1].reason and "gold_passes" in found[2].reason


def test_tasks_of_another_environment_are_refused(case: Case, change: Changing) -> None:
    spoiled = change("environment.json", lambda held: held.update({"environment_hash": "2" * 64}))
    assert any("tasks/web-browsers/certificate.json|None|it is for another" in one for one in reasons(spoiled))

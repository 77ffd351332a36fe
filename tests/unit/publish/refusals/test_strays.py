from __future__ import annotations

from envforge.publish.refusals.case import Case
from envforge.publish.refusals.strays import nothing_astray


def test_files_that_nothing_answers_for_are_refused(case: Case) -> None:
    assert case.tasks is not None
    (case.environment / ".env").write_text("x=1\n", encoding="utf-8")
    (case.environment / "data.bak").mkdir()
    (case.environment / "data.bak" / "x.csv").write_text("id\n", encoding="utf-8")
    (case.tasks / "notes.md").write_text("hard\n", encoding="utf-8")
    assert [one.file for one in nothing_astray(case)] == [
        "environments/web-browsers/.env",
        "environments/web-browsers/data.bak/x.csv",
        "tasks/web-browsers/notes.md",
    ]


def test_caches_and_measured_rates_are_none(case: Case) -> None:
    assert case.tasks is not None
    (case.environment / "tests" / "__pycache__").mkdir()
    (case.environment / "tests" / "__pycache__" / "x.cpython-311.pyc").write_bytes(b"\0")
    (case.tasks / "measured.jsonl").write_text("", encoding="utf-8")
    assert list(nothing_astray(case)) == []

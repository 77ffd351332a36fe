from __future__ import annotations

from collections.abc import Callable

import pytest

from envforge.publish.refusals.case import Case
from envforge.publish.refusals.private import nothing_private

Appending = Callable[[str, str], Case]
DRAWN = "q7Zt4NvX0pLw3KsR9bHe"
KEY = "gh" + "p_q7Zt4NvX0pLw3KsR9bHe6YdMq1Wj8CfT5uGa"


@pytest.fixture
def case(few: Case) -> Case:
    return few


def test_what_ships_holds_none(case: Case) -> None:
    assert list(nothing_private(case)) == []


@pytest.mark.parametrize(
    ("name", "text", "rule", "row"),
    [
        ("data/notes.csv", f"id,text\n1,fine\n2,use {KEY}\n", "secret", "row 2"),
        ("data/accounts.csv", f"id,api_token\n1,{DRAWN}\n", "secret", "row 1"),
        ("data/people.csv", "id,phone\n1,030 2270-9911\n", "person", "row 1"),
        ("data/people.csv", "id,mail\n1,ivo.marsh@harbour.org\n", "person", "row 1"),
        ("documents/guide.md", "# Guide\n\nring +44 20 7946 1234\n", "person", "line 3"),
        ("documents/guide.json", '{"mail": "ivo.marsh\\u0040harbour.org"}', "person", "one of its texts"),
        ("documents/guide.json", '{"note": "Desk\\n2, phone:\\n020 7946 1234"}', "person", "one of its texts"),
        (
            "documents/answers.jsonl",
            f'{{"id": "e1"}}\n{{"id": "e2", "said": "{{\\"api_token\\": \\"{DRAWN}\\"}}"}}\n',
            "secret",
            "line 2 (e2)",
        ),
        ("documents/answers.jsonl", f'["[\\"\\\\u0067{KEY[1:]}\\"]"]\n', "secret", "line 1"),
        ("documents/setup.md", "https://ivo:Hq7_kz92pL@db.harbour.org/x\n", "secret", "line 1"),
    ],
)
def test_it_is_refused_with_file_and_row(append: Appending, name: str, text: str, rule: str, row: str) -> None:
    (found,) = nothing_private(append(name, text))
    assert (found.rule, found.file, found.row) == (rule, f"environments/web-browsers/{name}", row)
    assert found.remedy and not {KEY, DRAWN, "2270-9911", "marsh", "7946", "Hq7_kz"} & set(str(found).split())
    assert all(word not in str(found) for word in (KEY, DRAWN, "2270", "marsh", "7946", "Hq7_kz92pL"))


def test_a_row_of_a_table_is_told_by_its_key(case: Case, append: Appending) -> None:
    columns = (case.environment / "data" / "curators.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
    row = ",".join("999" if name == "curator_id" else "ada.marsh@harbour.org" for name in columns)
    found = list(nothing_private(append("data/curators.csv", row + "\n")))
    assert {one.row for one in found} == {"curator_id=999"}


def test_not_even_a_key_is_told(case: Case, append: Appending) -> None:
    columns = (case.environment / "data" / "curators.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
    found = list(
        nothing_private(append("data/curators.csv", "ada.marsh@harbour.org" + "," * (len(columns) - 1) + "\n"))
    )
    assert [one.row for one in found] == ["curator_id=***"] and "marsh" not in str(found)


def test_what_the_bytes_show_is_not_told_again_of_what_they_say(append: Appending) -> None:
    text = f'{{"id": "e1", "said": "a\\ttoken {KEY}, write to ivo.marsh@harbour.org"}}\n'
    assert [(one.rule, one.row) for one in nothing_private(append("documents/answers.jsonl", text))] == [
        ("secret", "line 1 (e1)"),
        ("person", "line 1 (e1)"),
    ]


def test_examples_and_dates_are_left_alone(append: Appending) -> None:
    text = (
        'Next call: 2026-05-02, "Last call": "2025-11-30T09:00:00Z", write to info@harbour.org or ivo@harbour.example\n'
    )
    assert list(nothing_private(append("documents/guide.md", text))) == []

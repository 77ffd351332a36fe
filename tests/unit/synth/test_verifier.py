"""Generated verifiers judge right, wrong, partial, over-reaching and idle episodes as the host's checks do."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envforge.core.errors import ConfigError
from envforge.core.records.intent import Expectation
from envforge.rollout.checks import evaluate
from envforge.rollout.values import matches
from envforge.synth.checks import checks_of
from envforge.synth.defaults import Defaults
from envforge.synth.oracle import oracle
from envforge.synth.verifier import verifier_of
from envforge.synth.verifier_parts import answered
from envforge.world.engine.contract import SQLError
from envforge.world.engine.guard import DOCUMENTS_TABLE
from envforge.world.environment import Environment
from envforge.world.verification import VerifierProcess

from .everything import ANSWER, EVERYTHING, FREE, RIGHT, TOO_MUCH


def changeset(library: Environment, statements: list[str]) -> bytes:
    """What an episode leaves that runs these statements."""
    engine = library.fresh_engine()
    try:
        for statement in statements:
            engine.begin()
            try:
                engine.execute(statement)
                engine.commit()
            except SQLError:
                engine.rollback()
        return engine.changeset()
    finally:
        engine.close()


@pytest.fixture(scope="module")
def judge(library: Environment) -> Iterator[VerifierProcess]:
    with VerifierProcess(library, verifier_of(library, EVERYTHING)) as process:
        yield process


def failed(library: Environment, judge: VerifierProcess, statements: list[str], answer: Any) -> list[str]:
    """The checks that fail, which are the same for the verifier and on the host."""
    changes = changeset(library, statements)
    checks = checks_of(oracle(library, EVERYTHING), EVERYTHING)
    on_the_host = {result.id: result.passed for result in evaluate(library, checks, changes, answer)}
    verdict = {check["id"]: check["passed"] for check in judge.verdict(changes, answer)}
    assert verdict == on_the_host
    assert list(verdict) == [check.id for check in checks]
    return [name for name, passed in verdict.items() if not passed]


def test_the_right_episode_passes(library: Environment, judge: VerifierProcess) -> None:
    assert failed(library, judge, RIGHT, ANSWER) == []
    assert failed(library, judge, [*RIGHT, *FREE], ANSWER) == []


def test_doing_nothing_fails_whatever_was_asked(library: Environment, judge: VerifierProcess) -> None:
    idle = failed(library, judge, [], None)
    assert idle == [check.id for check in checks_of(oracle(library, EVERYTHING), EVERYTHING) if check.weight]


@pytest.mark.parametrize("left_out", range(len(RIGHT)))
def test_leaving_something_out_fails(library: Environment, judge: VerifierProcess, left_out: int) -> None:
    partial = failed(library, judge, RIGHT[:left_out] + RIGHT[left_out + 1 :], ANSWER)
    kinds = ["update-loans", "insert-members", "insert-members", "insert-members", "delete-members", "update-books"]
    assert partial
    assert all(name.startswith(kinds[left_out]) for name in partial)


@pytest.mark.parametrize("statement", TOO_MUCH.values(), ids=TOO_MUCH.keys())
def test_doing_more_fails(library: Environment, judge: VerifierProcess, statement: str) -> None:
    expected = ["insert-members-1"] if "Ida Roe" in statement else ["unchanged"]
    assert failed(library, judge, [*RIGHT, statement], ANSWER) == expected


def test_a_document_that_nobody_asked_for_fails(library: Environment, judge: VerifierProcess) -> None:
    with library.start() as session:
        assert session.call("post_notice", {"name": "party", "text": "Tonight"}).ok
        changes = session.changeset()
    checks = judge.verdict(changes, None)
    assert checks[-1] == {"id": "unchanged", "passed": False, "detail": "document"}
    assert not evaluate(library, checks_of(oracle(library, EVERYTHING), EVERYTHING), changes, None)[-1].passed


PAPERS = EVERYTHING.model_copy(
    update={
        "expect": (
            Expectation(
                table=DOCUMENTS_TABLE,
                change="insert",
                rows="SELECT 'notices/party.md' AS path, 'Tonight, at eight!' AS text",
                normalised=("text",),
            ),
            Expectation(table=DOCUMENTS_TABLE, change="delete", rows="SELECT 'rules.md' AS path"),
            Expectation(
                table=DOCUMENTS_TABLE, change="update", rows="SELECT 'notices/closing.md' AS path, 'Open.' AS text"
            ),
        ),
        "allow": (),
        "answer": {},
    }
)
PUT = "INSERT INTO envforge_documents VALUES ('notices/party.md', 'tonight at EIGHT')"
REMOVE = "DELETE FROM envforge_documents WHERE path = 'rules.md'"
CHANGE = "UPDATE envforge_documents SET text = 'Open.' WHERE path = 'notices/closing.md'"
PAPER_EPISODES: dict[str, tuple[list[str], list[str]]] = {
    "right": ([PUT, REMOVE, CHANGE], []),
    "idle": ([], ["document-1", "document-2", "document-3"]),
    "not removed": ([PUT, CHANGE], ["document-2"]),
    "another text": ([PUT, REMOVE, CHANGE.replace("Open.", "open")], ["document-3"]),
    "one too many": ([PUT, REMOVE, CHANGE, PUT.replace("party", "more")], ["unchanged"]),
    "a row, too": ([PUT, REMOVE, CHANGE, "DELETE FROM members WHERE active = 0"], ["unchanged"]),
}


@pytest.mark.parametrize(("statements", "expected"), PAPER_EPISODES.values(), ids=PAPER_EPISODES.keys())
def test_documents(library: Environment, statements: list[str], expected: list[str]) -> None:
    engine = library.fresh_engine()
    engine.begin()
    for one in statements:
        engine.own(one)
    engine.commit()
    checks = checks_of(oracle(library, PAPERS), PAPERS)
    on_the_host = [result.id for result in evaluate(library, checks, engine.changeset(), {}) if not result.passed]
    with VerifierProcess(library, verifier_of(library, PAPERS)) as process:
        verdict = process.verdict(engine.changeset(), {})
    assert [check["id"] for check in verdict if not check["passed"]] == on_the_host == expected
    assert [check["id"] for check in verdict] == [check.id for check in checks]


def nested(levels: int) -> list[Any]:
    return [nested(levels - 1)] if levels else []


ODD: dict[str, Any] = {
    "nothing": None,
    "text": "done",
    "a number": 7,
    "true": True,
    "a list": [ANSWER],
    "no fields": {},
    "a field too many": {**ANSWER, "more": 1},
    "a field too few": {name: value for name, value in ANSWER.items() if name != "nobody"},
    "not a number": {**ANSWER, "fine": math.nan},
    "endless": {**ANSWER, "fine": math.inf},
    "huge": {**ANSWER, "count": 10**5000},
    "deep": {**ANSWER, "ids": nested(70)},
    "half a character": {**ANSWER, "title": "\ud800"},
}


@pytest.mark.parametrize("answer", ODD.values(), ids=ODD.keys())
def test_no_odd_answer_passes_or_breaks_the_verifier(library: Environment, judge: VerifierProcess, answer: Any) -> None:
    names = [f"answer-{name}" for name in EVERYTHING.answer]
    assert failed(library, judge, RIGHT, answer) == names


WRONG: dict[str, list[Any]] = {
    "count": [8, "7", True, None, 7.5, [7], 2**62],
    "fine": [1.7, "1.5", None],
    "late": [1, "true", False, None],
    "title": ["counting river", "", None, 3],
    "nobody": [0, "", False],
    "books": [
        [],
        ANSWER["books"][:2],
        [*ANSWER["books"][:2], ANSWER["books"][0]],
        [{**one, "x": 1} for one in ANSWER["books"]],
    ],
    "ids": [[101, 102, 103], [103, 102], [103, 102, 101, 101], ["103", "102", "101"], 103],
}


@pytest.mark.parametrize("field", WRONG)
def test_a_wrong_value_fails_its_field_only(library: Environment, judge: VerifierProcess, field: str) -> None:
    for value in WRONG[field]:
        assert failed(library, judge, RIGHT, {**ANSWER, field: value}) == [f"answer-{field}"], value


statement = st.sampled_from(
    [
        *RIGHT,
        *FREE,
        *TOO_MUCH.values(),
        "UPDATE loans SET fine = 0.30000000001",
        "UPDATE loans SET fine = 0.31, book_id = 104",
        "UPDATE books SET title = 'Night Trains!' WHERE id = 105",
        "DELETE FROM members WHERE id = 'M-0002'",
        "DELETE FROM books WHERE id = 105",
        "UPDATE members SET name = name || ' ' WHERE id LIKE 'M-0%'",
        "UPDATE members SET active = 1",
        "INSERT INTO members VALUES ('M-9WRD', 'Sven Lindqvist', NULL, 'adult', 1)",
    ]
)
value = (
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.sampled_from([0.5, 1.0, 1.05, "a", "A b", "a  b.", "!", "?", ""])
)
item = value | st.dictionaries(st.sampled_from("ab"), value, max_size=2)
anything = item | st.lists(item, max_size=4)


@settings(max_examples=60)
@given(st.lists(statement, max_size=8), st.sampled_from([ANSWER, None]))
def test_verifier_and_checks_agree_on_any_episode(
    library: Environment, judge: VerifierProcess, statements: list[str], answer: Any
) -> None:
    failed(library, judge, statements, answer)


@settings(max_examples=400)
@given(
    st.sampled_from(["exact", "number", "normalised_text", "set", "ordered"]),
    st.lists(value, min_size=1, max_size=4) | st.lists(item, min_size=1, max_size=4),
    anything,
    st.sampled_from([0.0, 0.1, 1.0]),
    st.booleans(),
)
def test_verifier_and_checks_agree_on_any_value(
    match: Any, wanted: Any, given: Any, tolerance: float, alike: bool
) -> None:
    if match not in ("set", "ordered"):
        wanted = next((one for one in wanted if not isinstance(one, dict)), "a")
    if alike:
        given = wanted[::-1] if match in ("set", "ordered") else wanted
    assert answered(given, wanted, match, tolerance) == matches(match, wanted, given, tolerance)


def test_a_set_of_near_numbers_is_paired_as_it_can_be() -> None:
    assert answered([1.05, 0.95], [1.0, 1.1], "set", 0.1)
    assert answered([1.0, 1.1, 0.9], [1.1, 1.0, 1.2], "set", 0.2)
    assert not answered([1.0, 1.0], [1.0, 1.3], "set", 0.2)


def test_it_is_readable_and_the_same_every_time(library: Environment) -> None:
    source = verifier_of(library, EVERYTHING)
    assert source == verifier_of(library, EVERYTHING)
    assert max(map(len, source.splitlines())) < 160
    assert "noqa" not in source
    compile(source, "verifier.py", "exec")


NEW_BOOK = EVERYTHING.model_copy(
    update={
        "expect": (
            Expectation(
                table="books",
                change="insert",
                rows="SELECT 'Tides' AS title, 1 AS copies",
                unnamed={"note": None, "published": None, "copies": 9},
                fresh=("author", "title"),
            ),
        ),
        "allow": (),
        "answer": {},
    }
)
BOOK_EPISODES: dict[str, tuple[list[str], list[str]]] = {
    "right": (["(900, 'Tides', 'A. New', NULL, 1, NULL)"], []),
    "something in a column that nobody named": (
        ["(900, 'Tides', 'A. New', 1999, 1, NULL)"],
        ["insert-books-1", "unchanged"],
    ),
    "what only unnamed columns would have": (
        ["(900, 'Tides', 'A. New', NULL, 9, NULL)"],
        ["insert-books-1", "unchanged"],
    ),
    "what was there before": (
        ["(900, 'Tides', 'Nora Whitfield', NULL, 1, NULL)"],
        ["insert-books-1", "unchanged"],
    ),
    "what another new row has": (
        ["(900, 'Tides', 'A. New', NULL, 1, NULL)", "(901, 'Ebbs', 'A. New', NULL, 1, NULL)"],
        ["insert-books-1", "unchanged"],
    ),
}


@pytest.mark.parametrize(("rows", "expected"), BOOK_EPISODES.values(), ids=BOOK_EPISODES.keys())
def test_columns_of_new_rows_that_nobody_named(library: Environment, rows: list[str], expected: list[str]) -> None:
    changes = changeset(library, [f"INSERT INTO books VALUES {row}" for row in rows])
    checks = checks_of(oracle(library, NEW_BOOK), NEW_BOOK)
    assert checks[0].expect == {"title": "Tides", "copies": 1, "note": None, "published": None}
    assert checks[0].fresh == ("author",)
    on_the_host = [result.id for result in evaluate(library, checks, changes, None) if not result.passed]
    with VerifierProcess(library, verifier_of(library, NEW_BOOK)) as process:
        said = [check["id"] for check in process.verdict(changes, None) if not check["passed"]]
    assert said == on_the_host == expected


@pytest.mark.parametrize(("note", "expected"), [("'Wet'", []), ("NULL", ["insert-books-1", "unchanged"])])
def test_nothing_is_not_new(library: Environment, note: str, expected: list[str]) -> None:
    part = NEW_BOOK.expect[0].model_copy(
        update={"unnamed": {"author": "A. New", "published": None}, "fresh": ("note",)}
    )
    intent = NEW_BOOK.model_copy(update={"expect": (part,)})
    changes = changeset(library, [f"INSERT INTO books VALUES (900, 'Tides', 'A. New', NULL, 1, {note})"])
    checks = checks_of(oracle(library, intent), intent)
    on_the_host = [result.id for result in evaluate(library, checks, changes, None) if not result.passed]
    with VerifierProcess(library, verifier_of(library, intent)) as process:
        said = [check["id"] for check in process.verdict(changes, None) if not check["passed"]]
    assert said == on_the_host == expected


NEW_LOAN = EVERYTHING.model_copy(
    update={
        "expect": (
            Expectation(
                table="members", change="insert", rows="SELECT 'Ann Lee' AS name, 'adult' AS level, 1 AS active"
            ),
            Expectation(
                table="loans",
                change="insert",
                rows="SELECT 103 AS book_id",
                unnamed={"member_id": None, "returned_at": None, "fine": None},
                free=("due_on",),
                of_new={"member_id": "members"},
            ),
        ),
        "allow": (),
        "answer": {},
    }
)
_JOINED = "INSERT INTO members VALUES ('m-new', 'Ann Lee', NULL, 'adult', 1)"
LOAN_EPISODES: dict[str, tuple[list[str], list[str]]] = {
    "right": ([_JOINED, "INSERT INTO loans VALUES ('l-1', 'm-new', 103, '2024', '2025', NULL, NULL)"], []),
    "lent to somebody who was there": (
        [
            _JOINED,
            "INSERT INTO loans SELECT 'l-1', min(id), 103, '2024', '2025', NULL, NULL FROM members WHERE id <> 'm-new'",
        ],
        ["insert-loans-1", "unchanged"],
    ),
}


@pytest.mark.parametrize(("statements", "expected"), LOAN_EPISODES.values(), ids=LOAN_EPISODES.keys())
def test_new_rows_refer_to_new_rows(library: Environment, statements: list[str], expected: list[str]) -> None:
    """The goal's SQL can't know the key of a member who has yet to join."""
    intent = NEW_LOAN.model_copy(
        update={"expect": tuple(Defaults(part.unnamed).fill(part) if part.of_new else part for part in NEW_LOAN.expect)}
    )
    changes = changeset(library, statements)
    checks = checks_of(oracle(library, intent), intent)
    assert (checks[1].expect, checks[1].of_new) == (
        {"book_id": 103, "returned_at": None, "fine": None},
        {"member_id": "members"},
    )
    on_the_host = [result.id for result in evaluate(library, checks, changes, None) if not result.passed]
    with VerifierProcess(library, verifier_of(library, intent)) as process:
        said = [check["id"] for check in process.verdict(changes, None) if not check["passed"]]
    assert said == on_the_host == expected


@pytest.mark.parametrize(
    ("of_new", "message"),
    [({"member": "members"}, "has no column"), ({"member_id": "people"}, "there is no table")],
)
def test_what_is_new_must_be_there(library: Environment, of_new: dict[str, str], message: str) -> None:
    part = NEW_LOAN.expect[1].model_copy(update={"of_new": of_new, "unnamed": {}})
    with pytest.raises(ConfigError, match=message):
        oracle(library, NEW_LOAN.model_copy(update={"expect": (part,)}))


def test_only_new_rows_refer_to_new_rows(library: Environment) -> None:
    part = NEW_LOAN.expect[1].model_copy(
        update={"change": "update", "rows": "SELECT loan_id, 103 AS book_id FROM loans LIMIT 1", "unnamed": {}}
    )
    with pytest.raises(ConfigError, match="of_new says nothing of rows to update"):
        oracle(library, NEW_LOAN.model_copy(update={"expect": (part,)}))

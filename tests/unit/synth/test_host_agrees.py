"""Two judges of one goal, written apart: the host's checks and the generated verifier agree, whatever happened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from envforge.core.records.intent import Allowance, AnswerField, Expectation, Intent
from envforge.rollout.checks import evaluate
from envforge.synth.checks import checks_of
from envforge.synth.oracle import oracle
from envforge.synth.verifier import verifier_of
from envforge.world.engine.contract import SQLError
from envforge.world.engine.guard import DOCUMENTS_TABLE
from envforge.world.environment import Environment
from envforge.world.verification import VerifierProcess

from .conftest import LIBRARY

INTENT = Intent(
    family="everything",
    kind="batch",
    source="grammar",
    parameters={"member": "M-HHJ5"},
    said={},
    spoken={},
    banks=(),
    candidates=2,
    chosen=2,
    expect=(
        Expectation(
            table="loans",
            change="update",
            rows="SELECT id, 1.6 AS fine, '2024-03-01' AS due_on FROM loans WHERE member_id = 'M-7TQ2'",
            free=("returned_at",),
        ),
        Expectation(
            table="books",
            change="update",
            rows="SELECT id, CASE id WHEN 103 THEN note ELSE 'Ask Ruth, first.' END AS note FROM books WHERE id > 102 "
            "AND id < 106",
            free=("copies",),
            normalised=("note",),
        ),
        Expectation(
            table="loans",
            change="insert",
            rows="SELECT :member AS member_id, 107 AS book_id, NULL AS fine UNION ALL SELECT :member, 107, NULL",
        ),
        Expectation(table="members", change="delete", rows="SELECT id FROM members WHERE active = 0"),
    ),
    allow=(
        Allowance(table="members", changes=("update",), column="id", values="SELECT :member", columns=("email",)),
        Allowance(table="members", changes=("update", "delete"), column="level", values="SELECT 'junior'"),
        Allowance(table="loans", changes=("insert",), column="book_id", values="SELECT 101 UNION SELECT 103"),
    ),
    answer={
        "titles": AnswerField(
            sql="SELECT title FROM books WHERE id < 104", match="set", json_type="array", description="titles"
        ),
        "fines": AnswerField(
            sql="SELECT 1.0 UNION ALL SELECT 1.01",
            match="set",
            tolerance=0.01,
            json_type="array",
            item_type="number",
            description="fines",
        ),
        "list": AnswerField(
            sql="SELECT title, copies FROM books WHERE id < 103 ORDER BY id",
            match="ordered",
            json_type="array",
            item_type="object",
            fields=("name", "n"),
            description="books in order",
        ),
        "sum": AnswerField(sql="SELECT 12.34", match="number", tolerance=0.01, json_type="number", description="sum"),
        "count": AnswerField(sql="SELECT 3", json_type="integer", description="count"),
        "open": AnswerField(sql="SELECT 1", json_type="boolean", description="open"),
        "none": AnswerField(sql="SELECT NULL", optional=True, description="nothing"),
        "note": AnswerField(sql="SELECT 'Back - soon!'", match="normalised_text", description="note"),
    },
)
DONE = (
    "UPDATE loans SET fine = 1.6, due_on = '2024-03-01' WHERE member_id = 'M-7TQ2'",
    "UPDATE loans SET returned_at = '2024-03-01T09:00:00Z' WHERE member_id = 'M-7TQ2'",
    "UPDATE books SET note = 'ask ruth first' WHERE id IN (104, 105)",
    "INSERT INTO loans VALUES ('n1', 'M-HHJ5', 107, 'x', 'y', NULL, NULL), ('n2', 'M-HHJ5', 107, 'x', 'y', 'z', NULL)",
    "DELETE FROM members WHERE id = 'M-9WRD'",
)
OTHER = (
    "UPDATE loans SET fine = 1.6000000001 WHERE id LIKE '1b%'",
    "UPDATE loans SET fine = 1.7 WHERE id LIKE '6c%'",
    "UPDATE loans SET book_id = 101 WHERE id LIKE '6c%'",
    "DELETE FROM loans WHERE id LIKE '1b%'",
    "DELETE FROM loans WHERE id LIKE '4a%'",
    "UPDATE books SET copies = copies + 1 WHERE id = 103",
    "UPDATE books SET copies = copies + 1 WHERE id = 105",
    "UPDATE books SET copies = copies + 1 WHERE id = 108",
    "UPDATE books SET note = 'something else' WHERE id = 103",
    "UPDATE books SET title = 'Night Boats' WHERE id = 105",
    "INSERT INTO loans VALUES ('n3', 'M-HHJ5', 107, 'x', 'y', NULL, NULL)",
    "INSERT INTO loans VALUES ('n4', 'M-HHJ5', 107, 'x', 'y', NULL, 0.5)",
    "INSERT INTO loans VALUES ('n5', 'M-4KQ7', 103, 'x', 'y', NULL, 0.5)",
    "UPDATE loans SET fine = 1e999 WHERE id LIKE '5b%'",
    "UPDATE members SET email = 'a' WHERE id = 'M-HHJ5'",
    "UPDATE members SET email = 'a', active = 0 WHERE id = 'M-HHJ5'",
    "UPDATE members SET level = 'adult' WHERE id = 'M-B3XE'",
    "UPDATE members SET name = 'Mei T.' WHERE id = 'M-B3XE'",
    "UPDATE members SET active = 1 WHERE id = 'M-9WRD'",
    "DELETE FROM loans WHERE member_id = 'M-B3XE'",
    "DELETE FROM members WHERE id = 'M-B3XE'",
    "INSERT INTO members VALUES ('M-NEW1', 'New', NULL, 'adult', 1)",
    f"INSERT INTO {DOCUMENTS_TABLE} VALUES ('a.md', 'a')",
    f"UPDATE {DOCUMENTS_TABLE} SET text = 'b' WHERE path = 'rules.md'",
)
TITLES = ["Counting Rivers", "The Lighthouse Keeper's Atlas", "Bread, Salt and Iron"]
BOOKS = [{"name": TITLES[1], "n": 2}, {"name": TITLES[2], "n": 1}]
ANSWER: dict[str, Any] = {
    "titles": TITLES,
    "fines": [1.01, 1.0],
    "list": BOOKS,
    "sum": 12.34,
    "count": 3,
    "open": True,
    "none": None,
    "note": "back SOON",
}
NEAR: dict[str, list[Any]] = {
    "titles": [TITLES[:2], [*TITLES, TITLES[0]], [TITLES[0], *TITLES[:2]], TITLES[::-1], "all", [TITLES]],
    "fines": [[1.0, 1.02], [1.02, 1.0], [1, 1], [1.005, 1.005], [True, 1.01], ["1.0", "1.01"], [1.0], [1.03, 1.0]],
    "list": [BOOKS[::-1], [{**BOOKS[0], "n": 2.0}, BOOKS[1]], [{**BOOKS[0], "x": 1}, BOOKS[1]], [[], {}], BOOKS[0]],
    "sum": [12.35, 12.33, 12.351, 12.36, 12, "12.34", True, None, float("inf"), 10**18],
    "count": [3.0, 3.0000000001, 3.1, "3", True, [3], 10**400, float("nan")],
    "open": [1, False, "true", None],
    "none": ["", 0, False, [], "null"],
    "note": ["Back - soon!", "soon back", "Ｂａｃｋ soon", "", None, 7],
}


def _field(name: str) -> st.SearchStrategy[Any]:
    return st.just(ANSWER[name]) | st.sampled_from(NEAR[name])


ANSWERS = st.one_of(
    st.just(ANSWER),
    st.fixed_dictionaries({name: _field(name) for name in ANSWER}),
    st.dictionaries(st.sampled_from([*ANSWER, "more"]), st.integers() | st.text(max_size=3)),
    st.none() | st.lists(st.integers(), max_size=2) | st.text(max_size=3),
)
DEEDS = st.tuples(
    st.just(DONE) | st.lists(st.sampled_from(DONE), unique=True, max_size=5),
    st.just(()) | st.lists(st.sampled_from(OTHER), unique=True, max_size=5),
)


class Judges:
    """The goal's checks and its verifier, in a process that is kept."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._checks = checks_of(oracle(environment, INTENT), INTENT)
        self.verifier = VerifierProcess(environment, verifier_of(environment, INTENT))

    def say(self, statements: Sequence[str], answer: Any) -> tuple[dict[str, bool], dict[str, bool]]:
        """What each says of every check."""
        changeset = left_by(self._environment, statements)
        results = evaluate(self._environment, self._checks, changeset, answer)
        told = self.verifier.verdict(changeset, answer)
        return {one.id: one.passed for one in results}, {one["id"]: one["passed"] for one in told}


@pytest.fixture(scope="module")
def judges() -> Iterator[Judges]:
    opened = Judges(Environment.open(LIBRARY))
    yield opened
    opened.verifier.close()


def left_by(environment: Environment, statements: Sequence[str]) -> bytes:
    """The changeset that the statements leave; one that breaks the schema is as if never made."""
    engine = environment.fresh_engine()
    for statement in statements:
        engine.begin()
        try:
            engine.own(statement)
            engine.commit()
        except SQLError:
            engine.rollback()
    changeset = engine.changeset()
    engine.close()
    return changeset


def test_the_goal_reached_passes_with_both(judges: Judges) -> None:
    host, script = judges.say(DONE, ANSWER)
    assert host == script and all(host.values()), host
    host, script = judges.say([], None)
    assert host == script and [name for name, passed in host.items() if passed] == ["unchanged"]


@pytest.mark.parametrize("statement", OTHER)
def test_each_other_deed_is_judged_alike(judges: Judges, statement: str) -> None:
    for deeds in ([statement], [*DONE, statement], [statement, *DONE]):
        host, script = judges.say(deeds, ANSWER)
        assert host == script


@pytest.mark.parametrize(("name", "number"), [(name, at) for name, near in NEAR.items() for at in range(len(near))])
def test_each_other_answer_is_judged_alike(judges: Judges, name: str, number: int) -> None:
    host, script = judges.say(DONE, {**ANSWER, name: NEAR[name][number]})
    assert host == script


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(DEEDS, ANSWERS)
def test_anything_is_judged_alike(judges: Judges, deeds: tuple[list[str], list[str]], answer: Any) -> None:
    host, script = judges.say([*deeds[0], *deeds[1]], answer)
    assert host == script

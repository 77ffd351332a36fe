"""Each kind of check over changesets that are right, wrong, too small and too large."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from envforge.core.errors import SandboxError, StoreError
from envforge.core.records.task import Check, FreeChange
from envforge.rollout.checks import evaluate
from envforge.world.engine.guard import DOCUMENTS_TABLE
from envforge.world.environment import Environment

from .conftest import CHECKS, LATE, LIBRARY

RUTH = "INSERT INTO loans VALUES ('n1', 'M-HHJ5', 105, '2024-03-01T09:01:00Z', '2024-03-22', NULL, NULL)"
FINE = f"UPDATE loans SET returned_at = '2024-03-01T09:00:00Z', fine = 1.6 WHERE id = '{LATE}'"
RIGHT = {"fine": 1.6, "due_on": "2024-03-22"}
ALL = {check.id for check in CHECKS}


def changed(environment: Environment, *statements: str) -> bytes:
    """The changeset that these statements leave."""
    engine = environment.fresh_engine()
    try:
        engine.begin()
        for statement in statements:
            engine.own(statement)
        engine.commit()
        return engine.changeset()
    finally:
        engine.close()


def failed(environment: Environment, checks: tuple[Check, ...], *statements: str, answer: Any = None) -> set[str]:
    return {
        one.id for one in evaluate(environment, checks, changed(environment, *statements), answer) if not one.passed
    }


def test_right_wrong_partial_and_over_reaching_episodes(library: Environment) -> None:
    assert failed(library, CHECKS, FINE, RUTH, answer=RIGHT) == set()
    assert failed(library, CHECKS, answer=None) == ALL - {"else"}
    assert failed(library, CHECKS, FINE, answer=RIGHT) == {"new-loan"}
    assert failed(library, CHECKS, FINE.replace("1.6", "1.4"), RUTH, answer=RIGHT) == {"loan"}
    assert failed(library, CHECKS, FINE, RUTH, RUTH.replace("n1", "n2"), answer=RIGHT) == {"new-loan"}
    assert failed(library, CHECKS, FINE, RUTH, "UPDATE books SET copies = 2 WHERE id = 105", answer=RIGHT) == {"else"}
    assert failed(library, CHECKS, FINE, RUTH, "DELETE FROM members WHERE id = 'M-9WRD'", answer=RIGHT) == {"else"}


def test_right_values_in_the_wrong_row(library: Environment) -> None:
    wrong = FINE.replace(LATE, "6cad5088-3e79-4fb4-98a5-9f2cbe6e6007")
    assert failed(library, CHECKS, wrong, RUTH, answer=RIGHT) == {"loan", "else"}


def test_do_and_undo_leaves_no_difference(library: Environment) -> None:
    away, back = "UPDATE books SET copies = 9 WHERE id = 105", "UPDATE books SET copies = 1 WHERE id = 105"
    assert failed(library, CHECKS, FINE, RUTH, away, back, answer=RIGHT) == set()


def test_columns_of_a_changed_row(library: Environment) -> None:
    moved = f"UPDATE loans SET due_on = '2025-01-01' WHERE id = '{LATE}'"
    assert failed(library, CHECKS, FINE, RUTH, moved, answer=RIGHT) == {"else"}


EMAIL = FreeChange(table="members", changes=("update",), column="id", values=("M-7TQ2",), columns=("email",))
ROW = EMAIL.model_copy(update={"columns": ()})
ANY = ROW.model_copy(update={"column": "", "values": ()})
JUNIORS = ROW.model_copy(update={"column": "level", "values": ("junior",)})
FREE: dict[str, tuple[FreeChange, str, bool]] = {
    "the free column": (EMAIL, "email = 'x'", True),
    "another column": (EMAIL, "active = 0", False),
    "any column": (ROW, "active = 0", True),
    "another row": (ROW.model_copy(update={"values": ("M-9WRD",)}), "active = 0", False),
    "any row": (ANY, "active = 0", True),
    "into the free rows only": (JUNIORS, "level = 'junior'", False),
    "within the free rows": (JUNIORS.model_copy(update={"values": ("junior", "adult")}), "level = 'junior'", True),
    "the row with the key": (ANY.model_copy(update={"keys": (("M-7TQ2",),)}), "active = 0", True),
    "a row with another key": (ANY.model_copy(update={"keys": (("M-9WRD",),)}), "active = 0", False),
    "key and column": (JUNIORS.model_copy(update={"keys": (("M-7TQ2",),)}), "active = 0", False),
    "no updates": (ANY.model_copy(update={"changes": ("insert", "delete")}), "active = 0", False),
    "another table": (ANY.model_copy(update={"table": "books"}), "active = 0", False),
}


@pytest.mark.parametrize(("free", "what", "passes"), FREE.values(), ids=FREE.keys())
def test_free_updates(library: Environment, free: FreeChange, what: str, passes: bool) -> None:
    check = Check(id="else", kind="unchanged", weight=0, free=(free,))
    statement = f"UPDATE members SET {what} WHERE id = 'M-7TQ2'"
    assert failed(library, (check,), statement) == (set() if passes else {"else"})


def test_free_columns_of_two_entries_add_up(library: Environment) -> None:
    free = [FreeChange(table="members", changes=("update",), columns=(name,)) for name in ("email", "active")]
    both = "UPDATE members SET email = 'x', active = 0 WHERE id = 'M-7TQ2'"
    assert failed(library, (Check(id="else", kind="unchanged", free=tuple(free)),), both) == set()
    assert failed(library, (Check(id="else", kind="unchanged", free=(free[0],)),), both) == {"else"}


@pytest.mark.parametrize(("changes", "passes"), [(("insert",), True), (("delete",), False)], ids=["insert", "delete"])
def test_free_inserts(library: Environment, changes: tuple[Any, ...], passes: bool) -> None:
    free = FreeChange(table="loans", changes=changes, column="member_id", values=("M-HHJ5",))
    check = Check(id="else", kind="unchanged", free=(free,))
    assert failed(library, (check,), RUTH) == (set() if passes else {"else"})


def test_free_deletes(library: Environment) -> None:
    free = FreeChange(table="members", changes=("delete",), column="active", values=(0,))
    gone = "DELETE FROM members WHERE id = 'M-9WRD'"
    assert failed(library, (Check(id="else", kind="unchanged", free=(free,)),), gone) == set()
    other = free.model_copy(update={"values": (1,)})
    assert failed(library, (Check(id="else", kind="unchanged", free=(other,)),), gone) == {"else"}


def test_absent_rows(library: Environment) -> None:
    checks = (Check(id="gone", kind="absent", table="members", where={"id": "M-9WRD"}), Check(id="e", kind="unchanged"))
    assert failed(library, checks, "DELETE FROM members WHERE id = 'M-9WRD'") == set()
    assert failed(library, checks) == {"gone"}
    assert failed(library, checks, "UPDATE members SET active = 1 WHERE id = 'M-9WRD'") == {"gone", "e"}


def test_new_rows_are_counted(library: Environment) -> None:
    two = Check(id="two", kind="row", table="loans", inserted=True, expect={"member_id": "M-HHJ5"}, count=2)
    checks = (two, Check(id="e", kind="unchanged"))
    second = RUTH.replace("n1", "n2").replace("105", "107")
    assert failed(library, checks, RUTH, second) == set()
    assert failed(library, checks, RUTH) == {"two"}
    assert failed(library, checks, RUTH, second, second.replace("n2", "n3").replace("M-HHJ5", "M-4KQ7")) == {"e"}


def test_a_table_that_is_counted_may_gain_and_lose_rows(library: Environment) -> None:
    checks = (Check(id="more", kind="count", table="loans", expect=1), Check(id="e", kind="unchanged"))
    assert failed(library, checks, RUTH) == set()
    assert failed(library, checks) == {"more"}
    assert failed(library, checks, RUTH, f"DELETE FROM loans WHERE id = '{LATE}'") == {"more"}
    assert failed(library, checks, RUTH, FINE) == {"e"}


def test_rows_that_did_not_change_are_looked_up(library: Environment) -> None:
    there = Check(id="there", kind="row", table="members", where={"id": "M-9WRD"}, expect={"active": 0})
    assert failed(library, (there,)) == set()
    assert failed(library, (there,), "DELETE FROM members WHERE id = 'M-9WRD'") == {"there"}
    nobody = there.model_copy(update={"where": {"id": "M-0000"}})
    assert failed(library, (nobody,)) == {"there"}


def test_normalised_columns(library: Environment) -> None:
    check = Check(
        id="note",
        kind="row",
        table="books",
        where={"id": 101},
        expect={"note": "Ask Ruth first."},
        normalised=("note",),
    )
    assert failed(library, (check,), "UPDATE books SET note = ' ask RUTH, first' WHERE id = 101") == set()
    strict = check.model_copy(update={"normalised": ()})
    assert failed(library, (strict,), "UPDATE books SET note = ' ask RUTH, first' WHERE id = 101") == {"note"}


def test_documents(library: Environment) -> None:
    write = f"INSERT INTO {DOCUMENTS_TABLE} VALUES ('notices/a.md', 'Closed  on Monday.')"
    check = Check(id="a", kind="document", path="notices/a.md", expect="Closed  on Monday.")
    rest = Check(id="e", kind="unchanged")
    assert failed(library, (check, rest), write) == set()
    assert failed(library, (check, rest)) == {"a"}
    assert failed(library, (rest,), write) == {"e"}
    loose = check.model_copy(update={"expect": "closed on monday", "match": "normalised_text"})
    assert failed(library, (loose, rest), write) == set()
    gone = Check(id="gone", kind="document", path="notices/closing.md", expect=None)
    delete = f"DELETE FROM {DOCUMENTS_TABLE} WHERE path = 'notices/closing.md'"
    assert failed(library, (gone, rest), delete) == set()
    assert failed(library, (gone, rest)) == {"gone"}


def test_weights_and_order_are_those_of_the_checks(library: Environment) -> None:
    results = evaluate(library, CHECKS, b"", None)
    assert [(one.id, one.weight) for one in results] == [(check.id, check.weight) for check in CHECKS]
    assert all(bool(one.detail) != one.passed for one in results)


ANSWERS: dict[str, Any] = {
    "one field more": {**RIGHT, "note": ""},
    "one field less": {"fine": 1.6},
    "a list": [RIGHT],
    "text": "1.6, 2024-03-22",
    "null": None,
    "not JSON": {**RIGHT, "fine": float("nan")},
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS.keys())
def test_an_answer_of_another_shape_fails_every_field(library: Environment, answer: Any) -> None:
    assert failed(library, CHECKS, FINE, RUTH, answer=answer) == {"fine", "due"}


def test_one_wrong_field_fails_alone(library: Environment) -> None:
    assert failed(library, CHECKS, FINE, RUTH, answer={**RIGHT, "fine": "1.6"}) == {"fine"}
    assert failed(library, CHECKS, FINE, RUTH, answer={**RIGHT, "fine": 1.604}) == set()


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6)
ODD = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner))
OPENED = Environment.open(LIBRARY)


@given(ODD | st.fixed_dictionaries({"fine": ODD, "due_on": ODD}))
def test_no_answer_is_an_error(answer: Any) -> None:
    assert {one.id for one in evaluate(OPENED, CHECKS, b"", answer) if not one.passed} >= {"loan", "new-loan"}


@pytest.mark.parametrize("changeset", [b"garbage", b"T\x02\x01\x00books\x00\x12\x00\x01"], ids=["garbage", "cut"])
def test_a_forged_changeset_is_no_failed_check(library: Environment, changeset: bytes) -> None:
    with pytest.raises(SandboxError):
        evaluate(library, CHECKS, changeset, RIGHT)


def test_a_changeset_of_other_rows_is_no_failed_check(library: Environment) -> None:
    changeset = bytearray(changed(library, "UPDATE books SET copies = 7 WHERE id = 105"))
    at = changeset.index(bytes([105]))
    changeset[at] = 250
    with pytest.raises(SandboxError, match="does not fit"):
        evaluate(library, CHECKS, bytes(changeset), RIGHT)


STRANGE = {
    "table": Check(id="x", kind="row", table="pages", where={"id": 1}, expect={}),
    "column": Check(id="x", kind="row", table="books", where={"id": 101}, expect={"colour": 1}),
    "fresh column": Check(id="x", kind="row", table="books", inserted=True, expect={"copies": 1}, fresh=("colour",)),
    "column of a new row": Check(
        id="x", kind="row", table="loans", inserted=True, expect={}, of_new={"reader_id": "members"}
    ),
    "table of a new row": Check(
        id="x", kind="row", table="loans", inserted=True, expect={}, of_new={"member_id": "pages"}
    ),
    "no key": Check(id="x", kind="absent", table="books", where={"title": "Night Trains"}),
    "no object": Check(id="x", kind="row", table="books", where={"id": 101}, expect=None),
    "free table": Check(id="x", kind="unchanged", free=(FreeChange(table="pages", changes=("insert",)),)),
    "free keys": Check(
        id="x", kind="unchanged", free=(FreeChange(table="books", changes=("insert",), keys=((1, 2),)),)
    ),
    "no value of a key": Check(id="x", kind="row", table="books", where={"id": [1]}, expect={"title": "A"}),
    "no key of 64 bits": Check(id="x", kind="absent", table="books", where={"id": 2**63}),
    "free keys that are none": Check(
        id="x", kind="unchanged", free=(FreeChange(table="books", changes=("insert",), keys=(([1],),)),)
    ),
    "a set that takes its square": Check(id="x", kind="answer", path="a", match="set", expect=list(range(1001))),
    "free column": Check(
        id="x", kind="unchanged", free=(FreeChange(table="books", changes=("insert",), column="colour"),)
    ),
}


@pytest.mark.parametrize("check", STRANGE.values(), ids=STRANGE.keys())
def test_a_check_of_other_tables_is_named(library: Environment, check: Check) -> None:
    with pytest.raises(StoreError, match="check x: "):
        evaluate(library, (check,), b"", None)


def test_two_checks_of_one_id_are_named(library: Environment) -> None:
    """What a verifier says is compared by id: one could hide the other."""
    with pytest.raises(StoreError, match="another check has this id"):
        evaluate(library, (CHECKS[0], CHECKS[0]), b"", {})


@pytest.mark.parametrize("field", [{"weight": -1}, {"weight": float("nan")}, {"tolerance": float("inf")}, {"count": 0}])
def test_numbers_of_a_check_mean_something(field: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Check.model_validate({"id": "x", "kind": "answer", "path": "a", **field})

"""Calls, time, ids, documents, diffs and the ways a session ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from envforge.core.errors import SandboxError, StoreError
from envforge.world.environment import Environment
from envforge.world.session import Session

BORROW = {"member_id": "M-HHJ5", "book_id": 108}


def test_a_read_answers_and_changes_nothing(session: Session) -> None:
    seen = session.call("get_book", {"book_id": 104})
    assert seen.ok and seen.result is not None
    assert (seen.result["copies"], seen.result["note"]) == (0, "Reference only")
    assert session.diff().empty
    assert session.now() == "2024-03-01T09:00:00Z"


def test_a_write_is_in_the_diff_and_moves_the_clock(session: Session) -> None:
    loan = session.call("borrow_book", BORROW).result
    assert loan is not None
    (row,) = session.diff().to_json()["tables"]["loans"]["inserted"]
    assert (row["id"], row["borrowed_at"], row["due_on"]) == (loan["id"], "2024-03-01T09:00:00Z", "2024-03-22")
    assert session.now() == "2024-03-01T09:01:00Z"


def test_an_update_shows_whole_rows_before_and_after(session: Session) -> None:
    session.call("return_book", {"loan_id": "1b0a7f5e-2f0e-4a35-9a0c-3d1c2f7c1002"})
    ((before, after),) = session.diff().tables["loans"].updated
    assert before == {**after, "returned_at": None, "fine": None}
    assert (after["returned_at"], after["fine"], after["member_id"]) == ("2024-03-01T09:00:00Z", 1.6, "M-7TQ2")


def test_null_and_empty_text_stay_apart(session: Session) -> None:
    rows = session.query("SELECT id, email FROM members WHERE email IS NULL OR email = '' ORDER BY id")
    assert rows == [{"id": "M-9WRD", "email": None}, {"id": "M-B3XE", "email": ""}]


def test_documents_are_part_of_the_diff(session: Session) -> None:
    assert session.call("post_notice", {"name": "closing", "text": "Open again."}).ok
    diff = session.diff()
    assert dict(diff.documents) == {"notices/closing.md": ("Closed on Friday the 15th.\n", "Open again.")}
    assert not diff.tables and not diff.empty
    json.dumps(diff.to_json())


def test_a_failing_tool_leaves_no_trace(with_tool: Callable[[str], Session]) -> None:
    session = with_tool(
        "world.new_id('loans')\nworld.execute('DELETE FROM loans')\n"
        "world.put_document('a.md', 'x')\nraise ToolError('conflict', 'No.', 'Never.')"
    )
    answer = session.call("probe")
    assert answer.error is not None
    assert (answer.error.code, answer.error.message, answer.error.hint) == ("conflict", "No.", "Never.")
    assert session.diff().empty and session.now() == "2024-03-01T09:00:00Z"
    fresh = session.environment.start()
    assert session.call("borrow_book", BORROW) == fresh.call("borrow_book", BORROW)
    fresh.close()


def test_a_crashing_tool_is_a_fault_with_its_line(with_tool: Callable[[str], Session]) -> None:
    session = with_tool("world.execute('DELETE FROM loans')\nreturn {'x': 1 // 0}")
    error = session.call("probe").error
    assert error is not None and (error.kind, error.code) == ("fault", "internal_error")
    assert "ZeroDivisionError" in error.message and "tools.py line" in error.message
    assert session.diff().empty


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "field", "word"),
    [
        ("get_boook", {}, "unknown_tool", "tool", "get_book"),
        ("get_book", {"book_id": "101"}, "invalid_argument", "book_id", "integer"),
        ("get_book", {"book_id": True}, "invalid_argument", "book_id", "boolean"),
        ("get_book", {}, "invalid_argument", "book_id", "missing"),
        ("get_book", {"book_id": 1, "bok": 2}, "invalid_argument", "bok", "bok"),
        ("add_member", {"name": "A", "level": "adlt"}, "invalid_argument", "level", "adult"),
        ("search_books", {"query": "a", "limit": 26}, "invalid_argument", "limit", "at most 25"),
        ("post_notice", {"name": "A b", "text": ""}, "invalid_argument", "name", "of the form"),
        ("get_book", [101], "invalid_argument", "", "a list"),
    ],
)
def test_wrong_arguments_are_answered(
    session: Session, tool: str, arguments: Any, code: str, field: str, word: str
) -> None:
    error = session.call(tool, arguments).error
    assert error is not None and (error.code, error.field, error.kind) == (code, field, "caller")
    assert word in f"{error.message} {error.hint}"
    assert session.alive


def test_an_optional_argument_may_be_null(session: Session) -> None:
    assert session.call("add_member", {"name": "A", "level": "adult", "email": None}).ok


def test_ids_follow_the_table_and_the_seed(library: Environment, with_tool: Callable[[str], Session]) -> None:
    body = "return {'ids': [world.new_id(t) for t in ('books', 'books', 'members', 'members', 'loans')]}"
    session = with_tool(body)
    first = session.call("probe").result
    assert first is not None
    ids = first["ids"]
    assert ids[:2] == [109, 110] and len(set(ids)) == 5
    assert all(code.startswith("M-") and len(code) == 6 for code in ids[2:4])
    session.reset()
    assert session.call("probe").result == first
    session.reset(seed=7)
    other = session.call("probe").result
    assert other is not None and other["ids"][:2] == [109, 110] and other["ids"][2:] != ids[2:]


def test_integer_ids_never_come_back(with_tool: Callable[[str], Session]) -> None:
    body = (
        "i = world.new_id('books')\n"
        "world.execute('INSERT INTO books VALUES (?, ?, ?, NULL, 1, NULL)', (i, 'T', 'A'))\n"
        "world.execute('DELETE FROM books WHERE id = ?', (i,))\nreturn {'id': i}"
    )
    session = with_tool(body)
    assert [session.call("probe").result for _ in range(3)] == [{"id": 109}, {"id": 110}, {"id": 111}]


def test_sql_now_is_the_worlds_time(with_tool: Callable[[str], Session]) -> None:
    session = with_tool("return world.query(\"SELECT datetime('now') AS t, CURRENT_DATE AS d\")[0]")
    session.call("borrow_book", BORROW)
    assert session.call("probe").result == {"t": "2024-03-01 09:01:00", "d": "2024-03-01"}


def test_foreign_keys_hold(with_tool: Callable[[str], Session]) -> None:
    session = with_tool("world.execute(\"DELETE FROM members WHERE id = 'M-HHJ5'\")\nreturn {}")
    error = session.call("probe").error
    assert error is not None and "FOREIGN KEY" in error.message


def test_query_is_read_only_and_the_hosts_own(session: Session) -> None:
    session.call("borrow_book", BORROW)
    assert session.query("SELECT count(*) AS n FROM loans WHERE book_id = ?", (108,)) == [{"n": 1}]
    assert session.query("SELECT 1 AS one WHERE 0") == []
    for sql in ("DELETE FROM loans", "PRAGMA user_version = 3", "SELEC 1"):
        with pytest.raises(StoreError):
            session.query(sql)
    assert session.query("SELECT count(*) AS n FROM loans") == [{"n": 8}]


def test_snapshots_travel_between_sessions(library: Environment, session: Session) -> None:
    session.call("borrow_book", BORROW)
    snapshot = session.snapshot()
    expected = session.call("add_member", {"name": "B", "level": "adult"})
    with library.start(seed=99) as other:
        other.restore(snapshot)
        assert other.now() == "2024-03-01T09:01:00Z"
        assert other.call("add_member", {"name": "B", "level": "adult"}) == expected
        assert other.digest() == session.digest()


def test_a_snapshot_of_another_database_is_refused(session: Session, copy: Any) -> None:
    books = copy / "data" / "books.csv"
    books.write_text(books.read_text(encoding="utf-8").replace("1987", "1988"), encoding="utf-8")
    with Environment.open(copy).start() as other, pytest.raises(StoreError, match="another database"):
        other.restore(session.snapshot())


def test_a_closed_session_says_so(library: Environment) -> None:
    session = library.start()
    fork = session.fork()
    session.close()
    with pytest.raises(SandboxError, match="closed"):
        session.call("get_book", {"book_id": 101})
    assert fork.call("get_book", {"book_id": 101}).ok
    fork.close()
    assert not fork.alive


@pytest.mark.parametrize(
    "body",
    [
        "world.execute('DELETE FROM loans')\nreturn {}",
        "world.put_document('a.md', 'x')\nreturn {}",
        "world.new_id('loans')\nreturn {}",
    ],
    ids=["rows", "documents", "ids"],
)
def test_a_tool_that_says_that_it_only_reads_cannot_write(
    copy: Path, with_tool: Callable[[str], Session], body: str
) -> None:
    """Callers keep what a read left as if it had left nothing: `gates.branches` goes on from there with other tasks."""
    assert with_tool(body).call("probe").ok
    tools = json.loads((copy / "tools.json").read_text(encoding="utf-8"))
    tools[-1]["annotations"]["readOnlyHint"] = True
    (copy / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    with Environment.open(copy).start() as session:
        seen = session.call("probe")
        assert seen.error is not None
        assert seen.error.kind == "fault"
        assert "only reads" in seen.error.message
        assert session.diff().empty
        assert session.call("get_book", {"book_id": 104}).ok

"""What is known of a statement spares asking for it again, and changes nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from envforge.world.engine import new_engine
from envforge.world.engine.contract import SQLError, StateEngine
from envforge.world.engine.guard import Authorizer
from envforge.world.engine.reads import KnownReads

from .databases import template_of_rows, touch

ORDERED = "SELECT id, copies FROM books WHERE author = ? ORDER BY copies DESC, id"


@pytest.fixture(scope="module")
def template() -> bytes:
    return template_of_rows(50)


@pytest.fixture
def engine(template: bytes) -> Iterator[StateEngine]:
    held = new_engine(template, engine="copy-on-write")
    yield held
    held.close()


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What the authorizer was asked: a statement that is prepared asks, one that stands ready does not."""
    asked: list[int] = []

    def ask(_: Authorizer, action: int, *__: str | None) -> int:
        asked.append(action)
        return 0

    monkeypatch.setattr(Authorizer, "__call__", ask)
    return asked


def test_a_statement_is_prepared_once_whatever_is_bound_to_it(engine: StateEngine, questions: list[int]) -> None:
    first = engine.query(ORDERED, ("Author 7",))
    assert questions
    questions.clear()
    assert engine.query(ORDERED, ("Author 8",))[1] == [(8, 3)]
    assert engine.query(ORDERED, ("Author 7",)) == first
    assert questions == []


def test_reading_leaves_no_transaction_to_end_and_writing_does(engine: StateEngine, questions: list[int]) -> None:
    for _ in range(2):
        questions.clear()
        engine.begin()
        engine.query(ORDERED, ("Author 7",))
        assert engine.in_transaction and not engine.wrote and engine.commit() is False
    assert questions == []
    engine.begin()
    engine.query(ORDERED, ("Author 7",))
    engine.execute("UPDATE books SET copies = 9 WHERE id = 7")
    assert engine.wrote
    engine.rollback()
    assert engine.query(ORDERED, ("Author 7",))[1] == [(7, 3)] and engine.changeset() == b""


def test_a_text_that_writes_is_never_taken_for_one_that_reads(engine: StateEngine) -> None:
    for _ in range(2):
        engine.begin()
        with pytest.raises(ValueError, match="reads only"):
            engine.query("UPDATE books SET copies = 9 WHERE id = 7 RETURNING id")
        engine.rollback()
    assert engine.changeset() == b""


@pytest.mark.parametrize("step", ["commit", "begin twice"])
def test_a_transaction_begins_once_before_it_ends(engine: StateEngine, step: str) -> None:
    if step == "commit":
        with pytest.raises(SQLError):
            engine.commit()
        return
    engine.begin()
    with pytest.raises(SQLError):
        engine.begin()


def test_what_was_read_before_a_reset_is_not_answered_after_it(engine: StateEngine) -> None:
    """The file stays locked between calls: SQLite must learn all the same that its pages are others."""
    fresh = engine.query(ORDERED, ("Author 7",))
    for _ in range(3):
        touch(engine, 7)
        image = engine.snapshot()
        assert engine.query(ORDERED, ("Author 7",))[1] == [(7, 4)]
        engine.reset()
        assert engine.query(ORDERED, ("Author 7",)) == fresh
        engine.restore(image)
        assert engine.query(ORDERED, ("Author 7",))[1] == [(7, 4)]
        engine.reset()


def test_memory_is_measured_again_when_pages_came(engine: StateEngine) -> None:
    before = engine.memory_used()
    engine.query("SELECT sum(length(note)) FROM books")
    grown = engine.memory_used()
    assert grown > before
    engine.release_memory()
    assert engine.memory_used() < grown


def test_instances_over_one_template_know_the_same(template: bytes) -> None:
    known = KnownReads.of(template)
    known.add("SELECT 1 AS one", ["one"])
    assert KnownReads.of(template) is known and known.names("SELECT 1 AS one") == ["one"]
    assert KnownReads.of(template_of_rows(50)) is not known


def test_no_more_is_remembered_than_a_little(template: bytes) -> None:
    known = KnownReads(template)
    known.add("SELECT 1" + " " * 10_000, ["1"])
    assert known.names("SELECT 1" + " " * 10_000) is None
    texts = [f"SELECT {number}" for number in range(2000)]
    for text in texts:
        known.add(text, ["n"])
    assert known.names(texts[-1]) == ["n"] and sum(known.names(text) is not None for text in texts) <= 512

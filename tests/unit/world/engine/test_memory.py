"""An instance is small at any size of the database, and the caches of many stay within their budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from envforge.world.engine import new_engine
from envforge.world.engine.budget import CacheBudget
from envforge.world.engine.contract import StateEngine

from .databases import template_of_rows, touch

Start = Callable[[int], StateEngine]
MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def templates() -> dict[int, bytes]:
    return {rows: template_of_rows(rows) for rows in (100, 20_000)}


@pytest.fixture
def start(templates: dict[int, bytes]) -> Iterator[Start]:
    started: list[StateEngine] = []

    def fresh(rows: int) -> StateEngine:
        started.append(new_engine(templates[rows], engine="copy-on-write"))
        return started[-1]

    yield fresh
    for engine in started:
        engine.close()


def test_an_instance_is_small_at_any_size(start: Start, templates: dict[int, bytes]) -> None:
    assert len(templates[20_000]) > 5 * MEGABYTE
    used: list[int] = []
    for rows in templates:
        engine = start(rows)
        touch(engine, 7)
        used.append(engine.memory_used())
    assert max(used) < 100_000 and max(used) - min(used) < 20_000


def _scan(engine: StateEngine) -> None:
    engine.query("SELECT sum(length(note)) AS n FROM books")


def test_a_scan_fills_the_cache_and_release_empties_it(start: Start) -> None:
    engine = start(20_000)
    touch(engine, 7)
    _scan(engine)
    assert engine.memory_used() > 5 * MEGABYTE
    changes = engine.changeset()
    engine.release_memory()
    assert engine.memory_used() < 100_000
    assert engine.changeset() == changes
    assert engine.query("SELECT copies FROM books WHERE id = 7")[1] == [(4,)]


def test_release_in_the_middle_of_a_call_keeps_the_call(start: Start) -> None:
    engine = start(20_000)
    engine.begin()
    engine.execute("UPDATE books SET copies = 9")
    engine.release_memory()
    assert engine.query("SELECT min(copies) AS n FROM books")[1] == [(9,)]
    engine.rollback()
    assert engine.changeset() == b""


def test_the_budget_empties_the_oldest(start: Start) -> None:
    budget = CacheBudget(20 * MEGABYTE)
    engines = [start(20_000) for _ in range(6)]
    for engine in engines:
        _scan(engine)
        budget.touched(engine)
    assert budget.held < 20 * MEGABYTE
    full = [engine.memory_used() > MEGABYTE for engine in engines]
    assert full[0] is False and full[-1] is True and full == sorted(full)
    _scan(engines[0])
    budget.touched(engines[0])
    budget.touched(engines[0])
    assert engines[0].memory_used() > MEGABYTE and budget.held < 20 * MEGABYTE


def test_the_last_one_keeps_its_cache(start: Start) -> None:
    budget = CacheBudget(1)
    one, other = start(20_000), start(20_000)
    for engine in (one, other, one, one):
        _scan(engine)
        budget.touched(engine)
    assert one.memory_used() > MEGABYTE > other.memory_used()
    assert budget.held == one.memory_used()
    budget.forget(one)
    budget.forget(one)
    assert budget.held == 0

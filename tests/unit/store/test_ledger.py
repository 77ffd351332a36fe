from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, local
from typing import Any

import pytest
from sqlalchemy import MetaData, event

from envforge.core.errors import StoreError
from envforge.core.outcome import Failed, Produced, Rejected
from envforge.store.ledger import Ledger


def test_outcomes_are_counted_per_stage(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, clock=lambda: "2026-01-01T00:00:00Z")
    run = ledger.start("run-1", "mine")
    ledger.record(run, "extract", "a.json", Produced(1))
    ledger.record(run, "extract", "b.json", Rejected("nothing in it", {"bytes": 0}))
    ledger.record(run, "extract", "c.json", Failed("extract", "broken"))
    ledger.record(ledger.start("run-2", "mine"), "extract", "a.json", Produced(1))
    assert ledger.counts(run) == {"extract": {"produced": 1, "rejected": 1, "failed": 1}}
    ledger.close()


def test_any_sqlalchemy_url(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "unused", url=f"sqlite:///{tmp_path / 'mine.db'}")
    ledger.start("r", "c")
    ledger.close()
    assert (tmp_path / "mine.db").exists()
    assert not (tmp_path / "unused").exists()


def test_bad_url_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="ledger cannot be opened"):
        Ledger(tmp_path, url="nonsense://x")


@pytest.fixture
def all_have_looked() -> Iterator[Barrier]:
    """No run creates a table before every run has looked and found none."""
    barrier = Barrier(4, timeout=30)
    waited = local()

    def wait(*_: Any, **__: Any) -> None:
        if not getattr(waited, "once", False):
            waited.once = True
            barrier.wait()

    event.listen(MetaData, "before_create", wait)
    yield barrier
    event.remove(MetaData, "before_create", wait)


def test_runs_that_start_at_once_share_a_new_ledger(tmp_path: Path, all_have_looked: Barrier) -> None:
    def run(number: int) -> int:
        ledger = Ledger(tmp_path)
        started = ledger.start(f"run-{number}", "mine")
        ledger.record(started, "load", "a", Produced(1))
        assert ledger.counts(started) == {"load": {"produced": 1}}
        ledger.close()
        return started

    with ThreadPoolExecutor(all_have_looked.parties) as pool:
        assert sorted(pool.map(run, range(all_have_looked.parties))) == [1, 2, 3, 4]

from pathlib import Path

import pytest

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

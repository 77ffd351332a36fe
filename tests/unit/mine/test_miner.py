"""When the World begins: with the latest moment of the rows that is one."""

from __future__ import annotations

import pytest

from envforge.core.records.domain import Column, Domain, Table
from envforge.core.records.source import Theme
from envforge.mine.miner import Mined, populate

TABLE = Table(
    name="piers",
    entity="pier",
    label="pier",
    columns=(Column(name="id", type="integer"), Column(name="seen", type="text")),
    primary_key=("id",),
)


def _silent(label: str, done: int, total: int | None) -> None:
    del label, done, total


@pytest.mark.parametrize(
    ("seen", "clock"),
    [
        (["2013-01-31T10:00:00Z", "2012-01-31T10:00:00Z"], "2013-01-31T10:00:00Z"),
        (["2013-01-31T10:00:00Z", "9999-12-31T23:59:59Z"], "2013-01-31T10:00:00Z"),
        (["2013-01-31T10:00:00Z", "2013-02-30T10:00:00Z", "2014-01-01T25:00:00Z"], "2013-01-31T10:00:00Z"),
        (["0000-00-00T00:00:00Z", "never"], "2026-01-05T09:00:00Z"),
    ],
)
def test_the_clock_is_a_moment_that_is_one(seen: list[str], clock: str) -> None:
    rows = {"piers": [{"id": number, "seen": value} for number, value in enumerate(seen)]}
    theme = Theme(slug="piers", title="Piers", kind="domain")
    mined = Mined(theme, Domain(theme="piers", tables=(TABLE,)), rows, [], {}, (), 0, None)
    database = populate(mined, rounds=0, seed=0, database_seed=0, progress=_silent)
    assert database.clock == clock

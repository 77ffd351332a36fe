"""When the World begins: with the latest moment of the rows that is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from envforge.core.errors import BuildError
from envforge.core.records.domain import BoundOperation, Column, Domain, Table
from envforge.core.records.environment import ProvenanceEntry
from envforge.core.records.source import Theme
from envforge.mine.miner import Mined, populate
from envforge.mine.shapes.catalogue import load_shapes

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


def test_mined_rows_are_enriched_in_rounds_and_none_without_rounds() -> None:
    names = ("berth1", "berth2")
    columns = (TABLE.columns[0], *(Column(name=name, type="text") for name in names))
    table = TABLE.model_copy(update={"columns": columns})
    rows = [{"id": n, "berth1": f"B{n}", "berth2": f"B{n + 40}" if n % 2 else None} for n in range(20)]
    entry = ProvenanceEntry(table="piers", source="src-1", locator="piers.csv#id={id}", kind="mined", count=20)
    theme = Theme(slug="piers", title="Piers", kind="domain")
    mined = Mined(theme, Domain(theme="piers", tables=(table,)), {"piers": rows}, [entry], {}, (), 0, None)
    plain = populate(mined, rounds=0, seed=0, database_seed=0, progress=_silent)
    assert plain.rows == {"piers": rows}
    richer = populate(mined, rounds=1, seed=0, database_seed=0, progress=_silent)
    assert {name: len(found) for name, found in richer.rows.items()} == {"piers": 20, "pier_berths": 30}
    assert [made["operator"] for made in richer.changelog] == ["split"]


def test_an_interface_that_manages_too_little_is_refused_with_the_reason() -> None:
    listed = BoundOperation(id="l", name="list_piers", verb="list", entity="pier", table="piers")
    domain = Domain(theme="piers", tables=(TABLE,), operations=(listed,))
    shapes = tuple(load_shapes([Path(__file__).parents[3] / "themes/shapes"]))
    theme = Theme(slug="piers", title="Piers", kind="domain")
    mined = Mined(theme, domain, {}, [], {}, (), 1, None, None, shapes)
    with pytest.raises(BuildError, match="no entity can be listed and written"):
        populate(mined, rounds=0, seed=0, database_seed=0, progress=_silent)

"""The airline theme on its real files: what a stranger would check in the rows."""

import os
from collections import Counter
from datetime import datetime
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import yaml

from envforge.core.contracts import Database
from envforge.core.outcome import Produced
from envforge.core.records.domain import Domain
from envforge.core.records.extraction import Extraction
from envforge.core.records.source import Theme
from envforge.mine.extract.registry import extract_all
from envforge.mine.infer.tabular import Tabular, infer_tables
from envforge.mine.load import verify_rows
from envforge.store.provenance import coverage_problems, expand
from envforge.web.snapshot import SnapshotFetcher

SNAPSHOT = os.environ.get("ENVFORGE_TEST_SNAPSHOT", "")
ENTRY = Path(__file__).parents[4] / "themes/catalogue/airline-booking.yaml"
pytestmark = [
    pytest.mark.snapshot,
    pytest.mark.skipif(not SNAPSHOT, reason="set ENVFORGE_TEST_SNAPSHOT to a folder with snapshot.warc.gz"),
]
CLOCK = "2013-01-16T12:00:00Z"


@cache
def theme() -> Theme:
    return Theme.model_validate(yaml.safe_load(ENTRY.read_text(encoding="utf-8")))


@cache
def extractions() -> tuple[Extraction, ...]:
    fetcher = SnapshotFetcher(Path(SNAPSHOT))
    outcomes = extract_all([fetched for anchor in theme().anchors for fetched in fetcher.fetch(anchor)])
    return tuple(outcome.value for outcome in outcomes if isinstance(outcome, Produced))


@cache
def tabular(clock: str = CLOCK) -> Tabular:
    return infer_tables(theme(), extractions(), clock=clock)


def test_tables_and_their_sizes() -> None:
    sizes = {name: len(rows) for name, rows in tabular().rows.items()}
    assert sizes["airlines"] == 16
    assert sizes["aircraft"] == 3279  # 3,322 less those that fly no such service
    assert sizes["flights"] == 27004
    assert sizes["airports"] > 7000
    assert "table weather is left out: no file for weather" in tabular().notes


def test_rows_and_provenance_hold() -> None:
    tables, rows = tabular().tables, tabular().rows
    verify_rows(Database(Domain(theme="t", tables=tables), rows, tabular().provenance, {}, CLOCK))
    keys = {t.name: [tuple(row[name] for name in t.primary_key) for row in rows[t.name]] for t in tables}
    assert coverage_problems(tabular().provenance, keys) == []
    row = next(row for row in rows["flights"] if row["flight_id"] == "UA1545-20130101-EWR")
    entry = expand(tabular().provenance, "flights", ("UA1545-20130101-EWR",), row)
    assert "flights.csv.zip#carrier=UA&flight=1545&date=2013-01-01&origin=EWR" in entry.locator


def test_every_text_is_clean() -> None:
    for rows in tabular().rows.values():
        for row in rows:
            for name, value in row.items():
                assert not isinstance(value, str) or value == " ".join(value.split()) != ""
                assert value not in ("NA", "None") or name == "country"


def test_airports_have_the_names_of_their_time_and_cities() -> None:
    airports = {row["code"]: row for row in tabular().rows["airports"]}
    assert (airports["LGA"]["name"], airports["LGA"]["city"]) == ("La Guardia", "New York")
    assert airports["PBI"]["name"] == "Palm Beach Intl"
    assert airports["SJU"]["timezone"] == "America/Puerto_Rico"
    assert airports["WDH"]["country"] == "NA"


def test_nothing_of_the_future_is_known() -> None:
    flights = tabular().rows["flights"]
    for row in flights:
        assert (row["actual_departure"] or "") <= CLOCK
        assert (row["actual_arrival"] or "") <= CLOCK
        assert (row["departure_delay_minutes"] is None) == (row["actual_departure"] is None)
        if row["scheduled_departure"] > CLOCK and row["actual_departure"] is None:
            assert row["status"] == "scheduled"
    counts = Counter(row["status"] for row in flights)
    assert counts == {"scheduled": 13824, "arrived": 12999, "cancelled": 104, "departed": 69, "diverted": 8}


def test_times_are_those_of_the_source() -> None:
    """With the clock after the month, local hands of the clock must read what the source states."""
    zones = {row["code"]: ZoneInfo(row["timezone"]) for row in tabular().rows["airports"]}
    table = next(t for extraction in extractions() for t in extraction.tables if t.name == "flights")
    names = [column.name for column in table.columns]
    stated = {
        f"{s['carrier']}{s['flight']}-{s['year']}{s['month']:02}{s['day']:02}-{s['origin']}": s
        for s in (dict(zip(names, row, strict=True)) for row in table.rows)
    }
    for row in tabular("2013-03-01T00:00:00Z").rows["flights"]:
        source = stated[row["flight_id"]]
        assert row["scheduled_departure"] < row["scheduled_arrival"]
        assert row["scheduled_departure"][:13] == source["time_hour"][:13]
        for column, place, told in (
            ("actual_departure", row["origin"], source["dep_time"]),
            ("actual_arrival", row["destination"], source["arr_time"]),
        ):
            if row[column] is not None:
                local = datetime.fromisoformat(row[column]).astimezone(zones[place])
                assert local.hour * 100 + local.minute == told % 2400, row["flight_id"]

"""Provenance covers each row exactly once."""

import pytest

from envforge.core.errors import StoreError
from envforge.core.records.environment import ProvenanceEntry
from envforge.store.provenance import coverage_problems, expand

MINED = ProvenanceEntry(
    table="towns", keys=(("A",), ("C",)), source="src-1", locator="t.csv#code={code}&key={key}", kind="mined", count=2
)
ADDED = ProvenanceEntry(table="towns", keys=(("D",), ("D",)), source="operator:x", kind="synthetic", count=1)
KEYS = {"towns": [("D",), ("A",), ("C",)]}


def test_a_row_expands_to_its_entry_and_place() -> None:
    entry = expand([MINED, ADDED], "towns", ("A",), {"code": "A"})
    assert (entry.keys, entry.count, entry.locator) == ((("A",), ("A",)), 1, "t.csv#code=A&key=A")
    assert expand([MINED, ADDED], "towns", ("A",)).locator == "t.csv#code={code}&key=A"
    assert expand([MINED, ADDED], "towns", ("D",)).source == "operator:x"


def test_a_row_needs_exactly_one_entry() -> None:
    with pytest.raises(StoreError, match="0 provenance entries cover the row E"):
        expand([MINED, ADDED], "towns", ("E",))
    with pytest.raises(StoreError, match="2 provenance entries"):
        expand([MINED, MINED], "towns", ("A",))


def test_exact_provenance_has_no_problems() -> None:
    assert coverage_problems([MINED, ADDED], KEYS) == []
    everything = ProvenanceEntry(table="towns", source="src-1", kind="mined", count=3)
    assert coverage_problems([everything], KEYS) == []
    assert coverage_problems([], {"towns": []}) == []


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([MINED], "0 entries cover the row D"),
        ([MINED, ADDED, ADDED], "2 entries cover the row D"),
        ([MINED.model_copy(update={"count": 3}), ADDED], "states 3 rows and covers 2"),
        ([MINED, ADDED, ADDED.model_copy(update={"table": "ghosts"})], "a table that is not there"),
        ([MINED, ADDED, ADDED.model_copy(update={"keys": ((1,), (2,))})], "not of the types"),
    ],
)
def test_gaps_overlaps_and_false_counts_are_named(entries: list[ProvenanceEntry], message: str) -> None:
    assert any(message in problem for problem in coverage_problems(entries, KEYS))

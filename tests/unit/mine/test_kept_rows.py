"""A smaller environment by --keep: ranges, values, rows that others refer to, and whole tables."""

from __future__ import annotations

import pytest

from envforge.core.contracts import Row
from envforge.core.errors import ConfigError
from envforge.core.records.domain import Column, Domain, Reference, Table
from envforge.core.records.environment import ProvenanceEntry
from envforge.mine.kept_rows import keep_rows, read_wish, wishes_for
from envforge.store.provenance import coverage_problems


def _refers(table: str, confidence: float = 1.0) -> Reference:
    return Reference(table=table, column="code", confidence=confidence, evidence="stated")


PORTS = Table(
    name="ports",
    entity="port",
    label="port",
    columns=(Column(name="code", type="text"), Column(name="depth", type="real")),
    primary_key=("code",),
)
SHIPS = PORTS.model_copy(update={"name": "ships", "entity": "ship", "label": "ship"})
SAILINGS = Table(
    name="sailings",
    entity="sailing",
    label="sailing",
    columns=(
        Column(name="id", type="integer"),
        Column(name="leaves", type="timestamp"),
        Column(name="port", type="text", references=_refers("ports")),
        Column(name="ship", type="text", references=_refers("ships", 0.8)),
    ),
    primary_key=("id",),
)
LOGS = Table(name="logs", entity="log", label="log", columns=(Column(name="id", type="integer"),), primary_key=("id",))
DOMAIN = Domain(theme="sea", tables=(PORTS, SHIPS, SAILINGS, LOGS))
ROWS: dict[str, list[Row]] = {
    "ports": [{"code": code, "depth": depth} for code, depth in (("A", 4.0), ("B", 9.5), ("C", 12.0), ("D", None))],
    "ships": [{"code": code, "depth": 3.0} for code in ("s1", "s2", "s3")],
    "sailings": [
        {"id": 1, "leaves": "2020-05-01T08:00:00Z", "port": "A", "ship": "s1"},
        {"id": 2, "leaves": "2020-05-02T23:30:00Z", "port": "B", "ship": "s2"},
        {"id": 3, "leaves": "2020-05-03T08:00:00Z", "port": "C", "ship": "lost"},
        {"id": 4, "leaves": None, "port": "B", "ship": None},
    ],
    "logs": [{"id": 1}],
}
PROVENANCE = [
    ProvenanceEntry(table="ports", source="src-1", kind="mined", count=4),
    ProvenanceEntry(table="ships", source="src-1", kind="mined", count=3),
    ProvenanceEntry(table="sailings", keys=((1,), (2,)), source="src-2", kind="mined", count=2),
    ProvenanceEntry(table="sailings", keys=((3,), (4,)), source="src-3", kind="mined", count=2),
    ProvenanceEntry(table="logs", source="src-1", kind="mined", count=1),
]


def _ids(kept: dict[str, list[Row]], table: str, column: str = "id") -> list[object]:
    return [row[column] for row in kept[table]]


def test_the_end_of_a_range_means_the_whole_day() -> None:
    domain, kept, provenance = keep_rows(DOMAIN, ROWS, PROVENANCE, ["sailings.leaves=2020-05-02..2020-05-02"])
    assert _ids(kept, "sailings") == [2]
    assert domain.notes == ("fewer rows by --keep: sailings.leaves=2020-05-02..2020-05-02",)
    keys = {name: [(row[domain.table(name).primary_key[0]],) for row in held] for name, held in kept.items()}
    assert coverage_problems(provenance, keys) == []
    assert [entry.source for entry in provenance if entry.table == "sailings"] == ["src-2"]


def test_open_ranges_of_numbers_and_lists_of_values() -> None:
    _, kept, _ = keep_rows(DOMAIN, ROWS, PROVENANCE, ["ports.depth=9.5..", "ships.code=s1,s3"])
    assert _ids(kept, "ports", "code") == ["B", "C"] and _ids(kept, "ships", "code") == ["s1", "s3"]


def test_a_row_goes_with_the_row_it_must_refer_to_and_not_with_one_it_may_refer_to() -> None:
    domain, kept, provenance = keep_rows(DOMAIN, ROWS, PROVENANCE, ["ports.code=B,C"])
    assert _ids(kept, "sailings") == [2, 3, 4]
    assert _ids(kept, "ships", "code") == ["s1", "s2", "s3"]
    reference = domain.table("sailings").column("ship").references
    assert reference is not None and reference.confidence == 0.5
    assert [(entry.keys, entry.count) for entry in provenance if entry.table == "sailings"] == [
        (((2,), (2,)), 1),
        (((3,), (4,)), 2),
    ]


def test_used_rows_are_those_that_a_row_which_is_kept_refers_to() -> None:
    wishes = ["sailings.leaves=..2020-05-02", "ports=used", "ships=used"]
    _, kept, _ = keep_rows(DOMAIN, ROWS, PROVENANCE, wishes)
    assert _ids(kept, "ports", "code") == ["A", "B"] and _ids(kept, "ships", "code") == ["s1", "s2"]


def test_a_table_is_left_out_whole() -> None:
    domain, kept, provenance = keep_rows(DOMAIN, ROWS, PROVENANCE, ["ports=none"])
    assert "ports" not in kept and [table.name for table in domain.tables] == ["ships", "sailings", "logs"]
    assert domain.table("sailings").column("port").references is None
    assert _ids(kept, "sailings") == [1, 2, 3, 4] and all(entry.table != "ports" for entry in provenance)


def test_a_star_stands_for_several_tables() -> None:
    domain, kept, _ = keep_rows(DOMAIN, ROWS, PROVENANCE, ["s*=none", "logs=none"])
    assert list(kept) == ["ports"] and [table.name for table in domain.tables] == ["ports"]


@pytest.mark.parametrize("text", ["", "ports", "ports=3", "ports.code", "ports.code=", "ports.code=used", "Ports=none"])
def test_what_is_no_wish_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="says not which rows to keep") as caught:
        read_wish(text)
    assert "TABLE.COLUMN=FROM..TO" in str(caught.value)


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ("sailing.leaves=2020..", "no table with mined rows 'sailing'.*there are: sailings"),
        ("sailings.leave=2020..", "no column of sailings 'leave'.*there are: leaves"),
        ("ports.depth=deep..", "'deep' is no number"),
        ("sailings.leaves=2031-01-01..", "no row of sailings is left"),
        ("x*=none", "no table with mined rows 'x.'"),
        ("logs=used", "no row of logs is left"),
    ],
)
def test_a_wish_that_fits_nothing_says_what_there_is(wish: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        keep_rows(DOMAIN, ROWS, PROVENANCE, [wish])


def test_of_two_themes_each_gets_the_wishes_for_its_own_tables() -> None:
    """A table that nothing was mined for is another theme's: keep_rows would refuse the wish."""
    wishes = ["sailings.leaves=..2020-05-02", "orders=none", "p*=used", "empty=none"]
    assert wishes_for(wishes, {**ROWS, "empty": []}) == ["sailings.leaves=..2020-05-02", "p*=used"]
    with pytest.raises(ConfigError, match="says not which rows to keep"):
        wishes_for(["ports"], ROWS)

"""Keys and references that a source states hold only where the rows keep them."""

from __future__ import annotations

from typing import Any

from envforge.core.records.extraction import MinedColumn, MinedTable, StatedReference
from envforge.mine.infer.drafts import Tabular
from envforge.mine.infer.general_tables import tables_in_general


def table(
    name: str,
    columns: dict[str, Any],
    *rows: tuple[Any, ...],
    key: tuple[str, ...] = (),
    references: tuple[StatedReference, ...] = (),
) -> MinedTable:
    mined = tuple(MinedColumn(name=column, type=kind) for column, kind in columns.items())
    return MinedTable(name, mined, rows, f"club.sql#{name}#row={{row}}", "src-1", key, references)


PIERS = table("piers", {"Label": "text", "Depth": "real"}, ("w", 3.5), ("e", 4.0), ("n", 9.0), key=("Label",))
BOATS = {"nr": "integer", "name": "text", "moored": "text"}


def boats(*rows: tuple[Any, ...], to: StatedReference, key: tuple[str, ...] = ("nr",)) -> Tabular:
    return tables_in_general([PIERS, table("boats", BOATS, *rows, key=key, references=(to,))])


def test_a_stated_key_is_taken_over_what_names_suggest() -> None:
    found = boats((1, "Otter", "w"), (2, "Tern", "w"), (3, "Gull", None), to=StatedReference(("moored",), "piers"))
    by_name = {made.name: made for made in found.tables}
    assert by_name["boats"].primary_key == ("nr",) and by_name["piers"].primary_key == ("label",)
    reference = next(column.references for column in by_name["boats"].columns if column.name == "moored")
    assert reference is not None and (reference.table, reference.column) == ("piers", "label")
    assert reference.evidence.startswith("stated by the source; 100.00% of 2 values")


def test_what_the_rows_contradict_is_said_and_not_kept() -> None:
    found = boats(
        (1, "Otter", "w"), (1, "Tern", "x"), (3, "Gull", "y"), to=StatedReference(("moored",), "piers", ("Label",))
    )
    told = " | ".join(found.notes)
    assert "the stated key of boats (nr) is not kept: 1 in rows 1 and 2" in told
    assert "boats (moored) -> piers is not kept: 33% of its 3 values are there" in told
    made = next(made for made in found.tables if made.name == "boats")
    assert made.primary_key != ("nr",) and all(column.references is None for column in made.columns)


def test_references_that_have_no_place_here_are_said() -> None:
    rows = ((1, "Otter", "w"), (2, "Tern", "e"))
    for to, reason in [
        (StatedReference(("moored",), "crews"), "that table has no rows"),
        (StatedReference(("moored", "name"), "piers", ("Label", "Depth")), "a reference of several columns"),
        (StatedReference(("moored",), "piers", ("Depth",)), "0% of its 2 values are there"),
        (StatedReference(("berth",), "piers"), "its column is empty"),
    ]:
        assert reason in " | ".join(boats(*rows, to=to).notes)


def test_a_reference_to_a_unique_column_makes_it_unique() -> None:
    codes = table("docks", {"id": "integer", "code": "text"}, (1, "a"), (2, "b"), (3, "c"), key=("id",))
    ships = table(
        "ships", {"id": "integer", "dock": "text"}, (7, "a"), (8, "b"), key=("id",),
        references=(StatedReference(("dock",), "docks", ("code",)),),
    )  # fmt: skip
    found = tables_in_general([codes, ships])
    assert next(made for made in found.tables if made.name == "docks").unique == (("code",),)

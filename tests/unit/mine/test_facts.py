"""Facts only: what a source wrote of its interface is not in the domain any more, what we made of it is."""

from __future__ import annotations

import pytest

from envforge.core.records.domain import BoundOperation, BoundParameter, Column, Domain, Table
from envforge.core.records.extraction import ApiOperation, ApiParameter, Extraction, Shape, ShapeField, TypeExpr
from envforge.mine.facts import facts_only_rows, prose_of, without_prose

TEXT = "The weight of the crate before it was opened. See [the manual](https://crates.example/a/b) for the units."
CRATE = TypeExpr(
    kind="object",
    fields=(
        ShapeField(name="weight", type=TypeExpr(kind="number"), description=TEXT),
        ShapeField(name="id", type=TypeExpr(kind="string", description="Crate id")),
    ),
)
SOURCE = Extraction(
    source_id="src-1",
    extractor="openapi",
    operations=(
        ApiOperation(
            id="getCrate",
            method="get",
            path="/crates/{id}",
            summary="Fetches one crate for the caller",
            parameters=(
                ApiParameter(name="id", location="path", type=TypeExpr(kind="string"), description="Crate id"),
            ),
            locator="#/paths",
        ),
    ),
    shapes={"Crate": Shape(name="Crate", type=CRATE, locator="#/crate", description="A wooden box.")},
)


def _domain(column: str, table: str = "A wooden box.") -> Domain:
    crates = Table(
        name="crates",
        entity="crate",
        label="crate",
        description=table,
        columns=(Column(name="id", type="text"), Column(name="weight", type="real", description=column)),
        primary_key=("id",),
    )
    schema = {
        "type": "object",
        "description": "Crate id",
        "properties": {"description": {"type": "string", "description": "Crate id", "title": "Ours"}},
    }
    get = BoundOperation(
        id="getCrate",
        name="get_crate",
        verb="get",
        entity="crate",
        table="crates",
        description="Fetches one crate for the caller.",
        parameters=(
            BoundParameter(
                name="id", source_name="id", meaning="key", json_type=schema, description="Id of the crate."
            ),
        ),
    )
    return Domain(theme="crates", tables=(crates,), operations=(get,))


@pytest.mark.parametrize(
    "theirs",
    [
        TEXT,
        "The weight of the crate before it was opened",
        "the **weight** of the crate, before",
        "Note: see the manual for the units",
    ],
)
def test_a_text_of_the_source_goes_whole_cut_or_dressed(theirs: str) -> None:
    assert without_prose(_domain(theirs), prose_of([SOURCE])).table("crates").column("weight").description == ""


@pytest.mark.parametrize("ours", ["Weight of the crate, in kg.", "The weight of the crate."])
def test_a_text_of_ours_stays(ours: str) -> None:
    assert without_prose(_domain(ours), prose_of([SOURCE])).table("crates").column("weight").description == ours


def test_operations_parameters_and_schemas_lose_theirs() -> None:
    kept = without_prose(_domain("Ours."), prose_of([SOURCE]))
    operation = kept.operations[0]
    assert operation.description == "" and kept.tables[0].description == ""
    assert operation.parameters[0].description == "Id of the crate."
    assert operation.parameters[0].json_type == {
        "type": "object",
        "properties": {"description": {"type": "string", "title": "Ours"}},
    }


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("It was opened twice, and nobody knows by whom.", False),
        ("Concise Data Definition Language: A Notational Convention to Express Records", True),
        ("Crates Ltd.", True),
        ("two\nlines", False),
    ],
)
def test_a_sentence_is_prose_and_a_long_name_is_a_name(value: str, kept: bool) -> None:
    rows = {"crates": [{"id": "1", "note": "Short"}] * 9 + [{"id": "2", "note": value}]}
    columns = (Column(name="id", type="text"), Column(name="note", type="text"))
    table = Table(name="crates", entity="crate", label="crate", columns=columns, primary_key=("id",))
    domain, _ = facts_only_rows(Domain(theme="t", tables=(table,)), rows)
    assert domain.tables[0].has("note") == kept

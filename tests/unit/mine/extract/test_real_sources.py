"""The extractors on published files: figures that a reader can check against the sources."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from envforge.core.contracts import Fetched
from envforge.core.outcome import Produced
from envforge.core.records.extraction import Extraction
from envforge.mine.extract.registry import extract_all

Read = Callable[[str], Fetched]
pytestmark = pytest.mark.snapshot

DECLARATIONS = ("blocks", "comments", "common", "data-sources", "databases", "pages", "search", "users")


def produced(*files: Fetched) -> list[Extraction]:
    outcomes = extract_all(files)
    assert all(isinstance(outcome, Produced) for outcome in outcomes)
    return [outcome.value for outcome in outcomes if isinstance(outcome, Produced)]


def test_declarations_of_a_client_package(snapshot: Read) -> None:
    extractions = produced(
        *(snapshot(f"notionhq-client-5.26.0/build/src/api-endpoints/{n}.d.ts") for n in DECLARATIONS)
    )
    shapes = {name: shape.type for extraction in extractions for name, shape in extraction.shapes.items()}
    assert len(shapes["BlockObjectResponse"].variants) == 37
    assert shapes["BlockObjectResponse"].discriminator == "type"
    paragraph = {field.name: field for field in shapes["ParagraphBlockObjectResponse"].fields}
    assert paragraph["type"].type.enum == ("paragraph",) and paragraph["archived"].deprecated
    assert shapes["UserObjectResponse"].discriminator == "type"
    assert [field.name for field in shapes["PageObjectResponse"].fields][:4] == [
        "object", "id", "created_time", "last_edited_time"
    ]  # fmt: skip
    operations = {o.id: o for extraction in extractions for o in extraction.operations}
    assert len(operations) == 29
    comment = {p.name: p for p in operations["createComment"].parameters}
    assert list(comment) == ["attachments", "display_name", "parent", "rich_text", "markdown", "discussion_id"]
    assert operations["appendBlockChildren"].parameters[0].location == "path"
    assert not [issue for extraction in extractions for issue in extraction.issues]


def test_references_of_a_package_resolve(snapshot: Read) -> None:
    extractions = produced(
        *(snapshot(f"notionhq-client-5.26.0/build/src/api-endpoints/{n}.d.ts") for n in DECLARATIONS)
    )
    shapes = {name for extraction in extractions for name in extraction.shapes}
    text = "\n".join(shape.type.model_dump_json() for e in extractions for shape in e.shapes.values())
    for name in ("IdResponse", "RichTextItemResponse", "PartialUserObjectResponse"):
        assert f'"name":"{name}"' in text and name in shapes


def test_api_description_of_a_small_service(snapshot: Read) -> None:
    extraction = produced(snapshot("scripts/notion-openapi.json"))[0]
    assert len(extraction.operations) == 24 and len(extraction.shapes) == 9
    query = next(o for o in extraction.operations if o.id == "query-data-source")
    assert [p.name for p in query.parameters if p.location == "body"][:4] == [
        "filter", "sorts", "start_cursor", "page_size"
    ]  # fmt: skip


def test_a_description_of_13_megabytes_is_read_whole(snapshot: Read) -> None:
    extraction = produced(snapshot("generated/api.github.com.json"))[0]
    assert len(extraction.operations) == 1223 and len(extraction.shapes) > 900 and len(extraction.examples) > 1000


def test_flights_and_airports(snapshot: Read) -> None:
    flights, airports = (
        e.tables[0] for e in produced(snapshot("flights.csv.zip"), snapshot("airportsdata/airports.csv"))
    )
    assert len(flights.rows) == 27_004 and len(flights.columns) == 19
    assert flights.columns[-1].type == "timestamp" and flights.rows[0][-1] == "2013-01-01T10:00:00Z"
    assert len(airports.rows) == 28_298 and airports.columns[0].type == "text"
    countries = [column.name for column in airports.columns].index("country")
    assert sum(row[countries] == "NA" for row in airports.rows) > 50


def test_payload_examples(snapshot: Read) -> None:
    extraction = produced(snapshot("webhooks-examples-7.6.1/api.github.com/index.json"))[0]
    assert len(extraction.shapes) == 58 and len(extraction.examples) == 329 and not extraction.tables

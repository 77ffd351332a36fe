"""Every extractor of the registry keeps the contract of contracts.Extractor. A new one adds its entry to SAMPLES."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from envforge.core.contracts import Extractor, Fetched
from envforge.core.errors import ExtractError
from envforge.core.outcome import Failed, Produced, Rejected
from envforge.core.records.extraction import Extraction
from envforge.mine.extract.registry import EXTRACTORS, HEAD, choose, extract_all

FIXTURES = Path(__file__).parents[1] / "fixtures"
Make = Callable[[str, bytes, str], Fetched]


@dataclass(frozen=True)
class Sample:
    """A file of an extractor's kind, and the same kind broken so that the reader must notice, and where."""

    path: str
    body: bytes
    mime: str
    broken: bytes
    broken_line: int | None
    place: str = r":(\d+)$"
    """How the error's `where` ends; a workbook has sheets, no lines."""


def _workbook(*, broken: bool = False) -> bytes:
    book: Any = Workbook()
    book.active.title = "Piers"
    for row in (["id", "pier"], [1, "west"], [2, "east"]):
        book.active.append(row)
    whole, out = io.BytesIO(), io.BytesIO()
    book.save(whole)
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            body = old.read(name)
            half = broken and name == "xl/worksheets/sheet1.xml"
            new.writestr(zipfile.ZipInfo(name), body[: body.index(b"</sheetData>")] if half else body)
    return out.getvalue()


def _read(name: str) -> bytes:
    return (FIXTURES / name).read_bytes()


SAMPLES = {
    "graphql": Sample(
        "api/schema.graphql",
        b"type Query { pier(id: ID!): Pier }\ntype Pier { id: ID!, name: String }\n",
        "application/graphql",
        b"type Query {\n  pier(: Pier\n}\n",
        2,
    ),
    "mcp-tools": Sample(
        "desk.tools.json",
        b'{"tools": [{"name": "get_pier", "inputSchema": {"properties": {"id": {"type": "string"}}}}]}',
        "application/json",
        b'{"tools": [\n{"name": "get_pier", "inputSchema": {}},\n]}\n',
        3,
    ),
    "openapi": Sample(
        "api/boathouse.json",
        _read("sources/boathouse.json"),
        "application/json",
        _read("sources/boathouse.json")[:-200] + b"\n]",
        None,
    ),
    "google-discovery": Sample(
        "harbour.v1.json",
        b'{"discoveryVersion": "v1", "methods": {"list": {"path": "piers", "httpMethod": "GET"}}}',
        "application/json",
        b'{"discoveryVersion": "v1",\n"methods": }\n',
        2,
    ),
    "aws-model": Sample(
        "harbour/service-2.json",
        b'{"metadata": {"apiVersion": "1", "endpointPrefix": "x"}, "operations": {"ListPiers": {}}}',
        "application/json",
        b'{"metadata": {"apiVersion": "1", "endpointPrefix": "x"},\n"operations": }\n',
        2,
    ),
    "typescript": Sample(
        "build/loans.d.ts",
        _read("sources/loans.d.ts"),
        "application/typescript",
        b"export type A = string;\n// na\xefve\n",
        2,
    ),
    "tabular": Sample(
        "data/vessels.csv", _read("ferry/vessels.csv"), "text/csv; charset=utf-8", b"a,b\n1,2\n3,4,5\n", 3
    ),
    "workbook": Sample(
        "data/piers.xlsx",
        _workbook(),
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        _workbook(broken=True),
        None,
        r"#(Piers)$",
    ),
    "pdf": Sample(
        "data/piers.pdf",
        _read("sources/piers.pdf"),
        "application/pdf",
        _read("sources/piers.pdf")[:300],
        None,
        r"\.(pdf)$",
    ),
    "sql": Sample(
        "data/piers.sql",
        b"CREATE TABLE piers (id int PRIMARY KEY, name text);\nINSERT INTO piers VALUES (1, 'west');\n",
        "application/sql",
        b"CREATE TABLE piers (id int);\nINSERT INTO piers VALUES (1),\n(2",
        3,
    ),
    "payload": Sample(
        "members.json", _read("sources/members.json"), "application/json", b'[\n{"id": 1},\n{"id": }\n]\n', 3
    ),
    "html": Sample(
        "site/piers.html",
        b"<!DOCTYPE html><title>Piers</title><table><tr><th>Pier<th>Depth (m)<tr><td>North<td>4.5<tr><td>South<td>6",
        "text/html",
        b"<!DOCTYPE html>\n<meta charset=utf-8>\n<p>na\xefve</p>",
        3,
    ),
    "markdown": Sample("rules.md", _read("sources/rules.md"), "text/markdown; charset=utf-8", b"# R\n\nna\xefve\n", 3),
    "documents": Sample("rules.rst", b"Rules\n=====\n\nNo boats at night.\n", "text/x-rst", b"R\n=\nna\xefve\n", 3),
}
ALSO_JSON = {("payload", own) for own in ("openapi", "mcp-tools", "google-discovery", "aws-model")}
"""API descriptions are JSON too; the registry asks their readers first."""


def test_every_extractor_has_a_sample() -> None:
    assert [extractor.name for extractor in EXTRACTORS] == list(SAMPLES)


@pytest.fixture(params=EXTRACTORS, ids=lambda extractor: extractor.name)
def extractor(request: pytest.FixtureRequest) -> Extractor:
    return request.param


@pytest.fixture
def good(extractor: Extractor, fetched: Make) -> Fetched:
    sample = SAMPLES[extractor.name]
    return fetched(sample.path, sample.body, sample.mime)


def test_it_accepts_its_own_kind_only(extractor: Extractor, fetched: Make) -> None:
    accepted = {
        name
        for name, sample in SAMPLES.items()
        if extractor.accepts(fetched(sample.path, sample.body, sample.mime).source, sample.body[:HEAD])
    }
    allowed = {own for reader, own in ALSO_JSON if reader == extractor.name}
    assert extractor.name in accepted
    assert accepted - {extractor.name} <= allowed


def test_the_registry_chooses_it_for_its_sample(extractor: Extractor, good: Fetched) -> None:
    assert choose(good) is extractor


def test_it_does_not_accept_binary_noise(extractor: Extractor, fetched: Make) -> None:
    noise = fetched("picture.png", b"\x89PNG\r\n\x1a\n\x00\x00\x00", "image/png")
    assert not extractor.accepts(noise.source, noise.body)


def test_equal_bytes_give_equal_extractions(extractor: Extractor, good: Fetched) -> None:
    first, second = extractor.extract(good), extractor.extract(good)
    assert first == second
    assert repr(first) == repr(second)


def test_it_reads_something_and_names_itself_and_the_source(extractor: Extractor, good: Fetched) -> None:
    extraction = extractor.extract(good)
    assert (extraction.extractor, extraction.source_id) == (extractor.name, good.source.id)
    assert any((extraction.operations, extraction.shapes, extraction.tables, extraction.documents))


def test_everything_has_a_place_in_the_source(extractor: Extractor, good: Fetched) -> None:
    for what, locator in _locators(extractor.extract(good)):
        assert locator.strip(), what


def _locators(extraction: Extraction) -> Iterator[tuple[str, str]]:
    yield from ((operation.id, operation.locator) for operation in extraction.operations)
    yield from ((shape.name, shape.locator) for shape in extraction.shapes.values())
    yield from ((table.name, table.locator) for table in extraction.tables)
    yield from ((document.title, document.path) for document in extraction.documents)
    yield from ((example.shape, example.locator) for example in extraction.examples)
    yield from ((issue.reason, issue.locator) for issue in extraction.issues)


def test_table_locators_lead_to_a_row(fetched: Make) -> None:
    sample = SAMPLES["tabular"]
    table = next(e for e in EXTRACTORS if e.name == "tabular").extract(fetched(sample.path, sample.body, sample.mime))
    assert table.tables[0].locator.format(row=3).startswith(f"{sample.path}#")
    assert table.tables[0].locator.format(row=3) != table.tables[0].locator.format(row=4)


def test_broken_input_is_an_error_with_file_place_and_remedy(extractor: Extractor, fetched: Make) -> None:
    sample = SAMPLES[extractor.name]
    with pytest.raises(ExtractError) as caught:
        extractor.extract(fetched(sample.path, sample.broken, sample.mime))
    error = caught.value
    assert error.boundary == "extract"
    assert error.message and error.remedy
    assert error.where.startswith(sample.path)
    line = re.search(sample.place, error.where)
    assert line, "the place in the file is missing"
    if sample.broken_line is not None:
        assert int(line[1]) == sample.broken_line


def test_broken_input_is_failed_in_the_registry(extractor: Extractor, fetched: Make) -> None:
    sample = SAMPLES[extractor.name]
    outcome = extract_all([fetched(sample.path, sample.broken, sample.mime)])[0]
    assert isinstance(outcome, Failed)
    assert outcome.boundary == "extract" and outcome.where.startswith(sample.path) and outcome.remedy


@pytest.mark.parametrize("body", [b"", b" \n\t\n", b"\xef\xbb\xbf"], ids=["nothing", "blanks", "byte-order-mark"])
def test_an_empty_file_never_becomes_an_empty_result(extractor: Extractor, fetched: Make, body: bytes) -> None:
    sample = SAMPLES[extractor.name]
    outcome = extract_all([fetched(sample.path, body, sample.mime)])[0]
    assert isinstance(outcome, Rejected | Failed)
    assert not isinstance(outcome, Produced)


def test_order_of_files_changes_nothing(fetched: Make) -> None:
    files = [fetched(sample.path, sample.body, sample.mime) for sample in SAMPLES.values()]
    forward = extract_all(files)
    backward = extract_all(files[::-1])[::-1]
    assert forward == backward

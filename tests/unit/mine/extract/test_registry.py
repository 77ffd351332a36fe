from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from envforge.core.contracts import Fetched
from envforge.core.outcome import Failed, Produced, Rejected
from envforge.mine.extract.registry import extract_all

Make = Callable[..., Fetched]


@pytest.mark.parametrize(
    ("path", "body", "extractor"),
    [
        ("api.txt", '{"openapi": "3.0.0", "paths": {}}', "openapi"),
        ("composer.json", '{"swagger": "2.0", "paths": {}}', "openapi"),
        ("a.d.ts", "export type A = string;", "typescript"),
        ("rows.csv", "a,b\n1,2\n", "tabular"),
        ("data.json", '[{"a": 1}]', "payload"),
        ("README.md", "# Title\n\ntext", "markdown"),
    ],
)
def test_the_content_chooses_the_extractor(fetched: Make, path: str, body: str, extractor: str) -> None:
    outcome = extract_all([fetched(path, body)])[0]
    assert isinstance(outcome, Produced) and outcome.value.extractor == extractor


@pytest.mark.parametrize(
    ("path", "body", "word"),
    [
        ("a.bin", b"\x00\x01", "no extractor"),
        ("a.csv", b" \n", "empty"),
        ("package.json", b'{"name": "x"}', "packaging"),
    ],
)
def test_what_nobody_reads_is_rejected_with_a_reason(fetched: Make, path: str, body: bytes, word: str) -> None:
    outcome = extract_all([fetched(path, body)])[0]
    assert isinstance(outcome, Rejected) and word in outcome.reason and outcome.evidence["path"] == path


HEAVY = ("lxml", "openpyxl", "sqlglot", "graphql")
READ = """
import sys
from envforge.core.contracts import Fetched
from envforge.core.records.source import Source
from envforge.mine.extract.registry import extract_all
source = Source(id="src-0", url="", url_status="none", retrieved_at="2024-01-01T00:00:00Z", sha256="", mime="",
                bytes=0, path=sys.argv[1])
extract_all([Fetched(source, sys.argv[2].encode())])
print(sorted({name.split(".")[0] for name in sys.modules} & set(sys.argv[3:])))
"""


@pytest.mark.parametrize(
    ("path", "body", "loaded"),
    [
        ("rows.csv", "a,b\n1,2\n", []),
        ("a.html", "<p>x</p>", ["lxml"]),
        ("a.sql", "CREATE TABLE a (id int);", ["sqlglot"]),
        ("a.graphql", "type Query { a: Int }", ["graphql"]),
    ],
)
def test_a_parser_is_loaded_only_for_a_file_of_its_kind(path: str, body: str, loaded: list[str]) -> None:
    done = subprocess.run([sys.executable, "-c", READ, path, body, *HEAVY], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == (str(loaded), "")


def test_outcomes_keep_the_order_and_packages_stay_apart(fetched: Make) -> None:
    files = [
        fetched("a.d.ts", "export type A = { b: B };", package="pkg:npm/one@1"),
        fetched("broken.json", "[1,"),
        fetched("b.d.ts", "export type B = string;", package="pkg:npm/two@1"),
        fetched("c.d.ts", "export type B = number;", package="pkg:npm/one@1"),
    ]
    first, second, third, fourth = extract_all(files)
    assert isinstance(second, Failed) and second.where == "broken.json:1" and second.boundary == "extract"
    assert isinstance(first, Produced) and first.value.shapes["A"].type.fields[0].type.name == "B"
    assert isinstance(third, Produced) and third.value.shapes["B"].type.kind == "string"
    assert isinstance(fourth, Produced) and fourth.value.shapes["B"].type.kind == "number"


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte-order-mark"])
def test_a_byte_that_is_not_utf_8_is_named_with_its_line(fetched: Make, mark: bytes) -> None:
    (outcome,) = extract_all([fetched("a.txt", mark + b"one\nna\xefve\n")])
    assert isinstance(outcome, Failed)
    assert (outcome.error, outcome.where) == ("byte 0xef in line 2 is not UTF-8", "a.txt:2")


@pytest.mark.parametrize(
    ("path", "body", "title"),
    [
        ("README.md", "intro\n\n## The *title* ##\ntext", "The *title*"),
        ("a.rst", "Heading\n=======\n", "Heading"),
        ("b.txt", "words\n## Closed # twice ##  \n", "Closed # twice"),
        ("c.txt", "# ###\n", "#"),
        ("docs/plain.txt", "just words", "plain.txt"),
    ],
)
def test_texts_are_kept_as_they_are_with_their_titles(fetched: Make, path: str, body: str, title: str) -> None:
    outcome = extract_all([fetched(path, body)])[0]
    assert isinstance(outcome, Produced)
    document = outcome.value.documents[0]
    assert (document.title, document.text, document.path) == (title, body, path)


def test_a_description_that_quotes_another_kind_of_document_is_read_as_what_it_is(fetched: Make) -> None:
    schema = '{"type": "object", "properties": {"discoveryVersion": {"type": "string"}}}'
    body = f'{{"openapi": "3.0.0", "components": {{"schemas": {{"Document": {schema}}}}}, "paths": {{}}}}'
    (outcome,) = extract_all([fetched("catalogue.json", body)])
    assert isinstance(outcome, Produced)
    assert outcome.value.extractor == "openapi"

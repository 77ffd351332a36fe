"""Whatever the bytes: an Extraction or a typed error, within bounds."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.core.ids import sha256_bytes
from envforge.core.outcome import Produced
from envforge.core.records.extraction import Extraction
from envforge.core.records.source import Source
from envforge.mine.extract.html import HtmlExtractor
from envforge.mine.extract.html_tree import MAX_TAGS, MAX_TEXT
from envforge.mine.extract.markdown import MarkdownExtractor
from envforge.mine.extract.registry import extract_all

PIECES = st.sampled_from(
    ["<table>", "</table>", "<tr>", "<td>", "<th>", "<thead>", "<td colspan=9999 rowspan=9999>", "<caption>", "<p>"]
    + ["</p>", "<dl>", "<dt>", "<dd>", "</dl>", "<h1>", "</h1>", "<a href='../x.html'>", "<a href='javascript:1'>"]
    + ["<sup>", "2", "</sup>", "<pre>", "<ul>", "<li>", "<div hidden>", "</div>", "<div itemscope itemtype=a/B>"]
    + [
        "<b itemprop=c>",
        "<script type='application/ld+json'>",
        '{"@type":"T","@id":1}',
        "</script>",
        "<br>",
        "x",
        "&amp;",
    ]
    + ["<!--", "-->", "<![CDATA[", "<meta charset=gbk>", "\x00", "\u202e", "é", "|", "\n", "1,234", "<svg>", "<math>"]
    + ["# h\n", "| a | b |\n", "|---|---|\n", "```\n", "[a](b.md)", "===\n", "\\"]
)


def _file(path: str, body: bytes) -> Fetched:
    digest = sha256_bytes(body)
    stamp = "2024-01-01T00:00:00Z"
    source = Source(
        id=f"src-{digest[:16]}",
        url="",
        url_status="none",
        retrieved_at=stamp,
        sha256=digest,
        mime="",
        bytes=0,
        path=path,
    )
    return Fetched(source, body)


def _tried(path: str, body: bytes) -> Extraction | ExtractError:
    extractor = MarkdownExtractor() if path.endswith(".md") else HtmlExtractor()
    try:
        return extractor.extract(_file(path, body))
    except ExtractError as error:
        assert error.where.startswith(path) and error.remedy
        return error


@given(st.lists(PIECES, max_size=60))
@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_markup_is_read_or_refused(pieces: list[str]) -> None:
    body = "".join(pieces).encode()
    for path in ("a.html", "a.md"):
        result = _tried(path, body)
        for table in result.tables if isinstance(result, Extraction) else ():
            assert all(len(row) == len(table.columns) for row in table.rows)
            assert sum(part.rows for part in table.parts) in (0, len(table.rows))


@given(st.binary(max_size=400))
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    _tried("a.html", body)
    _tried("a.md", body)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"<div>" * 100_000 + b"x", "deeper"),
        (b"<table><tr><td>" * 100_000, "deeper"),
        (b"<table>" + b"<td>" * (MAX_TAGS + 1), "tags"),
        (b"x" * (MAX_TEXT + 1), "characters"),
        (b"<p " + b" ".join(b"a%d=1" % n for n in range(5_000)) + b">", "attributes"),
        (b"<p title='" + b"x" * 11_000_000 + b"'>t", "long"),
    ],
    ids=["deep", "deep-tables", "many-cells", "long", "attributes", "long-value"],
)
def test_pages_past_the_bounds_are_refused_by_name(body: bytes, told: str) -> None:
    result = _tried("a.html", body)
    assert isinstance(result, ExtractError)
    assert told in result.message


@pytest.mark.parametrize(
    "body",
    [
        b"<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'><!ENTITY c '&b;&b;'>]><p>&c;&c;</p>",
        b"<!DOCTYPE x [<!ENTITY f SYSTEM 'file:///etc/passwd'>]><p>&f;</p>",
        b"<b><p>" * 20_000,
        b"<a href=x.html><h1>" * 100 + b"t" * 1000,
        b"<span itemprop=a>" * 200 + b"<b>x</b>" * 20_000,
        b"<table><tr><th>a<th>b" + b"<tr><td>1<td>2" * 20_000,
        b"<!--" * 50_000,
        b"<" * 50_000,
        b"&" * 50_000,
        b"<dl>" + b"<dt>a<dd>b" * 20_000,
    ],
)
def test_hostile_pages_are_read_as_far_as_they_say_anything(body: bytes) -> None:
    result = _tried("a.html", body)
    text = "" if isinstance(result, ExtractError) else "".join(document.text for document in result.documents)
    assert "root:" not in text and len(text) <= 40 * len(body)


@pytest.mark.parametrize(
    "body",
    [b"[" * 100_000, b"|" * 100_000, b"| a |\n|---|\n" * 20_000, b"`" * 100_000, b"# " * 50_000]
    + [b"# a" + b" " * 1_000_000 + b"x", b"| a |\n-" + b" " * 1_000_000 + b"x"],
)
def test_hostile_markdown_is_read(body: bytes) -> None:
    assert isinstance(_tried("a.md", body), Extraction)


@pytest.mark.parametrize("body", [b"# a" + b" " * 1_000_000 + b"x", b"# " + b" #" * 500_000 + b"x", b"#\n" * 500_000])
def test_hostile_texts_are_kept(body: bytes) -> None:
    assert isinstance(extract_all([_file("a.txt", body)])[0], Produced)


def test_a_page_without_tables_is_a_document() -> None:
    outcome = extract_all([_file("a.html", b"<p>Only words.</p>")])[0]
    assert outcome.value.documents[0].text == "Only words.\n"  # type: ignore[union-attr]
    assert not outcome.value.tables  # type: ignore[union-attr]

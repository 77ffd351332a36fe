from __future__ import annotations

import pytest

from envforge.core.errors import ExtractError
from envforge.core.records.extraction import Issue
from envforge.mine.extract.html_tables import PageTable, page_tables
from envforge.mine.extract.html_tree import parse_html, unseen


def _read(html: str) -> tuple[list[PageTable], list[Issue]]:
    root = parse_html(html, "a.html")
    tables, issues = page_tables(root, unseen(root), "a.html")
    return list(tables.values()), issues


def _one(html: str) -> PageTable:
    tables, issues = _read(html)
    assert len(tables) == 1, issues
    return tables[0]


def test_spans_are_filled() -> None:
    table = _one(
        "<table><caption>Berths</caption><tr><th>Pier<th>Berth<th>Boat"
        "<tr><td rowspan=2>North<td>1<td>Tern<tr><td>2<td>Gull<tr><td colspan=2>South<td>Auk</table>"
    )
    assert table.caption == "Berths"
    assert table.header == ("Pier", "Berth", "Boat")
    assert table.rows == (("North", "1", "Tern"), ("North", "2", "Gull"), ("South", "South", "Auk"))


def test_header_rows_are_joined_from_the_top() -> None:
    table = _one(
        "<table><thead><tr><th rowspan=2>Port<th colspan=2>Boats<tr><th>2020<th>2021</thead>"
        "<tr><td>Ost<td>4<td>5</table>"
    )
    assert table.header == ("Port", "Boats 2020", "Boats 2021")


def test_a_title_over_all_columns_names_none() -> None:
    table = _one("<table><tr><th colspan=2>All ports<tr><th>Port<th>Boats<tr><td>Ost<td>4</table>")
    assert table.header == ("Port", "Boats")


def test_rows_over_all_columns_head_those_below() -> None:
    table = _one(
        "<table><tr><th>Port<th>Boats<tr><th colspan=2>North<tr><td>Ost<td>4<tr><th>Port<th>Boats<tr><td>West<td>2"
        "<tr><td colspan=2>South<tr><td>Kap<td>9</table>"
    )
    assert table.header == ("Port", "Boats", "section")
    assert table.rows == (("Ost", "4", "North"), ("West", "2", "North"), ("Kap", "9", "South"))


def test_footnote_marks_go_exponents_stay() -> None:
    table = _one(
        "<table><tr><th>Port<th>Area (km<sup>2</sup>)<tr><td>Ost<sup><a href='#n1'>[1]</a></sup><td>1,200<sup>a</sup>"
        "<tr><td>West<sup>†</sup><td>10<sup>3</sup></table>"
    )
    assert table.header == ("Port", "Area (km²)")
    assert table.rows == (("Ost", "1,200"), ("West", "10³"))


def test_header_cells_in_the_body_are_values() -> None:
    table = _one("<table><tr><td><th>Boats<tr><th scope=row>Ost<td>4</table>".replace("<td><th>", "<th><th>"))
    assert table.header == ("name", "Boats")
    assert table.rows == (("Ost", "4"),)


def test_paragraphs_under_stacked_headers_are_columns() -> None:
    table = _one(
        "<table><tr><th><p class=s>Call</p><p>Meaning</p><p>Example</p><tr><td><p class=s>go()</p><p class=s>go(n)</p>"
        "<p>Leaves.</p><p>go(1)</p><pre>go(2)</pre><tr><td><p class=s>stop()</p><p>Stays.</p></table>"
    )
    assert table.header == ("Call", "Meaning", "Example")
    assert table.rows == (("go()\ngo(n)", "Leaves.", "go(1)\ngo(2)"), ("stop()", "Stays.", ""))


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ("<table role=presentation><tr><th>a<th>b<tr><td>1<td>2</table>", "layout"),
        ("<table><tr><td>a<td>b<tr><td>1<td>2</table>", "header"),
        ("<table><tr><th>a<tr><td>1<tr><td>2</table>", "single column"),
        ("<table><tr><th>a<th>b</table>", "without rows"),
        ("<table><tr><th>a<th><th><tr><td>1<td>2<td>3</table>", "no names"),
    ],
)
def test_what_holds_no_records_is_left_out_with_the_reason(html: str, reason: str) -> None:
    tables, issues = _read(html)
    assert not tables
    assert [reason in issue.reason for issue in issues] == [True]
    assert issues[0].locator == "a.html#table[1]"


def test_hidden_parts_are_not_there() -> None:
    table = _one(
        "<table hidden><tr><th>a<th>b<tr><td>1<td>2</table>"
        "<nav><table><tr><th>a<th>b<tr><td>1<td>2</table></nav>"
        "<table><tr><th>Port<th>Boats<tr style='display:none'><td>X<td>1<tr><td>Ost<span hidden>x</span><td>4</table>"
    )
    assert table.rows == (("Ost", "4"),)


def test_nested_tables_are_tables_of_their_own() -> None:
    tables, _ = _read(
        "<table><tr><th>Port<th>Boats<tr><td>Ost<td><table><tr><th>Boat<th>Seats<tr><td>Tern<td>4</table></table>"
    )
    assert [table.rows for table in tables] == [(("Ost", ""),), (("Tern", "4"),)]


def test_the_heading_names_a_table_without_a_caption() -> None:
    assert _one("<h2>Ports</h2><table><tr><th>a<th>b<tr><td>1<td>2</table>").title == "Ports"


def test_absurd_spans_are_bounded() -> None:
    table = _one("<table><tr><th>a<th>b<tr><td>1<td colspan=100000 rowspan=99999999999>2</table>")
    assert (table.header, table.rows) == (("a", "b"), (("1", "2"),))
    many = "<tr>" + "<td colspan=100000>x" * 2000
    with pytest.raises(ExtractError) as caught:
        _read("<table><tr><th>a<th>b" + many + "</table>")
    assert "cells" in caught.value.message and caught.value.where.startswith("a.html:") and caught.value.remedy

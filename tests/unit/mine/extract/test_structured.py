from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from envforge.core.contracts import Fetched
from envforge.core.outcome import Produced
from envforge.mine.extract.html import HtmlExtractor
from envforge.mine.extract.html_tree import parse_html
from envforge.mine.extract.structured import MAX_ITEMS, structured_items

Make = Callable[..., Fetched]


def _page(value: Any) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script><p>text</p>'


def _items(html: str) -> list[tuple[str, dict[str, Any]]]:
    return [(item.type, item.record) for item in structured_items(parse_html(html, "a.html"), "a.html")[0]]


def test_things_with_an_id_stand_by_themselves() -> None:
    boat = {
        "@context": "https://schema.org",
        "@type": "Vehicle",
        "@id": "#tern",
        "name": "Tern",
        "manufacturer": {"@type": "Organization", "@id": "#yard", "name": "Yard"},
        "colour": {"@value": "red", "@language": "en"},
        "offers": {"@type": "Offer", "price": 5, "priceCurrency": "EUR"},
    }
    record = {"id": "#tern", "name": "Tern", "manufacturer": "#yard", "colour": "red"}
    offer = {"price": 5, "priceCurrency": "EUR"}
    assert _items(_page({"@graph": [boat]})) == [
        ("Vehicle", {**record, "offers": offer}),
        ("Organization", {"id": "#yard", "name": "Yard"}),
    ]


def test_types_are_the_last_word_and_site_furniture_is_left_out() -> None:
    things = [{"@type": "http://schema.org/Boat", "name": "x"}, {"@type": "BreadcrumbList", "name": "y"}]
    assert _items(_page(things)) == [("Boat", {"name": "x"})]


def test_microdata() -> None:
    html = (
        "<div itemscope itemtype='https://schema.org/Event' itemid='e1'><h2 itemprop=name>Regatta</h2>"
        "<time itemprop=startDate datetime=2024-05-01>May</time><p itemprop=location itemscope "
        "itemtype='https://schema.org/Place'><span itemprop=name>Bay</span></p><a itemprop=url href=/r>more</a></div>"
    )
    record = {"id": "e1", "name": "Regatta", "startDate": "2024-05-01", "location": "Bay", "url": "/r"}
    assert _items(html) == [("Event", record)]


def test_broken_blocks_are_issues() -> None:
    root = parse_html("<script type='application/ld+json'>{\"a\": </script><p>x", "a.html")
    items, issues = structured_items(root, "a.html")
    assert not items
    assert issues[0].locator == "a.html#ld+json[1]" and "JSON" in issues[0].reason


def test_one_table_per_type_a_thing_is_one_row(fetched: Make) -> None:
    def page(number: int, more: dict[str, Any]) -> Fetched:
        yard = {"@type": "Organization", "@id": "#yard", "name": "Yard", **more}
        boat = {"@type": "Boat", "@id": f"#{number}", "name": f"Boat {number}", "builtBy": {"@id": "#yard"}}
        return fetched(f"{number}.html", _page([boat, yard]), mime="text/html")

    outcomes = HtmlExtractor().extract_site([page(1, {}), page(2, {"city": "Ost"})])
    found = [outcome.value for outcome in outcomes if isinstance(outcome, Produced)]
    tables = {table.name: table for extraction in found for table in extraction.tables}
    assert tables["boat"].rows == (("#1", "Boat 1", "#yard"), ("#2", "Boat 2", "#yard"))
    assert [part.locator.format(row=1) for part in tables["boat"].parts] == [
        "1.html#ld+json[1]/row=1",
        "2.html#ld+json[1]/row=1",
    ]
    assert tables["organization"].rows == (("#yard", "Yard", "Ost"),)


def test_the_number_of_things_is_bounded() -> None:
    root = parse_html(_page([{"@type": "Boat", "n": n} for n in range(MAX_ITEMS + 5)]), "a.html")
    assert len(structured_items(root, "a.html")[0]) == MAX_ITEMS

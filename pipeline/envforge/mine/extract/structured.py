"""JSON-LD and microdata: things that pages describe in data, by type. No context is fetched: names are as stated."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, islice
from typing import Any

from envforge.core.errors import ExtractError
from envforge.core.ids import canonical_json
from envforge.core.records.extraction import Issue, MinedTable, TablePart
from envforge.mine.extract.html_text import plain
from envforge.mine.extract.html_tree import Element
from envforge.mine.extract.pages import Item
from envforge.mine.extract.parse import mapping, read_json, sequence
from envforge.mine.extract.records import rows_of, table_name, table_of

MAX_ITEMS = 50_000
"""Things of one page."""
_MAX_VALUE = 500
"""Elements of a microdata property whose text is read."""
_ABOUT_THE_SITE = frozenset(
    {"BreadcrumbList", "ListItem", "SearchAction", "SiteNavigationElement", "WPHeader", "WPFooter", "WPSideBar"}
    | {
        "WebPage",
        "WebSite",
        "ReadAction",
        "EntryPoint",
        "ImageObject",
        "Thing",
        "FAQPage",
        "ItemList",
        "CollectionPage",
    }
)
_LINKS = {"a": "href", "area": "href", "link": "href", "img": "src", "audio": "src", "video": "src", "source": "src"}
_VALUES = {"meta": "content", "time": "datetime", "data": "value", "meter": "value"} | _LINKS


def structured_items(tree: Element, path: str) -> tuple[list[Item], list[Issue]]:
    """All typed things of the page, nested ones with an id by themselves; and what could not be read."""
    items: list[Item] = []
    issues: list[Issue] = []
    number = 0
    for block in tree.iter("script"):
        if (block.get("type") or "").split(";")[0].strip().lower() != "application/ld+json":
            continue
        number += 1
        place = f"{path}#ld+json[{number}]"
        try:
            value = read_json((block.text or "").strip().rstrip(";"), path)
        except ExtractError as error:
            issues.append(Issue(locator=place, reason=f"{error.message}; left out"))
            continue
        items.extend(islice(_things(value, place), MAX_ITEMS))
    for count, scope in enumerate(_top_scopes(tree), start=1):
        items.extend(_things(_microdata(scope), f"{path}#microdata[{count}]"))
    if len(items) > MAX_ITEMS:
        issues.append(Issue(locator=path, reason=f"describes more than {MAX_ITEMS:,} things; the others are left out"))
    return items[:MAX_ITEMS], issues


def _things(value: Any, place: str) -> Iterator[Item]:
    """Typed objects that stand by themselves: at the top, in lists, in @graph, and nested ones with an @id."""
    stack: list[Any] = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            stack.extend(reversed(sequence(node)))
            continue
        thing = mapping(node)
        stack.extend(reversed(sequence(thing.get("@graph"))))
        kind = _type(thing)
        nested: list[Any] = []
        record = {name: _value(inner, nested) for name, inner in thing.items() if not name.startswith("@")}
        stack.extend(reversed(nested))
        if kind and kind not in _ABOUT_THE_SITE and record:
            key = thing.get("@id")
            yield Item(kind, {**({"id": key} if isinstance(key, str) else {}), **record}, place)


def _type(thing: dict[str, Any]) -> str:
    stated = thing.get("@type")
    first = stated if isinstance(stated, str) else next((x for x in sequence(stated) if isinstance(x, str)), "")
    return re.split(r"[/#:]", first.rstrip("/#"))[-1]


def _value(value: Any, nested: list[Any]) -> Any:
    """A property's value; things with an id become that id and stand in `nested`, plain objects stay."""
    if isinstance(value, list):
        values = [_value(item, nested) for item in sequence(value)]
        return values[0] if len(values) == 1 else values or None
    thing = mapping(value)
    if not thing:
        return value if not isinstance(value, dict) else None
    if set(thing) <= {"@value", "@language", "@type"} and "@value" in thing:
        return thing["@value"]
    if isinstance(thing.get("@id"), str):
        if len(thing) > 1:
            nested.append(thing)
        return thing["@id"]
    if set(thing) <= {"@type", "name"}:
        return thing.get("name")
    return {name: _value(inner, nested) for name, inner in thing.items() if not name.startswith("@")}


def _top_scopes(tree: Element) -> Iterator[Element]:
    for scope in tree.iter():
        if scope.get("itemscope") is not None and scope.get("itemprop") is None:
            yield scope


def _microdata(scope: Element) -> dict[str, Any]:
    """One item as JSON-LD would say it."""
    item: dict[str, Any] = {"@type": (scope.get("itemtype") or "").split(" ")[0]}
    if scope.get("itemid"):
        item["@id"] = scope.get("itemid")
    values: dict[str, list[Any]] = {}
    stack = list(reversed(list(scope)))
    while stack:
        element = stack.pop()
        inner = element.get("itemscope") is not None
        for name in (element.get("itemprop") or "").split()[:8]:
            values.setdefault(name, []).append(_microdata(element) if inner else _text(element))
        if not inner:
            stack.extend(reversed(list(element)))
    item.update({name: held[0] if len(held) == 1 else held for name, held in values.items()})
    return item


def _text(element: Element) -> str | None:
    attribute = _VALUES.get(element.tag)
    stated = element.get(attribute) if attribute else element.get("content")
    if stated is not None:
        return stated.strip() or None
    if len(list(islice(element.iter(), _MAX_VALUE + 1))) > _MAX_VALUE:
        return None
    return plain(element) or None


def item_tables(pages: Sequence[tuple[Sequence[Item], str]]) -> list[MinedTable]:
    """One table per type over all pages; a thing that several pages describe is one row, its gaps filled."""
    by_type: dict[str, dict[str, tuple[dict[str, Any], str, str]]] = {}
    for items, source_id in pages:
        for item in items:
            known = by_type.setdefault(item.type, {})
            key = canonical_json(item.record.get("id") or item.record)
            if key in known:
                for name, value in item.record.items():
                    if known[key][0].get(name) is None:
                        known[key][0][name] = value
            else:
                known[key] = (dict(item.record), item.locator, source_id)
    return [_table(kind, list(rows.values())) for kind, rows in by_type.items()]


def _table(kind: str, rows: Sequence[tuple[dict[str, Any], str, str]]) -> MinedTable:
    places = [(rows_of(locator), source_id) for _, locator, source_id in rows]
    parts = tuple(TablePart(len(list(group)), *place) for place, group in groupby(places))
    table = table_of(table_name(kind), [record for record, _, _ in rows], *places[0])
    return replace(table, parts=parts if len(parts) > 1 else ())

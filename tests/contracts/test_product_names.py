"""Nothing under pipeline/ and no archetype names a product: what a theme needs comes from its sources and its entry."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from envforge.core.records.source import Theme
from envforge.factory.themes import load_themes

ROOT = Path(__file__).parents[2]

COMMON_WORDS = {
    "client": "a common word",
    "cloud": "a common word",
    "directory": "a common word",
    "examples": "a common word",
    "openapi": "a format, not a product: one of the extractors reads it",
    "payments": "a common word",
    "server": "a common word",
    "so": "a common word, end of a domain name",
    "com": "end of a domain name",
    "work": "a common word",
    "management": "a common word",
    "mcp": "a protocol, not a product: tools may not take its name",
    "webhooks": "a common word",
    "workspace": "a common word",
    "docs": "a common word",
    "org": "end of a domain name",
    "www": "start of a domain name",
    "https": "start of a URL",
    "npm": "the user's own package client",
}
"""Words in names of the catalogue that are not a product's name, each with the reason."""

ALLOWED = {
    ("pipeline/envforge/web/licence.py", "postgresql"): "the SPDX identifier of the PostgreSQL License and its wording",
    ("pipeline/envforge/publish/card/header.py", "postgresql"): "what the Hub calls the PostgreSQL License",
    ("pipeline/envforge/mine/extract/sql_schema.py", "postgres"): "what the SQL parser calls the dialect",
    ("validators/prices/models.json", "github"): "the address of the table that the prices come from",
}
"""(file, word) → why the word may stand there."""


def _words(theme: Theme) -> set[str]:
    texts = [theme.slug, theme.title, *theme.aliases, *(anchor.spec for anchor in theme.anchors)]
    return {word for text in texts for word in re.findall(r"[a-z]{2,}", text.lower())}


PRODUCTS = [theme for theme in load_themes([ROOT / "themes"]).values() if theme.kind == "product"]
WORDS = {word for theme in PRODUCTS for word in _words(theme)}
NAMES = sorted(WORDS - COMMON_WORDS.keys())


def _files() -> Iterator[Path]:
    for folder in ("pipeline", "themes/archetypes", "validators"):
        yield from (p for p in sorted((ROOT / folder).rglob("*")) if p.suffix in {".py", ".yaml", ".json", ".md"})


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _mentions(text: str, name: str) -> list[int]:
    # Identifiers hold names too (`notion_page`, `NotionPage`); a longer word (`notions`, `striped`) is another word.
    pattern = re.compile(rf"(?<![a-z]){name}(?![a-z])|{name.capitalize()}(?![a-z])|(?<![A-Z]){name.upper()}(?![A-Z])")
    found: list[int] = []
    for number, line in enumerate(text.splitlines(), 1):
        spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", line)
        if pattern.search(spaced) or re.search(rf"(?<![a-z]){name}(?![a-z])", spaced.lower()):
            found.append(number)
    return found


def test_the_names_are_those_of_the_product_themes() -> None:
    assert {"notion", "github", "jira", "asana", "stripe", "postgresql"} <= set(NAMES)


@pytest.mark.parametrize(
    "line", ["x = 'Notion'", "def notion_page():", "class NotionPage:", "# as in NOTION", "notion.so"]
)
def test_a_name_is_found_in_any_spelling(line: str) -> None:
    assert _mentions(line, "notion") == [1]


@pytest.mark.parametrize("line", ["a notions shop", "striped", "emotional"])
def test_other_words_are_left_alone(line: str) -> None:
    assert not _mentions(line, "notion") and not _mentions(line, "stripe")


@pytest.mark.parametrize("name", NAMES)
def test_no_module_or_archetype_names_a_product(name: str) -> None:
    found: list[str] = []
    for path in _files():
        place = path.relative_to(ROOT).as_posix()
        if (place, name) in ALLOWED:
            continue
        text = _text(path)
        if name not in text.lower():  # most files, told at a glance
            continue
        found += [f"{place}:{number}" for number in _mentions(text, name)]
    assert found == []


def test_every_exception_is_still_needed() -> None:
    for place, name in ALLOWED:
        assert _mentions((ROOT / place).read_text(encoding="utf-8"), name), f"{name} is no longer in {place}"
    assert COMMON_WORDS.keys() <= WORDS, f"in no name any more: {sorted(COMMON_WORDS.keys() - WORDS)}"

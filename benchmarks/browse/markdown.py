"""Words, headings and rows of real pages in the browser's Markdown: `python -m benchmarks.browse.markdown SNAPSHOT`.

The measure is what Chromium itself says is shown (`innerText`). Where trafilatura and markdownify are installed, what
they make of the same bytes is measured beside it.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import random
import re
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from playwright.async_api import Page as PlaywrightPage
from playwright.async_api import async_playwright

from envforge.web.browser.chromium import executable, sandboxed
from envforge.web.browser.tab import script
from envforge.web.browser.view import Page, joined
from envforge.web.snapshot import SnapshotFetcher

Convert = Callable[[str], str | None]
_FACTS = """() => [
  document.querySelectorAll('h1,h2,h3,h4,h5,h6').length,
  [...document.querySelectorAll('table')]
    .filter((table) => Math.max(...[...table.rows].map((row) => row.cells.length)) > 1)
    .reduce((sum, table) => sum + table.rows.length, 0),
]"""
_FENCED = re.compile(r"^ *(`{3,})\w*\n.*?^ *\1 *$", re.MULTILINE | re.DOTALL)


@dataclass
class Tally:
    """Sums over all pages."""

    words: int = 0
    missed: int = 0
    headings: int = 0
    rows: int = 0
    seconds: list[float] = field(default_factory=list[float])

    def add(self, shown: str, markdown: str, seconds: float) -> None:
        """One page: the words that are shown, and the Markdown made of it."""
        there = Counter(re.findall(r"[A-Za-z0-9_]{2,}", shown))
        self.words += there.total()
        self.missed += (there - Counter(re.findall(r"[A-Za-z0-9_]{2,}", markdown))).total()
        prose = _FENCED.sub("", markdown)
        self.headings += len(re.findall(r"^ *#+ |^=+$", prose, re.MULTILINE)) + len(
            re.findall(r"^[^\n|]+\n-+$", prose, re.M)
        )
        self.rows += len(re.findall(r"^\s*\|(?! ?-)", prose, re.MULTILINE))
        self.seconds.append(seconds)

    def line(self, name: str) -> str:
        """For the table."""
        median = sorted(self.seconds)[len(self.seconds) // 2]
        share = 1 - self.missed / self.words
        return f"{name:12} words {share:.4f}  headings {self.headings}  rows {self.rows}  median {median * 1000:.0f} ms"


async def _walked(page: PlaywrightPage) -> str:
    hold = await page.evaluate_handle(script("walk.js"), {"first": 1, "most": 2_000_000})
    read = await hold.get_property("page")
    return joined(Page.model_validate(await read.json_value()).blocks)


def _others() -> dict[str, Convert]:
    found: dict[str, Convert] = {}
    with suppress(ImportError):
        extract: Callable[..., str | None] = importlib.import_module("trafilatura").extract
        options: dict[str, object] = {"output_format": "markdown", "include_links": True, "favor_recall": True}
        found["trafilatura"] = lambda html: extract(html, **options)
    with suppress(ImportError):
        convert: Callable[..., str] = importlib.import_module("markdownify").markdownify
        found["markdownify"] = lambda html: convert(html, strip=["script", "style"])
    return found


async def measure(snapshot: Path, count: int) -> None:
    """Print one line for each way."""
    pages = [item for item in SnapshotFetcher(snapshot).everything() if item.source.mime.startswith("text/html")]
    chosen = random.Random(1).sample(pages, min(count, len(pages)))
    tallies: dict[str, Tally] = {name: Tally() for name in ("browser", *_others())}
    headings = rows = 0
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=executable(), chromium_sandbox=sandboxed())
        page = await (await browser.new_context(offline=True)).new_page()
        for item in chosen:
            html = item.body.decode("utf-8", "replace")
            await page.set_content(html, wait_until="domcontentloaded")
            shown = await page.inner_text("body")
            facts: list[int] = await page.evaluate(_FACTS)
            headings, rows = headings + facts[0], rows + facts[1]
            begun = time.perf_counter()
            markdown = await _walked(page)
            tallies["browser"].add(shown, markdown, time.perf_counter() - begun)
            for name, convert in _others().items():
                begun = time.perf_counter()
                markdown = convert(html) or ""
                tallies[name].add(shown, markdown, time.perf_counter() - begun)
        await browser.close()
    print(f"{len(chosen)} pages, {tallies['browser'].words:,} words, {headings} headings, {rows} rows of tables")
    for name, tally in tallies.items():
        print(tally.line(name))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("--count", type=int, default=80)
    given = parser.parse_args()
    asyncio.run(measure(given.snapshot, given.count))

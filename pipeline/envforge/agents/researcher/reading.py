"""Tools that bring a source before the agent: open it, read on in it."""

from __future__ import annotations

from typing import Any

from envforge.agents.assignment import Seen, ToolUse
from envforge.agents.known import KnownAddresses
from envforge.agents.researcher.findings import Findings
from envforge.agents.researcher.pages import Page, Pages
from envforge.agents.showing import clipped

_BEGINNING = 1200
_PIECE = 2500
_MOST_TABLES = 12
_MOST_COLUMNS = 24
_VALUE = 24


class Open:
    """Fetches a source and tells what is in it."""

    name = "open"
    description = "open an address that a search or a page named; tells its tables and the beginning of its text"
    wants_code = ""

    def __init__(self, pages: Pages, findings: Findings, links: KnownAddresses) -> None:
        self._pages, self._findings, self._links = pages, findings, links

    @property
    def parameters(self) -> dict[str, Any]:
        """The address."""
        return {"address": {"type": "string"}}

    def use(self, use: ToolUse) -> Seen:
        """Title, tables and text. Raises DeniedError, SourceError."""
        page = self._pages.open(str(use.arguments["address"]))
        self._links.add(use.step, page.links())
        self._findings.opened(use.step, page.address)
        said = [f"{page.title} ({page.file.source.mime}, {len(page.text)} characters)", *table_lines(page)]
        return Seen("\n".join([*said, "Text:", clipped(page.text, _BEGINNING)]))


class Read:
    """Reads on in a source."""

    name = "read"
    description = "read a source's text from a character on"
    wants_code = ""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    @property
    def parameters(self) -> dict[str, Any]:
        """The address and where to begin."""
        return {"address": {"type": "string"}, "start": {"type": "integer"}}

    def use(self, use: ToolUse) -> Seen:
        """A piece of the text. Raises DeniedError, SourceError."""
        page, start = self._pages.open(str(use.arguments["address"])), max(0, int(use.arguments["start"]))
        if start >= len(page.text):
            return Seen(f"The text has {len(page.text)} characters only.", ok=False)
        return Seen(clipped(page.text[start:], _PIECE))


def table_lines(page: Page) -> list[str]:
    """The tables of a source, numbered from 1, with their columns and a first row."""
    if page.problem:
        return [f"Its tables cannot be read: {page.problem}"]
    lines: list[str] = []
    for number, table in enumerate(page.tables[:_MOST_TABLES], start=1):
        columns = ", ".join(column.name for column in table.columns[:_MOST_COLUMNS])
        first = ", ".join(str(value)[:_VALUE] for value in table.rows[0][:_MOST_COLUMNS]) if table.rows else ""
        lines.append(f"Table {number} {table.name!r}: {len(table.rows)} rows; columns: {columns}; first row: {first}")
    return lines or ["It holds no table that can be taken."]

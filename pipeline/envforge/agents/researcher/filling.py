"""Tools that fill tables: plan them, take an extractor's table, write rows, write a program that reads rows."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, cast

from pydantic import ValidationError

from envforge.agents.assignment import Seen, ToolUse
from envforge.agents.researcher.findings import Findings
from envforge.agents.researcher.pages import Page, Pages
from envforge.agents.researcher.rows import Intake
from envforge.agents.tools.code import Answer, Code
from envforge.core.records.agent import Permissions
from envforge.core.records.extraction import MinedTable
from envforge.core.records.research import PlannedTable

_TEXT: dict[str, Any] = {"type": "string"}
_MOST_TABLES = 8
_PROGRAM = """Write a Python program in one ```python block: def solve(call): ... that returns a list of rows, each
a list of strings in the order of the table's columns, copied just as they stand in the source.
call("page")["text"] is the source's text, call("page")["tables"] its tables: [{"name", "columns", "rows"}].
Only re, json, math, datetime and collections can be imported. Example:
```python
import re

def solve(call):
    text = call("page")["text"]
    return [[code, name] for code, name in re.findall(r"\\b([A-Z]{3}) - ([A-Z]\\w+)", text)]
```"""


class Plan:
    """Says which tables there are to be."""

    name = "plan"
    description = "name the tables to fill, with columns and the key column; the last plan counts"
    wants_code = ""

    def __init__(self, findings: Findings, there: Collection[str] = ()) -> None:
        """`there`: names of tables that somebody else filled."""
        self._findings, self._there = findings, {_plain(name) for name in there}

    @property
    def parameters(self) -> dict[str, Any]:
        """The tables."""
        columns = {"type": "array", "items": _TEXT}
        properties = {"name": _TEXT, "about": _TEXT, "columns": columns, "key": _TEXT}
        table = {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
        return {"tables": {"type": "array", "items": table}}

    def use(self, use: ToolUse) -> Seen:
        """Keep the plan, unless a table of it cannot be."""
        tables: list[PlannedTable] = []
        for wanted in cast("list[dict[str, Any]]", use.arguments["tables"])[:_MOST_TABLES]:
            try:
                tables.append(_planned(wanted))
            except (ValidationError, ValueError) as error:
                told = str(error).splitlines()
                return Seen(f"table {str(wanted.get('name'))[:40]!r}: {' '.join(told[:3])}", ok=False)
        if not tables:
            return Seen("A plan has at least one table.", ok=False)
        by_name = {table.name: table for table in tables}
        if len(by_name) < len(tables):
            return Seen("Two tables have one name.", ok=False)
        if again := [name for name in by_name if _plain(name) in self._there]:
            return Seen(f"{again[0]} is there already: plan other tables.", ok=False)
        problem = self._changed(use.step, by_name)
        if problem:
            return Seen(problem, ok=False)
        self._findings.plan(use.step, tables)
        return Seen("Planned: " + "; ".join(f"{table.name}({', '.join(table.columns)})" for table in tables))

    def _changed(self, step: int, tables: Mapping[str, PlannedTable]) -> str:
        """Why rows that are there forbid the plan."""
        for found in self._findings.found(before=step):
            planned, before = tables.get(found.table), self._findings.table(found.table)
            key = before.key if before is not None else ""
            if found.rows and (planned is None or (planned.columns, planned.key) != (found.columns, key)):
                told = f"its columns {', '.join(found.columns)} and its key {key}"
                return f"{found.table} has rows already: it stays, with {told}."
        return ""


def _planned(wanted: Mapping[str, Any]) -> PlannedTable:
    columns = tuple(dict.fromkeys(_name(one) for one in wanted["columns"]))
    key = _name(wanted["key"])
    if key not in columns:
        raise ValueError(f"its key {key!r} is none of its columns {', '.join(columns)}")
    return PlannedTable(name=_name(wanted["name"]), about=str(wanted["about"])[:300], columns=columns, key=key)


def _name(text: Any) -> str:
    name = re.sub(r"[^a-z0-9]+", "_", str(text).lower()).strip("_")[:40]
    if not name or not name[0].isalpha():
        raise ValueError(f"{str(text)[:40]!r} is no name: use small letters, digits and _")
    return name


class Take:
    """Takes a table that our extractors read."""

    name = "take"
    description = "fill a planned table from a table of an opened source (by number); say which column goes where"
    wants_code = ""

    def __init__(self, pages: Pages, findings: Findings, intake: Intake) -> None:
        self._pages, self._findings, self._intake = pages, findings, intake

    @property
    def parameters(self) -> dict[str, Any]:
        """Source, number of its table, planned table, and pairs of columns."""
        pair = {
            "type": "object",
            "properties": {"planned": _TEXT, "source": _TEXT},
            "required": ["planned", "source"],
            "additionalProperties": False,
        }
        return {
            "address": _TEXT,
            "number": {"type": "integer"},
            "into": _TEXT,
            "columns": {"type": "array", "items": pair},
        }

    def use(self, use: ToolUse) -> Seen:
        """Rows by our extractor. Raises DeniedError, SourceError."""
        page = self._pages.open(str(use.arguments["address"]))
        table = self._findings.table(str(use.arguments["into"]))
        number = int(use.arguments["number"])
        if table is None:
            return _unplanned(self._findings, use)
        if not 1 <= number <= len(page.tables):
            return Seen(f"This source has {len(page.tables)} tables.", ok=False)
        mined = page.tables[number - 1]
        pairs = {str(pair["planned"]): str(pair["source"]) for pair in use.arguments["columns"]}
        columns = _matched(table, mined, pairs)
        if table.key not in columns:
            names = ", ".join(column.name for column in mined.columns)
            return Seen(f"Say which column is the key {table.key!r}; the source has: {names}", ok=False)
        return self._intake.read(use.step, page, table, mined, columns)


def _matched(table: PlannedTable, mined: MinedTable, pairs: Mapping[str, str]) -> dict[str, str]:
    """Planned column -> the source's: as said, else by the same name."""
    own = {_plain(column.name): column.name for column in mined.columns}
    said = {_plain(planned): own.get(_plain(source)) for planned, source in pairs.items()}
    found = {name: said.get(_plain(name)) or own.get(_plain(name)) for name in table.columns}
    return {name: column for name, column in found.items() if column is not None}


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


class WriteRows:
    """Rows that the model copies out of a text."""

    name = "rows"
    description = "put rows into a planned table: values copied just as they stand in the source, in its columns' order"
    wants_code = ""

    def __init__(self, pages: Pages, findings: Findings, intake: Intake) -> None:
        self._pages, self._findings, self._intake = pages, findings, intake

    @property
    def parameters(self) -> dict[str, Any]:
        """Source, planned table, rows."""
        rows = {"type": "array", "items": {"type": "array", "items": _TEXT}}
        return {"address": _TEXT, "into": _TEXT, "rows": rows}

    def use(self, use: ToolUse) -> Seen:
        """The rows that stand in the source. Raises DeniedError, SourceError."""
        page = self._pages.open(str(use.arguments["address"]))
        table = self._findings.table(str(use.arguments["into"]))
        if table is None:
            return _unplanned(self._findings, use)
        return self._intake.written(use.step, page, table, use.arguments["rows"], "rows")


def code_tool(pages: Pages, findings: Findings, intake: Intake, permissions: Permissions) -> Code:
    """Rows that a program of the model reads out of one source."""

    def answers(use: ToolUse) -> dict[str, Answer]:
        page = pages.open(str(use.arguments["address"]))
        return {"page": lambda _: _shown(page)}

    def received(use: ToolUse, value: Any) -> Seen:
        table = findings.table(str(use.arguments["into"]))
        if table is None:
            return _unplanned(findings, use)
        rows = cast("list[Any]", value) if isinstance(value, list) else []
        if not isinstance(value, list) or not all(isinstance(row, list) for row in rows):
            kind = type(cast("object", value)).__name__
            return Seen(f"solve returned {kind}; a list of lists of strings is wanted.", ok=False)
        if not rows:
            return Seen("solve returned no rows.", ok=False)
        return intake.written(use.step, pages.open(str(use.arguments["address"])), table, rows, "code")

    return Code(
        permissions,
        description="write a program that reads rows for a planned table out of an opened source",
        wants_code=_PROGRAM,
        parameters={"address": _TEXT, "into": _TEXT},
        answers=answers,
        received=received,
    )


def _shown(page: Page) -> dict[str, Any]:
    tables = [
        {
            "name": table.name,
            "columns": [column.name for column in table.columns],
            "rows": [list(row) for row in table.rows],
        }
        for table in page.tables
    ]
    return {"address": page.address, "title": page.title, "text": page.text, "tables": tables}


def _unplanned(findings: Findings, use: ToolUse) -> Seen:
    there = ", ".join(table.name for table in findings.tables) or "none: plan first"
    return Seen(f"{str(use.arguments['into'])[:40]!r} is not planned; there is {there}.", ok=False)


class Finish:
    """Says that the research is done; refused while a goal is not reached."""

    name = "finish"
    description = "say that the goals are reached"
    wants_code = ""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings

    @property
    def parameters(self) -> dict[str, Any]:
        """None."""
        return {}

    def use(self, use: ToolUse) -> Seen:  # noqa: ARG002
        """The end, or what is missing."""
        missing = self._findings.missing()
        if missing:
            return Seen(
                f"Not yet: {'; '.join(missing)}. Search for further sources, or fill from those at hand.", ok=False
            )
        return Seen("All goals are reached.", ends=True)

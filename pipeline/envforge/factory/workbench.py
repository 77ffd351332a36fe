"""Where a written tool is tried: alone over the draft's rows, through the gates that judge every tool."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from envforge.build.added.joining import MODULE, TESTS
from envforge.build.added.reading import spec_of
from envforge.build.added.testing import more_than_tests
from envforge.core.contracts import Gate, GateContext
from envforge.core.errors import BuildError, SandboxError, StoreError, ToolFault
from envforge.core.records.added_tool import AddedTool
from envforge.core.records.environment import ToolSpec
from envforge.gates.calls import literal_calls
from envforge.gates.folder import Folder, quoted
from envforge.gates.tool_rules import violations
from envforge.gates.tools import Compiles, Deterministic, Mutation, ReadsDoNotWrite, TestCoverage, TestsPass
from envforge.store.files import write_json, write_text
from envforge.world.environment import Environment

_GATES: tuple[Gate, ...] = (Compiles(), TestCoverage(), TestsPass(), ReadsDoNotWrite(), Mutation(), Deterministic())
MOST_REMOVED = 20
"""Rows that one call of a tool may remove: more is no deed of somebody who works with the data."""
_SHOWN_ROWS = 4
LINE_END = "\n"
_LINE = re.compile(r"^line (\d+)")
"""Of the module; its author sees the function alone."""
_SHOWN_COLUMNS = 24


class ToolBench:
    """One draft environment, and a copy of it that holds a single tool at a time."""

    def __init__(self, draft: Path, scratch: Path, thresholds: Mapping[str, Any], author: str) -> None:
        """Raises StoreError."""
        self._draft, self._scratch, self._thresholds, self._author = Folder(draft), scratch, thresholds, author
        self._known = list(self._draft.tools)
        shutil.rmtree(scratch, ignore_errors=True)
        shutil.copytree(draft, scratch)

    @property
    def tables(self) -> str:
        """Name and columns of each, with its key."""
        return "\n".join(
            f"{table.name}({', '.join(f'{c.name} {c.type}' for c in table.columns[:_SHOWN_COLUMNS])})"
            f" key {', '.join(table.primary_key)}"
            for table in self._draft.tables
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Tools that there are."""
        return tuple(spec.name for spec in self._known)

    def rows(self, source: str) -> str:
        """The first rows of the tables that a tool names."""
        spec = self._spec(source)
        return "\n".join(f"{table}: {self._first(table)}" for table in (*spec.reads, *spec.writes))

    def of_code(self, name: str, source: str) -> Sequence[str]:
        """Rules of tool modules, and what its entry in tools.json needs."""
        wrong = violations(f"{MODULE}{source}")
        if wrong:
            return [_LINE.sub(lambda found: f"line {int(found[1]) - MODULE.count(LINE_END)}", one) for one in wrong]
        try:
            spec = self._spec(source)
        except BuildError as error:
            return error.message.split("; ")
        return () if spec.name == name else (f"the function is called {spec.name}, not {name}",)

    def of_tests(self, source: str, tests: str) -> Sequence[str]:
        """The gates on tools, over the tool alone; the first that it fails says why."""
        spec = self._spec(source)
        strange = list(more_than_tests(spec.name, tests))
        if strange:
            return strange
        folder = self._scratch
        write_text(folder / "tools.py", f"{MODULE}{source}")
        write_json(folder / "tools.json", [spec.to_json()], sort_keys=False)
        write_text(folder / "tests" / "test_tools.py", f"{TESTS}{tests}")
        context = GateContext(folder, self._thresholds)
        try:
            for gate in _GATES:
                found = gate.check(context)
                if not found.passed:
                    return [f"{gate.name}: {reason}" for reason in found.reasons]
            return list(self._ravages(spec, tests))
        except (ToolFault, SandboxError, StoreError) as error:
            return [f"it could not be run: {error.message}"]

    def keep(self, tool: AddedTool) -> None:
        """Its name is taken."""
        self._known.append(self._spec(tool.source))

    def _ravages(self, spec: ToolSpec, tests: str) -> Iterator[str]:
        """Calls of the tests that remove more than one deed can."""
        if not spec.writes:
            return
        with Environment.open(self._scratch).start() as session:
            for call in literal_calls(f"{TESTS}{tests}"):
                session.reset(0)
                session.call(call.tool, call.arguments)
                removed = sum(len(change.deleted) for change in session.diff().tables.values())
                if removed > MOST_REMOVED:
                    yield f"{call.tool}({json.dumps(call.arguments)}) removes {removed} rows"

    def _spec(self, source: str) -> ToolSpec:
        return spec_of(source, self._draft.tables, self._known, self._author)

    def _first(self, table: str) -> str:
        columns = [str(row[1]) for row in self._draft.pragma("table_info", table)]
        rows = self._draft.rows(f"SELECT * FROM {quoted(table)} ORDER BY 1 LIMIT {_SHOWN_ROWS}")  # noqa: S608
        shown = [{name: value for name, value in zip(columns, row, strict=True) if value is not None} for row in rows]
        return json.dumps(shown, ensure_ascii=False)

"""What a research has so far, in files under the number of the step that wrote them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from envforge.core.records.research import FoundRows, PlannedTable, ResearchGoals
from envforge.store.files import read_json, read_json_list, write_json


class Findings:
    """The folder of one run: plan/, opened/ and rows/, one file per step."""

    def __init__(self, folder: Path, goals: ResearchGoals) -> None:
        self._folder, self.goals = folder, goals

    def plan(self, step: int, tables: Iterable[PlannedTable]) -> None:
        """Another plan; the last one counts."""
        write_json(self._folder / "plan" / f"{step:04d}.json", [table.to_json() for table in tables])

    @property
    def tables(self) -> tuple[PlannedTable, ...]:
        """The plan; nothing before there is one."""
        plans = sorted((self._folder / "plan").glob("*.json"))
        return tuple(PlannedTable.model_validate(one) for one in read_json_list(plans[-1])) if plans else ()

    def table(self, name: str) -> PlannedTable | None:
        """A planned table by its name."""
        return next((table for table in self.tables if table.name == name), None)

    def opened(self, step: int, address: str) -> None:
        """A source was opened."""
        write_json(self._folder / "opened" / f"{step:04d}.json", address)

    @property
    def addresses(self) -> tuple[str, ...]:
        """Sources that were opened, each once."""
        found = [str(read_json(path)) for path in sorted((self._folder / "opened").glob("*.json"))]
        return tuple(dict.fromkeys(found))

    def keep(self, found: FoundRows) -> None:
        """Rows of a step."""
        write_json(self._folder / "rows" / f"{found.step:04d}.json", found.to_json())

    def found(self, *, before: int | None = None) -> tuple[FoundRows, ...]:
        """Rows of all steps, or of those before one: a step that runs again must not see what it wrote itself."""
        paths = sorted((self._folder / "rows").glob("*.json"))
        read: list[Any] = [read_json(path) for path in paths if before is None or int(path.stem) < before]
        return tuple(FoundRows.model_validate(one) for one in read)

    def counts(self) -> dict[str, int]:
        """Verified rows per planned table."""
        counts = {table.name: 0 for table in self.tables}
        for found in self.found():
            if found.table in counts:
                counts[found.table] += len(found.rows)
        return counts

    def missing(self) -> list[str]:
        """What stands between the research and its goals."""
        goals, counts = self.goals, self.counts()
        sources = {found.source for found in self.found() if found.rows and found.table in counts}
        missing = [
            f"table {name} has {count} of {goals.table_rows} rows"
            for name, count in counts.items()
            if count < goals.table_rows
        ]
        for what, have, wanted in (
            ("tables", len(counts), goals.tables),
            ("rows", sum(counts.values()), goals.rows),
            ("sources", len(sources), goals.sources),
        ):
            if have < wanted:
                missing.append(f"{have} of {wanted} {what}")
        return missing

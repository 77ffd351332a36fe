"""The journal of one run: a JSONL file that is appended line by line, so that a killed run can be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from envforge.core.errors import StoreError
from envforge.core.outcome import Outcome, Produced, Rejected


class Journal:
    """runs/<run>/journal.jsonl: {stage, item, status, …} in the order things happened."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"cannot make the run's folder: {error.strerror}", where=str(path.parent)) from error

    def record(self, stage: str, item: str, outcome: Outcome[Any]) -> None:
        """Append one outcome and flush it."""
        line: dict[str, Any] = {"stage": stage, "item": item}
        if isinstance(outcome, Produced):
            line["status"] = "produced"
        elif isinstance(outcome, Rejected):
            line |= {"status": "rejected", "reason": outcome.reason, "evidence": outcome.evidence}
        else:
            line |= {"status": "failed", "boundary": outcome.boundary, "error": outcome.error, "where": outcome.where}
        try:
            with self.path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(line, ensure_ascii=False) + "\n")
        except OSError as error:
            raise StoreError(f"cannot be written: {error.strerror}", where=str(self.path)) from error

    def entries(self) -> list[dict[str, Any]]:
        """All whole lines; a last line that a kill cut short is left out."""
        if not self.path.is_file():
            return []
        lines = self.path.read_text(encoding="utf-8").split("\n")
        return [json.loads(line) for line in lines[:-1] if line]

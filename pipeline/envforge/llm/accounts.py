"""What calls have cost, by stage and model: a JSONL file of the run that survives its end."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envforge.core.errors import StoreError
from envforge.core.records.completion import Usage
from envforge.store.files import read_jsonl, read_text, write_text
from envforge.store.log import append_record


@dataclass
class Spent:
    """Calls, tokens and money. `unpriced`: tokens of models whose price nobody knows."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: int = 0
    usd: float = 0.0
    unpriced: int = 0

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        return self.prompt_tokens + self.completion_tokens

    def add(self, usage: Usage, usd: float | None) -> None:
        """One more call."""
        self.calls += 1
        self.prompt_tokens += usage.prompt_tokens
        self.completion_tokens += usage.completion_tokens
        self.estimated += usage.estimated
        self.usd += usd or 0.0
        self.unpriced += usage.total if usd is None else 0

    def to_json(self) -> dict[str, Any]:
        """JSON values; money is None where a price is missing."""
        usd = None if self.unpriced else round(self.usd, 6)
        tokens = {"prompt_tokens": self.prompt_tokens, "completion_tokens": self.completion_tokens}
        return {"calls": self.calls, **tokens, "estimated_calls": self.estimated, "usd": usd}


class Accounts:
    """Spending of a run. With a `path`, every call is one line there at once, and a new run goes on from them."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self.total = Spent()
        self.stages: dict[str, Spent] = {}
        if path is not None and path.exists():
            _mend(path)
            for line in read_jsonl(path):
                self._count(*_entry(line, path))

    def note(self, stage: str, model: str, usage: Usage, usd: float | None) -> None:
        """One more call. Raises StoreError."""
        if self._path is not None:
            append_record(self._path, {"stage": stage, "model": model, "usage": usage.to_json(), "usd": usd})
        self._count(stage, usage, usd)

    def _count(self, stage: str, usage: Usage, usd: float | None) -> None:
        for spent in (self.total, self.stages.setdefault(stage or "other", Spent())):
            spent.add(usage, usd)

    def to_json(self) -> dict[str, Any]:
        """The whole, and by stage."""
        stages = {name: spent.to_json() for name, spent in sorted(self.stages.items())}
        return {**self.total.to_json(), "stages": stages}


def _entry(line: dict[str, Any], path: Path) -> tuple[str, Usage, float | None]:
    try:
        usd = line["usd"]
        return str(line["stage"]), Usage.model_validate(line["usage"]), None if usd is None else float(usd)
    except (KeyError, ValueError, TypeError) as error:
        raise StoreError(f"is no account of calls: {error!r}"[:200], where=str(path)) from None


def _mend(path: Path) -> None:
    """A line that was cut when the last run ended goes; its call is lost to the accounts, one at most."""
    text = read_text(path)
    if text and not text.endswith("\n"):
        write_text(path, text[: text.rfind("\n") + 1])

"""What `envforge eval --bench` writes: bench.json (what was run), items.jsonl, report.json (the figures)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from envforge.core.records.base import Record
from envforge.core.records.completion import Message
from envforge.core.records.trajectory import EpisodeSettings, Malformed


class BenchmarkRun(Record):
    """bench.json: what a run is. A folder is gone on with only if this is the same."""

    benchmark: Literal["bfcl"]
    version: str = Field(description="of the package that holds items and checker")
    category: str
    items: tuple[str, ...]
    model: str = Field(description="its name at the endpoint")
    identity: str = Field(description="model and the settings that change its answers")
    settings: EpisodeSettings
    seed: int = 0


class BenchmarkItem(Record):
    """One item: what the model did. `failure` names why it cannot be scored; nothing: it can."""

    id: str
    result: Any = Field(description="in the form that the benchmark's own checker reads")
    ending: Literal["done", "step_limit", "context_limit", "turn_limit", "length_limit", "failed"]
    failure: str = ""
    failure_kind: str = ""
    messages: tuple[Message, ...] = ()
    malformed: tuple[Malformed, ...] = ()
    model_calls: int = Field(ge=0)
    prompt_tokens: int = Field(ge=0)
    completion_tokens: int = Field(ge=0)


class BenchmarkScore(Record):
    """What the benchmark's own checker says of one loop's results. The interval is Wilson's, over items, 95 %."""

    loop: Literal["envforge", "own"] = Field(description="who played: envforge, or the benchmark's own loop")
    scored: int
    right: tuple[str, ...] = Field(description="items that it holds to be right")
    unscored: tuple[str, ...] = Field(default=(), description="items without an answer to be scored; no failures")
    rate: float | None = Field(description="of those scored; null: none was")
    low: float | None
    high: float | None
    failures: dict[str, str] = Field(description="item -> the kind of error, in the benchmark's words")


class BenchmarkReport(Record):
    """report.json."""

    run: BenchmarkRun
    scores: tuple[BenchmarkScore, ...]
    model_calls: int
    prompt_tokens: int
    completion_tokens: int


class InspectReport(Record):
    """report.json of a task that Inspect ran: what its log says."""

    task: str
    version: str = Field(description="of inspect_ai")
    model: str
    samples: int
    scores: dict[str, dict[str, float]] = Field(description="score -> metric -> value")
    log: str = Field(description="file in logs/")

"""What a theme is founded on: files and what was read in them, by the compiled author, an agent, or both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.core.outcome import Failed, Produced
from envforge.core.records.extraction import Extraction
from envforge.core.records.source import Theme
from envforge.factory.config import MineConfig
from envforge.factory.fetching import FetchPlan, fetch_anchors
from envforge.factory.researching import research_theme
from envforge.flow.stage import StageRunner
from envforge.mine.extract.registry import extract_all

SOURCES = "sources"
"""In a run's folder: what it fetched."""


@dataclass(frozen=True)
class Gathered:
    """Files, what they state, and figures of the research where an agent did some."""

    theme: Theme
    fetched: tuple[Fetched, ...]
    extractions: tuple[Extraction, ...]
    research: Mapping[str, Any] = field(default_factory=dict[str, Any])


def gather(config: MineConfig, theme: Theme, run: Path, part: str, plan: FetchPlan, runner: StageRunner) -> Gathered:
    """Fetch and read, as the config's author does. Raises SourceError, ExtractError, ModelError, BuildError."""
    fetched: Sequence[Fetched] = ()
    read: Sequence[Extraction] = ()
    if config.author != "agent":
        fetched = _fetched(plan, theme, run, part, runner)
        read = _extract(fetched, runner)
    if config.research is None:
        return Gathered(theme, tuple(fetched), tuple(read))
    found = research_theme(config.research, theme, run, run / SOURCES / part, plan, runner, there=read)
    files = {file.source.id: file for file in (*fetched, *found.fetched)}
    return Gathered(found.theme, tuple(files.values()), (*read, *found.extractions), found.statistics)


def _fetched(plan: FetchPlan, theme: Theme, run: Path, part: str, runner: StageRunner) -> Sequence[Fetched]:
    if plan.replay is not None:
        plan = replace(plan, replay=plan.replay / part)
    return runner.value("fetch", theme.slug, lambda: fetch_anchors(theme, run / SOURCES / part, plan))


def _extract(fetched: Sequence[Fetched], runner: StageRunner) -> list[Extraction]:
    kept: list[Extraction] = []
    outcomes = runner.value("extract", f"{len(fetched)} files", lambda: extract_all(fetched))
    for item, outcome in zip(fetched, outcomes, strict=True):
        runner.note("extract", item.source.path, outcome)
        if isinstance(outcome, Produced):
            kept.append(outcome.value)
        elif isinstance(outcome, Failed):
            raise ExtractError(outcome.error, where=outcome.where or item.source.path, remedy=outcome.remedy)
    if not kept:
        raise ExtractError(
            "no extractor could read any of the files",
            where=", ".join(item.source.path for item in fetched[:5]),
            remedy="give a specification (OpenAPI, GraphQL, TypeScript declarations, a tool list), tables (CSV, Excel, "
            "Parquet, SQLite, a SQL dump, JSON) or pages (HTML, Markdown); docs/sources.md has all kinds",
        )
    return kept

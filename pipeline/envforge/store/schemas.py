"""JSON Schemas of the file formats: generated from the records, checked with jsonschema.

`python -m envforge.store.schemas FOLDER` writes them; a test keeps validators/schemas in step.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from envforge.core.errors import StoreError
from envforge.core.records.added_tool import ToolsmithReport
from envforge.core.records.agent import AgentRun
from envforge.core.records.archetype import Archetype
from envforge.core.records.atlas import CatalogTheme, ClassifierFile, Taxonomy, ThemeDecision
from envforge.core.records.base import Record
from envforge.core.records.benchmark import BenchmarkItem, BenchmarkReport, BenchmarkRun, InspectReport
from envforge.core.records.browse import BrowseLimits, BrowseRun, PageRequest, ProxyDecision
from envforge.core.records.curriculum import CurriculumState
from envforge.core.records.environment import (
    Certificate,
    EnvironmentBlueprint,
    EnvironmentManifest,
    ProvenanceEntry,
    ToolSpec,
)
from envforge.core.records.episode import Episode
from envforge.core.records.evaluation import DiagnosedEpisode, EvalReport, Evaluation, MeasuredDifficulty
from envforge.core.records.fetching import FetchSettings
from envforge.core.records.graph import ToolGraph
from envforge.core.records.judging import JudgeReport
from envforge.core.records.link import Link
from envforge.core.records.published import PublishedSet
from envforge.core.records.research import Research
from envforge.core.records.saved_state import SavedState
from envforge.core.records.shape import RowShape
from envforge.core.records.source import Source, Theme
from envforge.core.records.task import RejectedTask, Task, TaskSetCertificate
from envforge.core.records.trade import Trade
from envforge.core.records.train_config import TrainConfig
from envforge.core.records.training import FamilyTools, SftExample, TrainingRow, TrainingSet
from envforge.core.records.trajectory import Timing, Trajectory
from envforge.store.files import write_json

FORMATS: dict[str, type[Record]] = {
    "agent_run": AgentRun,
    "archetype": Archetype,
    "benchmark_item": BenchmarkItem,
    "benchmark_report": BenchmarkReport,
    "benchmark_run": BenchmarkRun,
    "blueprint": EnvironmentBlueprint,
    "browse_limits": BrowseLimits,
    "browse_run": BrowseRun,
    "catalog_theme": CatalogTheme,
    "certificate": Certificate,
    "classifier": ClassifierFile,
    "curriculum_state": CurriculumState,
    "diagnosed_episode": DiagnosedEpisode,
    "environment": EnvironmentManifest,
    "episode": Episode,
    "eval_report": EvalReport,
    "evaluation": Evaluation,
    "family_tools": FamilyTools,
    "fetch_settings": FetchSettings,
    "graph": ToolGraph,
    "inspect_report": InspectReport,
    "judge_report": JudgeReport,
    "link": Link,
    "measured_difficulty": MeasuredDifficulty,
    "page_request": PageRequest,
    "provenance": ProvenanceEntry,
    "proxy_decision": ProxyDecision,
    "published": PublishedSet,
    "rejected_task": RejectedTask,
    "research": Research,
    "saved_state": SavedState,
    "sft_example": SftExample,
    "shape": RowShape,
    "source": Source,
    "task": Task,
    "task_set": TaskSetCertificate,
    "taxonomy": Taxonomy,
    "theme": Theme,
    "theme_decision": ThemeDecision,
    "timing": Timing,
    "tool": ToolSpec,
    "toolsmith": ToolsmithReport,
    "trade": Trade,
    "train_config": TrainConfig,
    "training_row": TrainingRow,
    "training_set": TrainingSet,
    "trajectory": Trajectory,
}


def schema_of(name: str) -> dict[str, Any]:
    """JSON Schema (2020-12) of the format `name`."""
    record = FORMATS[name]
    schema = record.model_json_schema(by_alias=True)
    return {"$schema": Draft202012Validator.META_SCHEMA["$id"], "title": name, **schema}


@cache
def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(schema_of(name))


def problems(name: str, value: Any) -> list[str]:
    """What is wrong with `value` as a `name`: 'field: message', at most ten."""
    errors: Iterable[Any] = _validator(name).iter_errors(value)
    found = [f"{'.'.join(str(part) for part in error.absolute_path) or '(top)'}: {error.message}" for error in errors]
    return sorted(found)[:10]


def validate(name: str, value: Any, where: str) -> None:
    """Raise StoreError naming `where` and the first wrong field, if any."""
    found = problems(name, value)
    if found:
        raise StoreError(f"is not a valid {name}: {found[0][:300]}", where=where)


def write_schemas(folder: Path) -> None:
    """Write <folder>/<format>.schema.json for every format."""
    for name in FORMATS:
        write_json(folder / f"{name}.schema.json", schema_of(name))


if __name__ == "__main__":
    write_schemas(Path(sys.argv[1]))

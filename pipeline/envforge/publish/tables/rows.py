"""The rows of each table: scalars first, which filters and viewers understand, then the records as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

from envforge.core.records.task import Task
from envforge.core.records.training import Split
from envforge.core.records.trajectory import Trajectory
from envforge.publish.published import Published, PublishedEnvironment

Kind = Literal["string", "int64", "float64", "bool", "json"]
Row: TypeAlias = dict[str, Any]
_OF_ENVIRONMENT: Mapping[str, Kind] = {
    "environment_id": "string", "environment_hash": "string", "family": "string", "database_seed": "int64",
    "grounding": "string",
}  # fmt: skip

COLUMNS: Mapping[str, Mapping[str, Kind]] = {
    "tasks": {
        "task_id": "string", **_OF_ENVIRONMENT, "kind": "string", "level": "int64", "minimal_calls": "int64",
        "writes": "int64", "register_of_speech": "string", "goal": "string", "now": "string", "instruction": "string",
        "answer_schema": "json", "checks": "json", "rubric": "json", "gold": "json", "gold_answer": "json",
        "intent": "json", "difficulty": "json", "gates": "json", "baselines": "json", "measured": "json",
        "canary": "string",
    },
    "environments": {
        **_OF_ENVIRONMENT, "theme": "string", "title": "string", "summary": "string", "licence": "string",
        "facts_only": "bool", "clock": "string", "tools": "int64", "tasks": "int64", "rows_mined": "int64",
        "rows_derived": "int64", "rows_synthetic": "int64", "certified": "bool", "taxonomy": "json",
        "authors": "json", "gates": "json", "statistics": "json", "files": "json",
    },
    "tools": {
        **_OF_ENVIRONMENT, "name": "string", "verb": "string", "entity": "string", "description": "string",
        "read_only": "bool", "destructive": "bool", "origin": "string", "parameters": "json", "returns": "json",
        "reads": "json", "writes": "json", "consumes": "json", "produces": "json", "annotations": "json",
        "errors": "json",
    },
    "trajectories": {
        "task_id": "string", **_OF_ENVIRONMENT, "agent": "string", "model": "string", "seed": "int64",
        "attempt": "int64", "ending": "string", "status": "string", "score": "float64", "reward": "float64",
        "calls": "int64", "failure": "string", "answer": "json", "turns": "json", "messages": "json",
        "verdict": "json", "settings": "json", "rewards": "json", "state_diff": "json", "canary": "string",
    },
    "sources": {
        **_OF_ENVIRONMENT, "source_id": "string", "title": "string", "url": "string", "url_status": "string",
        "package": "string", "path": "string", "mime": "string", "bytes": "int64", "sha256": "string",
        "retrieved_at": "string", "licence_status": "string", "licence": "string", "licence_evidence": "string",
        "transform": "string", "hidden": "json",
    },
}  # fmt: skip
"""Table → column → kind, in their order."""


def rows_of(published: Published, table: str, split: Split) -> list[Row]:
    """The rows of one split of a table. What is trained on as text has the canary of the set in every row."""
    write = _WRITERS[table]
    mark = {"canary": published.canary} if "canary" in COLUMNS[table] else {}
    return [{**row, **mark} for one in published.environments if one.split == split for row in write(one)]


def _shared(one: PublishedEnvironment) -> Row:
    manifest = one.manifest
    return {
        "environment_id": manifest.id,
        "environment_hash": manifest.environment_hash,
        "family": manifest.family,
        "database_seed": manifest.database_seed,
        "grounding": manifest.grounding,
    }


def _tasks(one: PublishedEnvironment) -> Iterator[Row]:
    if one.tasks is None:
        return
    for task in one.tasks.tasks:
        record = task.model_dump(mode="json", by_alias=True)
        certificate = record.pop("certificate")
        measured = [
            {"agent": found.agent, "identity": found.identity, "scored": found.scored, "passed": found.passed}
            for found in one.tasks.measured
            if found.task_id == task.id
        ]
        yield {**_shared(one), **_task_scalars(task), **{name: record[name] for name in _TASK_RECORDS},
               **certificate, "measured": measured}  # fmt: skip


_TASK_RECORDS = ("answer_schema", "checks", "rubric", "gold", "gold_answer", "intent", "difficulty")


def _task_scalars(task: Task) -> Row:
    return {
        "task_id": task.id,
        "kind": task.kind,
        "level": task.difficulty.level,
        "minimal_calls": task.difficulty.minimal_calls,
        "writes": task.difficulty.writes,
        "register_of_speech": task.register_of_speech,
        "goal": task.intent.family,
        "now": task.now,
        "instruction": task.instruction,
    }


def _environments(one: PublishedEnvironment) -> Iterator[Row]:
    manifest = one.manifest
    rows = {kind: sum(entry.count for entry in one.provenance if entry.kind == kind) for kind in _ORIGINS}
    yield {
        **_shared(one),
        **{name: getattr(manifest, name) for name in ("theme", "title", "summary", "licence", "facts_only")},
        "clock": manifest.clock.epoch,
        "tools": len(one.tools),
        "tasks": len(one.tasks.tasks) if one.tasks else 0,
        **{f"rows_{kind}": count for kind, count in rows.items()},
        "certified": one.certificate.certified,
        "taxonomy": list(manifest.taxonomy),
        "authors": manifest.authors,
        "gates": [gate.model_dump(mode="json") for gate in one.certificate.gates],
        "statistics": manifest.statistics,
        "files": manifest.files,
    }


_ORIGINS = ("mined", "derived", "synthetic")


def _tools(one: PublishedEnvironment) -> Iterator[Row]:
    for tool in one.tools:
        record = tool.model_dump(mode="json", by_alias=True)
        record.pop("source")
        yield {**_shared(one), **record, "read_only": tool.annotations.read_only,
               "destructive": tool.annotations.destructive}  # fmt: skip


def _trajectories(one: PublishedEnvironment) -> Iterator[Row]:
    for episode in one.trajectories:
        yield {**_shared(one), **_episode(episode)}


def _episode(episode: Trajectory) -> Row:
    record = episode.model_dump(mode="json", by_alias=True)
    names = ("task_id", "agent", "model", "seed", "attempt", "ending", "status", "reward", "failure", "answer",
             "turns", "messages", "verdict", "settings", "rewards", "state_diff")  # fmt: skip
    return {
        **{name: record[name] for name in names},
        "score": episode.verdict.score if episode.verdict else None,
        "calls": len(episode.turns),
    }


def _sources(one: PublishedEnvironment) -> Iterator[Row]:
    for source in one.sources:
        record = source.model_dump(mode="json")
        licence = source.licence
        yield {**_shared(one), **{name: record[name] for name in COLUMNS["sources"] if name in record},
               "source_id": source.id, "licence_status": licence.status, "licence": licence.spdx or "",
               "licence_evidence": licence.evidence}  # fmt: skip


_WRITERS: Mapping[str, Callable[[PublishedEnvironment], Iterator[Row]]] = {
    "tasks": _tasks, "environments": _environments, "tools": _tools, "trajectories": _trajectories,
    "sources": _sources,
}  # fmt: skip

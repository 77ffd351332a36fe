"""`envforge eval --bench inspect:TASK`: a task of Inspect, handed to Inspect; its log is the result."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from envforge.core.contracts import Progress
from envforge.core.errors import ConfigError, SandboxError
from envforge.core.records.benchmark import InspectReport
from envforge.factory.bench_files import REPORT
from envforge.llm.connect import ModelSettings
from envforge.llm.permission import key_from_environment, require_permission, wants_key
from envforge.store.files import read_json, write_json

LOGS, OUTPUT = "logs", "inspect.log"
_SERVICE = "envforge"
"""Inspect finds address and key of a service that speaks OpenAI's protocol in variables named after it."""
_REMEDY = "pip install envforge[inspect], or name the interpreter of an environment that has Inspect: --bench-python"


@dataclass(frozen=True)
class InspectConfig:
    """A task of Inspect: a name that Inspect knows, or a file; `python`: whose Inspect, None: ours."""

    task: str
    limit: int | None
    python: Path | None
    out: Path
    concurrency: int = 1
    seed: int = 0
    temperature: float | None = None
    most_tokens: int | None = None


def inspect_task(config: InspectConfig, settings: ModelSettings, progress: Progress) -> InspectReport:
    """Run the task and write report.json beside its log.

    Raises ConfigError for what Inspect cannot be given and for an interpreter without it, SandboxError when it fails.
    """
    _refuse(settings)
    require_permission(settings.base_url)
    logs = config.out / LOGS
    logs.mkdir(parents=True, exist_ok=True)
    before = set(logs.glob("*.json"))
    progress(f"Inspect plays {config.task}", 0, None)
    _run(config, settings)
    written = sorted(set(logs.glob("*.json")) - before)
    if not written:
        raise SandboxError("wrote no log", where="Inspect", remedy=f"its words are in {config.out / OUTPUT}")
    report = inspect_report(written[-1], settings.model)
    write_json(config.out / REPORT, report.to_json())
    return report


def _refuse(settings: ModelSettings) -> None:
    """Raises ConfigError: what ours enforces call by call cannot be enforced in Inspect's process."""
    if settings.provider != "openai":
        where = f"--provider {settings.provider}"
        raise ConfigError("Inspect asks endpoints only", where=where, remedy="serve the model, and name its --base-url")
    if settings.budget_tokens or settings.budget_usd or settings.extra:
        raise ConfigError("Inspect keeps to no budget and no --extra of ours", where="--bench inspect",
                          remedy="leave them away; --limit bounds the samples")  # fmt: skip


def command_of(config: InspectConfig, settings: ModelSettings) -> Sequence[str]:
    """What is started."""
    wanted = {
        "--model": f"openai-api/{_SERVICE}/{settings.model}",
        "--log-dir": str((config.out / LOGS).resolve()),
        "--log-format": "json",
        "--display": "plain",
        "--max-connections": config.concurrency,
        "--seed": config.seed,
        "--limit": config.limit,
        "--temperature": config.temperature,
        "--max-tokens": config.most_tokens,
        "--timeout": int(settings.timeout_seconds),
    }
    options = [part for name, value in wanted.items() if value is not None for part in (name, str(value))]
    return [str(config.python or sys.executable), "-m", "inspect_ai", "eval", _place(config.task)[1], *options]


def _place(task: str) -> tuple[Path | None, str]:
    """Where to start and what to name: Inspect takes files (FILE.py, FILE.py@TASK) by relative names only."""
    path, at, name = task.partition("@")
    file = Path(path)
    return (file.resolve().parent, f"{file.name}{at}{name}") if file.is_file() else (None, task)


def _run(config: InspectConfig, settings: ModelSettings) -> None:
    key = key_from_environment(settings.key_variable, needed=wants_key(settings.base_url)).reveal()
    prefix = _SERVICE.upper()
    environment = {**os.environ, f"{prefix}_BASE_URL": settings.base_url, f"{prefix}_API_KEY": key or "none"}
    command = command_of(config, settings)
    output = config.out / OUTPUT
    try:
        with output.open("wb") as log:
            done = subprocess.run(
                command, env=environment, cwd=_place(config.task)[0], stdout=log, stderr=subprocess.STDOUT, check=False
            )
    except OSError as error:
        raise ConfigError(f"cannot be started: {error.strerror}", where=command[0], remedy=_REMEDY) from error
    if done.returncode:
        said = output.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        last = said[-1][-300:] if said else "it said nothing"
        if "No module named inspect_ai" in last:
            raise ConfigError("has no Inspect", where=command[0], remedy=_REMEDY)
        raise SandboxError(f"ended with {done.returncode}: {last}", where="Inspect", remedy=f"its words: {output}")


def inspect_report(log: Path, model: str) -> InspectReport:
    """The figures of a log. Raises SandboxError for one whose run did not succeed, StoreError."""
    told = cast("Mapping[str, Any]", read_json(log))
    if told.get("status") != "success":
        error: Mapping[str, Any] = told.get("error") or {}
        message = error.get("message", "no reason is given")
        raise SandboxError(f"the run ended as {told.get('status')}: {message}", where=str(log))
    results: Mapping[str, Any] = told.get("results") or {}
    scores = {
        score["name"]: {name: metric["value"] for name, metric in score["metrics"].items()}
        for score in results.get("scores", ())
    }
    return InspectReport(
        task=told["eval"]["task"],
        version=told["eval"].get("packages", {}).get("inspect_ai", ""),
        model=model,
        samples=results.get("completed_samples", 0),
        scores=scores,
        log=log.name,
    )

"""A run of `envforge eval` as a log of Inspect, version 2 of its JSON format, for its viewer and its analyses.

Written without Inspect itself; a test reads it with Inspect where that is installed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from envforge.core.ids import sha256_text
from envforge.core.records.completion import Message
from envforge.core.records.evaluation import AgentReport, EvalReport
from envforge.core.records.task import Task
from envforge.core.records.trajectory import Trajectory
from envforge.store.files import write_json

VERSION = 2
NO_TIME = "1970-01-01T00:00:00+00:00"
"""The format wants a time; the same run gives the same bytes, so this one stands for none."""


def write_inspect_log(
    path: Path, report: EvalReport, tasks: Mapping[str, Task], episodes: Iterable[Trajectory]
) -> None:
    """Write the episodes of the agent that a run is about as one log. Raises StoreError."""
    write_json(path, inspect_log(report, tasks, list(episodes)), sort_keys=False)


def inspect_log(report: EvalReport, tasks: Mapping[str, Task], episodes: Sequence[Trajectory]) -> dict[str, Any]:
    """The log as JSON values. Episodes without a score are samples with an error: they are not counted."""
    subject = report.agents[0]
    key = report.evaluation.content_id("eval")
    model = subject.agent.model or f"envforge/{subject.agent.name}"
    ids = [name for sets in report.evaluation.sets for name in sets.tasks]
    return {
        "version": VERSION,
        "status": "success",
        "eval": {
            "eval_id": key,
            "run_id": key,
            "created": NO_TIME,
            "task": "envforge",
            "task_id": key,
            "task_version": 1,
            "task_args": {sets.environment_id: sets.environment_hash for sets in report.evaluation.sets},
            "dataset": {"name": "envforge", "samples": len(ids), "sample_ids": ids, "shuffled": False},
            "model": model,
            "config": {"epochs": subject.agent.episodes},
            "metadata": {"settings": subject.agent.settings.model_dump(mode="json"), "seed": report.evaluation.seed},
        },
        "results": _results(subject),
        "stats": {"started_at": NO_TIME, "completed_at": NO_TIME, "model_usage": {model: _usage(subject)}},
        "samples": [_sample(one, tasks[one.task_id], model) for one in episodes],
    }


def _results(subject: AgentReport) -> dict[str, Any]:
    metrics = {
        name: {"name": name, "value": value.value}
        for name, value in subject.estimates.items()
        if value.value is not None
    }
    score = {"name": "outcome", "scorer": "envforge", "scored_samples": subject.scored,
             "unscored_samples": subject.episodes - subject.scored, "metrics": metrics}  # fmt: skip
    return {"total_samples": subject.episodes, "completed_samples": subject.scored, "scores": [score]}


def _usage(subject: AgentReport) -> dict[str, int]:
    spent = subject.spending
    total = spent.prompt_tokens + spent.completion_tokens
    return {"input_tokens": spent.prompt_tokens, "output_tokens": spent.completion_tokens, "total_tokens": total}


def _sample(one: Trajectory, task: Task, model: str) -> dict[str, Any]:
    messages = [_message(message, place) for place, message in enumerate(one.messages)] or _from_turns(one, task)
    text = "" if one.answer is None else json.dumps(one.answer, ensure_ascii=False)
    sample: dict[str, Any] = {
        "id": one.task_id,
        "epoch": one.attempt + 1,
        "input": task.instruction,
        "target": "",
        "messages": messages,
        "output": {"model": model, "choices": [
            {"message": {"role": "assistant", "content": text, "source": "generate"}, "stop_reason": "stop"}
        ]},
        "scores": _scores(one, text),
        "metadata": {"environment": one.environment_id, "level": task.difficulty.level, "ending": one.ending,
                     "seed": one.seed, "failure": one.failure},
        "uuid": (one.key or sha256_text(f"{one.task_id} {one.attempt} {one.seed}"))[:22],
    }  # fmt: skip
    if one.verdict is None or one.verdict.score is None:
        reason = "; ".join(one.verdict.reasons) if one.verdict is not None else "not scored"
        sample["error"] = {"message": reason or one.failure, "traceback": "", "traceback_ansi": ""}
    return sample


def _scores(one: Trajectory, answer: str) -> dict[str, Any]:
    if one.verdict is None or one.verdict.score is None:
        return {}
    failed = "; ".join(f"{check.id}: {check.detail}" for check in one.verdict.checks if not check.passed)
    outcome = {"value": one.verdict.score, "answer": answer, "explanation": failed or "every check passed"}
    return {"outcome": outcome, "fraction": {"value": one.verdict.fraction or 0.0, "answer": answer}}


def _message(message: Message, place: int) -> dict[str, Any]:
    found: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        found["tool_calls"] = [
            {"id": call.id, "function": call.name, "arguments": call.arguments, "type": "function"}
            for call in message.tool_calls
        ]
    if message.role == "tool":
        found["tool_call_id"] = message.tool_call_id or f"call-{place}"
    return found


def _from_turns(one: Trajectory, task: Task) -> list[dict[str, Any]]:
    """The conversation that an agent without a model would have had."""
    found: list[dict[str, Any]] = [{"role": "user", "content": task.instruction}]
    for place, turn in enumerate(one.turns):
        call = {"id": f"call-{place}", "function": turn.tool, "arguments": turn.arguments, "type": "function"}
        found.append({"role": "assistant", "content": "", "tool_calls": [call]})
        seen = json.dumps(turn.observation, ensure_ascii=False)
        found.append({"role": "tool", "content": seen, "tool_call_id": f"call-{place}", "function": turn.tool})
    found.append({"role": "assistant", "content": json.dumps(one.answer, ensure_ascii=False)})
    return found

"""One task a line as NeMo Gym reads it: what a model is asked (Responses API), and which environment checks it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from envforge.core.records.completion import FunctionTool
from envforge.core.records.task import Task
from envforge.core.records.training import SPLITS
from envforge.publish.published import Published, PublishedEnvironment
from envforge.rollout.agents.model import toolbox
from envforge.rollout.prompts import read_prompt
from envforge.rollout.protocols.native import Native
from envforge.store.files import write_jsonl


class NemoGym:
    """nemo/<split>.jsonl. Whoever runs it adds `agent_ref`, which names a server on the machine at hand."""

    name = "nemo"

    def write(self, published: Published, folder: Path) -> Sequence[Path]:
        """See `Exporter`."""
        written: list[Path] = []
        for split in SPLITS:
            rows = [
                {**_row(environment, task), "canary": published.canary}
                for environment in published.environments
                if environment.split == split and environment.tasks is not None
                for task in environment.tasks.tasks
            ]
            if rows:
                path = folder / self.name / f"{split}.jsonl"
                write_jsonl(path, rows)
                written.append(path)
        return written


def _row(environment: PublishedEnvironment, task: Task) -> dict[str, Any]:
    box = toolbox(environment.tools, task.answer_schema)
    form = Native()
    system = read_prompt(form.words).filled(now=f"{task.now[:10]}, {task.now[11:16]} UTC", user="", **form.fill(box))
    return {
        "id": task.id,
        "responses_create_params": {
            "input": [{"role": "system", "content": system}, {"role": "user", "content": task.instruction}],
            "tools": [_tool(tool) for tool in box.offered],
        },
        "environment_id": environment.id,
        "environment_hash": environment.manifest.environment_hash,
        "task_id": task.id,
        "level": task.difficulty.level,
        "kind": task.kind,
    }


def _tool(tool: FunctionTool) -> dict[str, Any]:
    shown = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    # Not strict: that would demand that every parameter is required, and ours are optional where the tool says so.
    return {"type": "function", **shown, "strict": False}

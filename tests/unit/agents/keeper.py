"""An agent to test with: it keeps notes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from envforge.agents.assignment import AgentTool, Assignment, Seen, ToolUse
from envforge.agents.tools.files import ReadFile, WriteFile
from envforge.core.prompt import Prompt
from envforge.core.records.agent import AgentLimits, Permissions


def step(action: str, **arguments: Any) -> str:
    """A well-formed answer."""
    return json.dumps({"thought": f"now {action}", "step": {"action": action, **arguments}})


@dataclass
class Finish:
    name: str = "finish"
    description: str = "say that you are done"
    wants_code: str = ""
    parameters: dict[str, Any] = field(default_factory=dict[str, Any])

    def use(self, use: ToolUse) -> Seen:
        return Seen("done", ends=True)


@dataclass
class Note:
    """Takes code, and keeps it."""

    name: str = "note_code"
    description: str = "keep a program"
    wants_code: str = "Write it in one ```python block."
    parameters: dict[str, Any] = field(default_factory=dict[str, Any])
    kept: list[str] = field(default_factory=list[str])

    def use(self, use: ToolUse) -> Seen:
        self.kept.append(use.code)
        return Seen("kept")


def assigned(folder: Path, tools: Sequence[AgentTool] = (), goal: str = "Write a note.", **wishes: Any) -> Assignment:
    permissions = Permissions(folders=(str(folder / "notes"),))
    notes = folder / "notes"
    notes.mkdir(parents=True, exist_ok=True)
    offered = [ReadFile(notes, permissions), WriteFile(notes, permissions), Finish(), *tools]
    given: dict[str, Any] = {"limits": AgentLimits(steps=12, repeats=2, mistakes=2), **wishes}
    return Assignment(
        agent="tester",
        prompt=Prompt("tester-1", "You test.\n{{tools}}"),
        goal=goal,
        tools=offered,
        permissions=permissions,
        changing=frozenset({"write_file"}),
        **given,
    )

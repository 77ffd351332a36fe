"""Tools that another author than the compiled one wrote, and what came of its tries."""

from __future__ import annotations

from pydantic import Field

from envforge.core.records.base import Record


class AddedTool(Record):
    """A tool as its author wrote it: one function, and its tests. What tools.json says of it is read off the code."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    purpose: str
    source: str = Field(description="one function; the module's imports stand there already")
    tests: str = Field(description="functions test_<tool>__<case>(world)")
    author: str = Field(description="agent:<model> and the prompts, with the hash of their texts")


class ToolTry(Record):
    """An idea of a tool and how far it came."""

    name: str
    purpose: str
    kept: bool
    tries: int = Field(ge=0, description="texts that were written, repairs included")
    stage: str = Field(default="", description="where it ended: idea, code or tests; nothing: it is kept")
    reasons: tuple[str, ...] = ()


class ToolsmithReport(Record):
    """toolsmith.json of a run: every idea, kept or not."""

    author: str
    tools: tuple[ToolTry, ...]
    calls: int = Field(default=0, ge=0)
    tokens: int = Field(default=0, ge=0)

"""What `envforge eval` writes: what was run (eval.json), and what came of it (report.json, mistakes.jsonl)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from envforge.core.records.base import Record
from envforge.core.records.environment import Grounding
from envforge.core.records.estimate import Estimate, PairedComparison
from envforge.core.records.mistake import Diagnosed
from envforge.core.records.trajectory import EpisodeSettings

Grouping = Literal["grounding", "environment", "level", "kind", "goal", "tool"]
"""How tasks are grouped: by the class of their environment, the environment itself, their level, graph or program, the
kind of goal, and each tool that the gold solution calls."""


class EvaluatedSet(Record):
    """The tasks of one environment that were run."""

    environment_id: str
    environment_hash: str
    grounding: Grounding
    tasks: tuple[str, ...]


class EvaluatedAgent(Record):
    """An agent of a run. `role`: the one that the run is about, or a baseline beside it."""

    name: str
    model: str = Field(default="", description="its name at the endpoint; nothing: no model")
    identity: str = Field(default="", description="model and the settings that change its answers")
    role: Literal["subject", "baseline"] = "subject"
    episodes: int = Field(ge=1, description="of each task")
    settings: EpisodeSettings


class Evaluation(Record):
    """eval.json: what a run is. A folder is gone on with only if this is the same."""

    seed: int = 0
    sets: tuple[EvaluatedSet, ...]
    agents: tuple[EvaluatedAgent, ...]


class Group(Record):
    """The tasks that have something in common, and what an agent reaches on them."""

    by: Grouping
    name: str
    tasks: int
    episodes: int
    scored: int
    passed: int
    estimate: Estimate = Field(description="pass@1")


class ToolUse(Record):
    """Calls of one tool in all episodes."""

    tool: str
    calls: int
    refused: int = Field(description="that were answered with an error")


class Spending(Record):
    """Tokens and money. `usd` is None where a price is not known; nothing was asked of a model: all zero."""

    model_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated_calls: int = Field(default=0, description="of which the server did not say the tokens")
    usd: float | None = 0.0


class TaskResult(Record):
    """One agent on one task."""

    task: str
    environment: str
    level: int
    minimal_calls: int
    scored: int
    passed: int
    unscored: int = 0
    fraction: float | None = Field(default=None, description="mean share of the checks")


class AgentReport(Record):
    """What one agent reached."""

    agent: EvaluatedAgent
    episodes: int
    scored: int
    unscored: dict[str, int] = Field(default_factory=dict, description="status or reason -> episodes without a score")
    passed: int
    estimates: dict[str, Estimate] = Field(description="pass@K and pass^K")
    fraction: Estimate = Estimate()
    if_unscored_failed: float | None = Field(default=None, description="pass@1, if all of them had failed")
    if_unscored_passed: float | None = Field(default=None, description="pass@1, if all of them had passed")
    groups: tuple[Group, ...] = ()
    endings: dict[str, int] = Field(default_factory=dict)
    mistakes: dict[str, int] = Field(default_factory=dict, description="kind -> failed episodes")
    undiagnosed: int = Field(default=0, description="failed episodes that no rule could look at")
    tools: tuple[ToolUse, ...] = ()
    spending: Spending = Spending()
    results: tuple[TaskResult, ...] = ()


class EvalReport(Record):
    """report.json. Times are not in it: the same run gives the same bytes."""

    evaluation: Evaluation
    agents: tuple[AgentReport, ...]
    against: str = Field(default="", description="the run that it is compared with")
    comparisons: tuple[PairedComparison, ...] = ()
    notes: tuple[str, ...] = ()


class DiagnosedEpisode(Record):
    """A line of mistakes.jsonl: why a failed episode failed."""

    key: str
    task_id: str
    agent: str
    seed: int
    diagnosed: Diagnosed


class MeasuredDifficulty(Record):
    """A line of tasks/<environment>/measured.jsonl: what an agent reached on a task.

    It stands beside tasks.jsonl, whose bytes the certificate binds. `task` is the hash of the task as it was run.
    """

    task_id: str
    task: str
    environment_hash: str
    agent: str
    identity: str = ""
    scored: int
    passed: int
    rate: float = Field(ge=0, le=1, description="posterior mean under a uniform prior")

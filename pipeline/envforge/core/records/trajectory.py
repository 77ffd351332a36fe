"""What an agent did with a task, and what that was worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from envforge.core.records.base import Record
from envforge.core.records.completion import Message, TokenLogprob

Ending = Literal[
    "answered",
    "gave_up",
    "malformed",
    "turn_limit",
    "context_limit",
    "length_limit",
    "agent_failure",
    "infrastructure_failure",
]
Status = Literal["completed", "truncated", "error", "infrastructure"]
STATUS: Mapping[Ending, Status] = {
    "answered": "completed",
    "gave_up": "completed",
    "malformed": "completed",
    "turn_limit": "truncated",
    "context_limit": "truncated",
    "length_limit": "truncated",
    "agent_failure": "error",
    "infrastructure_failure": "infrastructure",
}
"""completed: the agent ended the episode; truncated: a limit did; error: the agent broke, or its model gave what
cannot be used; infrastructure: something else broke. The last two are never scored."""


class CheckResult(Record):
    """The outcome of one check."""

    id: str
    passed: bool
    weight: float = 1.0
    detail: str = ""


class Verdict(Record):
    """The score of an episode: 1 when every check passed, else 0. None: it could not be scored, and trains nobody.

    `fraction` is the weighted share of the checks on what the goal asked for (guards against other changes left out);
    0 when a guard failed.
    """

    status: Literal["scored", "unscored"]
    score: float | None
    fraction: float | None = None
    checks: tuple[CheckResult, ...] = ()
    reasons: tuple[str, ...] = ()


class Turn(Record):
    """One call and what was seen."""

    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    ok: bool
    observation: dict[str, Any] = Field(description="as the agent saw it")
    message: int | None = Field(default=None, description="place in `messages` of the answer that asked for the call")
    changed: dict[str, Any] | None = Field(
        default=None, description="what this very call changed, as rows and documents; {}: nothing; null: not recorded"
    )


class ModelTurn(Record):
    """One call of the model. What differs from run to run (times, caches) stands in timings.jsonl."""

    message: int | None = Field(default=None, description="place of its answer in `messages`; null: it gave none")
    prompt_tokens: int = Field(default=0, ge=0)
    completion_tokens: int = Field(default=0, ge=0)
    estimated: bool = Field(default=False, description="the server did not count the tokens")
    reasoning: str = ""
    prompt_token_ids: tuple[int, ...] = Field(default=(), description="where the server gives them")
    token_ids: tuple[int, ...] = Field(default=(), description="of the answer, where the server gives them")
    logprobs: tuple[TokenLogprob, ...] = Field(default=(), description="of the answer's tokens, where they were wanted")
    left_out: tuple[int, ...] = Field(
        default=(), description="places in `messages` whose text the model was not shown any more"
    )


class Malformed(Record):
    """An answer that could not be read as calls or as a final answer, and what the model was told of it."""

    message: int | None = Field(default=None, description="place of the answer in `messages`")
    kind: Literal["call", "unknown_tool", "answer", "nothing"]
    detail: str
    text: str = Field(default="", description="what was written, shortened")


class EpisodeSettings(Record):
    """How an episode was played. Runs that are compared with each other agree in this."""

    protocol: str = Field(default="", description="how calls are written; nothing: the agent is no model")
    prompt: str = Field(default="", description="name and version of the system prompt")
    prompt_sha256: str = Field(default="", pattern=r"^([0-9a-f]{64})?$")
    on_malformed: Literal["observe", "end"] = "observe"
    max_turns: int = Field(ge=0)
    shown_bytes: int = Field(ge=1, description="of an observation, at most")
    parallel: bool = Field(default=True, description="several calls in one answer are made, in their order")
    context_tokens: int | None = Field(default=None, description="of prompt and answer together; null: no limit")
    on_overflow: Literal["stop", "drop_oldest"] = "stop"
    turn_tokens: int | None = Field(default=None, description="of one answer")
    episode_tokens: int | None = Field(default=None, description="of all answers together")
    temperature: float | None = None
    user: str = Field(default="", description="who answers questions; nothing: nobody")


class Trajectory(Record):
    """One episode: a task, an agent, its turns and its answer. The same seed gives the same bytes."""

    task_id: str
    environment_id: str = ""
    environment_hash: str
    agent: str
    model: str = Field(default="", description="whom the agent asks, with the settings that change its answers")
    seed: int
    attempt: int = Field(default=0, ge=0, description="number of the episode of this agent on this task")
    key: str = Field(default="", description="hash of what was to be played; a run plays each once")
    settings: EpisodeSettings | None = None
    messages: tuple[Message, ...] = Field(default=(), description="the conversation of a model, in full")
    model_turns: tuple[ModelTurn, ...] = ()
    malformed: tuple[Malformed, ...] = ()
    turns: tuple[Turn, ...]
    answer: Any = None
    ending: Ending
    status: Status
    failure: str = Field(default="", description="what broke, or why the agent gave up")
    failure_kind: str = Field(default="", description="type of the error that ended it")
    changeset: str = Field(default="", description="base64; what the episode changed")
    state_diff: dict[str, Any] | None = Field(
        default=None, description="the same as rows and documents; {}: nothing; null: not recorded"
    )
    verdict: Verdict | None = None
    reward: float | None = Field(default=None, description="what it trains with; null: it could not be scored")
    rewards: dict[str, float | None] = Field(default_factory=dict, description="other rewards beside it, by name")

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.status != STATUS[self.ending]:
            raise ValueError(f"status: {self.status}, but an episode that ended {self.ending} is {STATUS[self.ending]}")
        return self


class Timing(Record):
    """A line of timings.jsonl: what one episode took, apart from the trajectory, as no two runs agree in it."""

    key: str
    seconds: float = Field(ge=0, description="from its start to its verdict")
    model_seconds: tuple[float, ...] = Field(default=(), description="of each call of the model, waiting included")
    world_seconds: float = Field(default=0.0, ge=0, description="waiting for the environment")
    score_seconds: float = Field(default=0.0, ge=0)
    cached_calls: int = Field(default=0, ge=0, description="calls of the model that were answered from the cache")
    cached_prompt_tokens: int = Field(default=0, ge=0, description="that the server had at hand")

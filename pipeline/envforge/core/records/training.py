"""A training set: rows to play, examples to imitate, and what they were drawn from (docs/training.md, "Data")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from envforge.core.records.base import Record
from envforge.core.records.completion import FunctionTool, Message
from envforge.core.records.environment import Grounding

Split = Literal["train", "heldout_seed", "heldout_family"]
"""train: trained on. heldout_seed: another database of a family that is trained on. heldout_family: tools, tables and
rows that training never sees."""
SPLITS: tuple[Split, ...] = ("train", "heldout_seed", "heldout_family")
Demonstrator = Literal["gold", "rollout"]


class TrainingRow(Record):
    """A line of rows/<split>.jsonl: one episode to play. A reward function finds the task by `task_id`."""

    environment_id: str
    environment_hash: str
    family: str
    database_seed: int
    grounding: Grounding
    task_id: str
    level: int = Field(ge=1, le=5)
    kind: Literal["graph", "program"]
    goal: str = Field(description="family of goals that the task was made from")
    instruction: str
    answer_schema: dict[str, Any] = Field(description="what the argument `answer` of the final answer has to fit")
    prompt: tuple[Message, ...] = Field(min_length=1, description="the conversation before the first answer")
    episode_seed: int = Field(ge=0, description="ids and dynamics of the episode; never the first rows")
    split: Split

    def chat(self) -> list[dict[str, Any]]:
        """The prompt as chat templates take it."""
        return [as_chat(message) for message in self.prompt]


class SftExample(Record):
    """A line of sft.jsonl: a conversation that ends well. Only what the assistant says is to be trained on.

    The tools that it was played with are the family's, in tools.jsonl.
    """

    environment_id: str
    environment_hash: str
    family: str
    database_seed: int
    task_id: str
    level: int = Field(ge=1, le=5)
    kind: Literal["graph", "program"]
    source: Demonstrator
    agent: str = Field(description="who played it: gold, or the agent of the run with its model")
    key: str = Field(description="hash of the conversation: none is there twice")
    messages: tuple[Message, ...] = Field(min_length=2)

    @model_validator(mode="after")
    def _answers(self) -> Self:
        """Each tool result answers a call that was made before it, and each call is answered."""
        open_calls: list[str] = []
        for message in self.messages:
            if message.role == "tool":
                if message.tool_call_id not in open_calls:
                    raise ValueError(f"messages: a result answers no call: {message.tool_call_id!r}")
                open_calls.remove(message.tool_call_id)
            elif open_calls:
                raise ValueError(f"messages: the call {open_calls[0]!r} is not answered")
            open_calls += [call.id for call in message.tool_calls]
        if self.messages[-1].role != "assistant" or open_calls:
            raise ValueError("messages: the last one is not the assistant's closing words")
        return self

    def chat(self) -> list[dict[str, Any]]:
        """The messages as chat templates take them."""
        return [as_chat(message) for message in self.messages]


class FamilyTools(Record):
    """A line of tools.jsonl: what an agent is offered in every environment of a family, the final answer last."""

    family: str
    final: str = Field(description="name of the tool that takes the final answer")
    tools: tuple[FunctionTool, ...]

    def chat(self) -> list[dict[str, Any]]:
        """The tools as chat templates take them."""
        return [{"type": "function", "function": tool.model_dump(mode="json")} for tool in self.tools]


class TrainingEnvironment(Record):
    """An environment that rows or examples come from."""

    environment_id: str
    environment_hash: str
    theme: str
    family: str
    database_seed: int
    grounding: Grounding
    split: Split
    tasks: str = Field(description="SHA-256 of tasks.jsonl")


class TrainingSet(Record):
    """manifest.json: what a training set was drawn from, and what is in it. The same input gives the same bytes."""

    format: int = 1
    data: str = Field(description="workspace, folder, or hf:OWNER/NAME@REVISION")
    seed: int
    levels: tuple[int, ...]
    holdout_families: tuple[str, ...] = ()
    holdout_seeds: tuple[int, ...] = ()
    sft: tuple[Demonstrator, ...] = ()
    environments: tuple[TrainingEnvironment, ...]
    rows: dict[str, int] = Field(default_factory=dict, description="split -> lines")
    balance: dict[str, dict[str, int]] = Field(
        default_factory=dict, description="family -> level -> rows that are trained on"
    )
    examples: dict[str, int] = Field(default_factory=dict, description="source -> lines of sft.jsonl")
    left_out: dict[str, int] = Field(default_factory=dict, description="why no example was made -> episodes")
    files: dict[str, str] = Field(default_factory=dict, description="path -> SHA-256")

    @model_validator(mode="after")
    def _held_out(self) -> Self:
        """A set in which something is on both sides is no training set, whoever wrote it."""
        found = leaks(self.environments)
        if found:
            raise ValueError(f"environments: {found[0]}")
        return self


def leaks(environments: Sequence[TrainingEnvironment]) -> list[str]:
    """What is trained on and held out at once, in words.

    Two families of one theme differ in a few tools and columns only: neither is held out from the other.
    """
    trained = [one for one in environments if one.split == "train"]
    families, themes = {one.family for one in trained}, {one.theme for one in trained}
    databases = {(one.family, one.database_seed) for one in trained}
    hashes = {one.environment_hash for one in trained}
    found: list[str] = []
    for one in environments:
        if one.split == "heldout_family" and one.family in families:
            found.append(f"the family {one.family} is held out, and trained on")
        elif one.split == "heldout_family" and one.theme in themes:
            found.append(f"the theme {one.theme} of {one.family} is held out, and another family of it trained on")
        elif one.split != "train" and one.environment_hash in hashes:
            found.append(f"the database of {one.environment_id} is held out, and trained on under another name")
        elif one.split == "heldout_seed" and (one.family, one.database_seed) in databases:
            found.append(f"the database {one.database_seed} of {one.family} is held out, and trained on")
    return found


def as_chat(message: Message) -> dict[str, Any]:
    """A message as chat templates take it: arguments of calls are objects, not text."""
    told: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        told["tool_calls"] = [
            {"type": "function", "id": call.id, "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    if message.role == "tool":
        told["tool_call_id"] = message.tool_call_id
    return told

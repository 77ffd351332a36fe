"""A recorded episode: the calls that were made in one World, and what they left."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from envforge.core.records.base import Record

_SHA256 = r"^([0-9a-f]{64})?$"


class EpisodeCall(Record):
    """One call: the tool, its arguments as given, and the SHA-256 of what it answered ("" when not recorded)."""

    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    observation: str = Field(default="", pattern=_SHA256, description="SHA-256 of the canonical JSON of the answer")


class Episode(Record):
    """A line of episodes.jsonl: the calls, in order, from the start of an episode of one environment.

    `digest` is the SHA-256 of the rows and documents that changed ("" when not recorded): the claim of the worker
    that ran the episode, which a replay can prove wrong.
    """

    environment_hash: str = Field(pattern=_SHA256)
    seed: int = Field(default=0, description="the episode's: ids and dynamics, never the initial rows")
    calls: tuple[EpisodeCall, ...]
    digest: str = Field(default="", pattern=_SHA256)

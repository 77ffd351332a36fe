"""published.json: what a published set is made of, and the hash of every file in it."""

from __future__ import annotations

from pydantic import Field

from envforge.core.records.base import Record
from envforge.core.records.environment import ENVIRONMENT_ID
from envforge.core.records.training import Split

VERSION = r"^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$"


class ChangelogEntry(Record):
    """What one version brought. Without a date: the same set gives the same bytes."""

    version: str = Field(pattern=VERSION)
    changes: tuple[str, ...]


class PublishedMember(Record):
    """One environment of a published set."""

    id: str = Field(pattern=ENVIRONMENT_ID)
    family: str
    database_seed: int
    environment_hash: str
    split: Split
    tasks: int = 0


class PublishedSet(Record):
    """published.json. `files`: path → SHA-256 of every file of the set but this one."""

    format: int = 1
    repo: str = Field(description="OWNER/NAME under which it was published")
    version: str = Field(pattern=VERSION)
    canary: str = Field(description="stands in the card and in this file, so that a copy can be told by it")
    members: tuple[PublishedMember, ...]
    changelog: tuple[ChangelogEntry, ...] = Field(description="newest first")
    files: dict[str, str] = Field(default_factory=dict)

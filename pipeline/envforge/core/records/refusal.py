"""A specification that makes no environment: rejection.json in the rejected/ folder of its run."""

from __future__ import annotations

from pydantic import Field

from envforge.core.records.base import Record


class Refusal(Record):
    """Why there is no environment, and what became of what the specification states."""

    theme: str
    reason: str
    detail: str
    entities: tuple[str, ...]
    changed: tuple[str, ...] = Field(description="entities that operations create, change or remove")
    no_entities: dict[str, str] = Field(description="record -> why it is no entity")
    operations: dict[str, int] = Field(description="the operations by fate")

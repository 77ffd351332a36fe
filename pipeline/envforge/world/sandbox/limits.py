"""Limits of a worker and of what runs in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Limits:
    """What tool code may use.

    Args:
        call_seconds: wall clock of one call; the host kills the worker that runs over.
        sql_seconds: SQL of one call; stopped inside, the call fails.
        memory_mb: address space of a worker.
        output_bytes: JSON of one result.
        test_seconds: processor time of one unit test.
        start_seconds: wall clock for a worker to get ready.
    """

    call_seconds: float = 10.0
    sql_seconds: float = 5.0
    memory_mb: int = 1024
    output_bytes: int = 1_000_000
    test_seconds: float = 5.0
    start_seconds: float = 20.0

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Limits:
        """From JSON values."""
        return cls(**value)

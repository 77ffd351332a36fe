"""Outcome: what a stage hands on. Produced flows on; Rejected and Failed are kept with their reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias, TypeVar

from envforge.core.errors import EnvforgeError

T_co = TypeVar("T_co", covariant=True)


def _no_evidence() -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Produced(Generic[T_co]):
    """The stage did its work; `value` is the artefact."""

    value: T_co


@dataclass(frozen=True)
class Rejected:
    """The stage worked and decided against the artefact. `evidence` is JSON-serialisable."""

    reason: str
    evidence: dict[str, Any] = field(default_factory=_no_evidence)


@dataclass(frozen=True)
class Failed:
    """The stage could not do its work. `retryable` says whether trying again may help."""

    boundary: str
    error: str
    retryable: bool = False
    where: str = ""
    remedy: str = ""

    @classmethod
    def from_error(cls, error: EnvforgeError) -> Failed:
        """Keep an error's type, place and remedy."""
        return cls(error.boundary, error.message, error.retryable, error.where, error.remedy)


Outcome: TypeAlias = Produced[T_co] | Rejected | Failed

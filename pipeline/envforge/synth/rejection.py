"""Why a family, or one binding of it, is no goal of an environment."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from envforge.core.errors import EnvforgeError


class UnfitError(EnvforgeError):
    """These values make no goal: `part` of the family says which rule they break. The family itself may be sound."""

    boundary: ClassVar[str] = "goal"

    def __init__(self, part: str, message: str) -> None:
        super().__init__(message, where=part)
        self.part = part


def _nothing() -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Rejection:
    """A binding of a family that is no goal here, or with `whole_family` the family itself.

    `part` is what decided: tools, gold, parameter_sets, sizes, policy, mention <name>, reference <name>, answer <name>…
    """

    family: str
    kind: str
    part: str
    reason: str
    parameters: dict[str, Any] = field(default_factory=_nothing)
    whole_family: bool = False

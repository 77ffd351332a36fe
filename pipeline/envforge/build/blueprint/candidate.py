"""An operation that could become a tool, and what is said of one that does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from envforge.core.records.blueprint import Operation
from envforge.core.records.domain import READ_VERBS

FIND = frozenset({"list", "search", "filter"})
Kind = Literal["archetype", "source", "data", "document", "history"]


@dataclass(frozen=True)
class Candidate:
    """An operation that could become a tool, and where it comes from."""

    operation: Operation
    kind: Kind

    @property
    def verb_class(self) -> str:
        """The verb, finding verbs as one."""
        return "find" if self.operation.verb in FIND else self.operation.verb

    @property
    def writes(self) -> bool:
        """True if the tool changes rows."""
        return self.operation.verb not in READ_VERBS


Rejections = list[dict[str, Any]]


def rejection(name: str, locator: str, reason: str, detail: str) -> dict[str, Any]:
    """One line of rejected.jsonl."""
    return {"operation": name, "locator": locator, "reason": reason, "detail": detail}

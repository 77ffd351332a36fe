"""The log of what the proxy let through and what not: counted in memory, kept as lines of the run."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from envforge.core.records.browse import ProxyDecision
from envforge.store.log import append_record

PROXY_NAME = "proxy.jsonl"


class DecisionLog:
    """Counts decisions and appends them to a file; a host that is denied a hundred times is written once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._counts: Counter[tuple[str, str]] = Counter()
        self._denied: Counter[str] = Counter()
        self._written: set[tuple[str, str, str, str, int]] = set()

    def note(self, decision: ProxyDecision) -> None:
        """Count it; write it unless the same is in the file already. Raises StoreError."""
        self._counts[decision.verdict, decision.rule] += 1
        if decision.verdict == "denied":
            self._denied[f"{decision.host}:{decision.port}"] += 1
        key = (decision.verdict, decision.rule, decision.method, decision.host, decision.port)
        if key not in self._written:
            self._written.add(key)
            append_record(self._path, decision.to_json())

    def count(self, verdict: str, rule: str | None = None) -> int:
        """How many connections met that fate."""
        return sum(count for (word, why), count in self._counts.items() if word == verdict and rule in (None, why))

    @property
    def denied(self) -> dict[str, int]:
        """host:port → connections that were denied."""
        return dict(sorted(self._denied.items()))

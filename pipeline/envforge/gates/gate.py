"""What all gates share: how a verdict is made, and how a threshold is looked up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from envforge.core.errors import ConfigError
from envforge.core.records.environment import GateResult


def verdict(
    gate: str, reasons: Sequence[str], *, measured: Mapping[str, Any], threshold: Mapping[str, Any] | None = None
) -> GateResult:
    """Passed if there is no reason against it. At most 20 reasons are kept; the count is in `measured`."""
    kept = tuple(reasons[:20])
    numbers = dict(measured)
    if len(reasons) > len(kept):
        numbers["reasons_total"] = len(reasons)
    return GateResult(gate=gate, passed=not reasons, measured=numbers, threshold=dict(threshold or {}), reasons=kept)


ENVIRONMENT_FILE = "validators/gates/environment.json"


def number(thresholds: Mapping[str, Any], gate: str, name: str, where: str = ENVIRONMENT_FILE) -> float:
    """A numeric threshold of the file `where`. Raises ConfigError naming the field."""
    value = thresholds.get(gate, {}).get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ConfigError(
            f"field {gate}.{name} must be a number, found {value!r}",
            where=where,
            remedy="restore the shipped file or give the number",
        )
    return value

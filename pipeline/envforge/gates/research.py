"""Is a research worth an environment? Only rows that stand in their sources count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envforge.core.records.environment import GateResult
from envforge.core.records.research import Research

GATE = "research"


def judge_research(research: Research, thresholds: Mapping[str, Any]) -> GateResult:
    """Enough verified rows in enough tables, and enough of what was handed in could be verified.

    `thresholds`: the entry `research` of validators/gates/research.json.
    """
    filled = {one.table for one in research.found if one.rows}
    measured = {
        "tables": len(filled),
        "rows": research.verified,
        "verified_share": round(research.verified_share, 4),
        "refused": research.refused,
        "sources": len(research.addresses),
        "ended": research.ended,
    }
    reasons = tuple(
        f"{name} is {measured[name]}, at least {least} is wanted"
        for name, least in sorted(thresholds.items())
        if measured[name] < least
    )
    if reasons and research.reason:
        reasons = (*reasons, f"the research ended by {research.ended}: {research.reason}")
    return GateResult(gate=GATE, passed=not reasons, measured=measured, threshold=dict(thresholds), reasons=reasons)

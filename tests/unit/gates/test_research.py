"""A research with too little that could be verified is refused, with what is missing and how it ended."""

from __future__ import annotations

from typing import Any

import pytest

from envforge.core.records.research import FoundRows, PlannedTable, Research, ResearchGoals
from envforge.gates.research import judge_research

LEAST = {"rows": 2, "tables": 1, "verified_share": 0.5}


def research(rows: int, refused: int) -> Research:
    found: dict[str, Any] = {"table": "lights", "address": "https://a.example/", "source": "src-1", "path": "a.csv"}
    one = FoundRows(
        step=1,
        by="rows",
        columns=("code",),
        rows=tuple((f"L{number}",) for number in range(rows)),
        locators=tuple(f"text={number}-{number + 2}" for number in range(rows)),
        **found,
    )
    planned = PlannedTable(name="lights", columns=("code",), key="code")
    return Research(
        theme="coast", goals=ResearchGoals(), tables=(planned,), found=(one,), addresses=(one.address,),
        verified=rows, refused=refused, ended="loop", reason="4 steps did what was done already",
    )  # fmt: skip


def test_enough_verified_rows_pass() -> None:
    verdict = judge_research(research(3, 1), LEAST)
    assert verdict.passed and verdict.measured["verified_share"] == 0.75 and not verdict.reasons


@pytest.mark.parametrize(
    ("rows", "refused", "reason"),
    [(0, 0, "tables is 0"), (1, 0, "rows is 1"), (3, 4, "verified_share is 0.4286")],
)
def test_too_little_is_refused_with_the_reason(rows: int, refused: int, reason: str) -> None:
    verdict = judge_research(research(rows, refused), LEAST)
    assert not verdict.passed and reason in " ".join(verdict.reasons) and "ended by loop" in verdict.reasons[-1]

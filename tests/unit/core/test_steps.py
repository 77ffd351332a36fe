"""Steps are found wherever they stand, each behind the one that it stands in."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from envforge.core.records.blueprint import Step
from envforge.core.steps import all_steps

LET: dict[str, Any] = {"do": "let", "name": "a", "value": "1"}


def test_steps_of_loops_and_of_both_branches_are_found_in_their_order() -> None:
    inner = {"do": "when", "that": "a", "then": [{**LET, "name": "then"}], "otherwise": [{**LET, "name": "else"}]}
    loop = {"do": "each", "item": "row", "over": "rows", "steps": [inner, {**LET, "name": "last"}]}
    steps = TypeAdapter(list[Step]).validate_python([LET, loop])
    found = [getattr(step, "name", step.do) for step in all_steps(steps)]
    assert found == ["a", "each", "when", "then", "else", "last"]

"""Arguments that the blueprints of what ships call known to lead to an outcome: each does, in the rows that ship."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.mine.archetypes.conftest import missed, outcomes

from envforge.build.unit_tests.reference import Reference
from envforge.gates.folder import Folder
from envforge.world.environment import Environment

SHIPPED = sorted(path.parent for path in (Path(__file__).parents[2] / "environments").glob("*/environment.json"))
MISSED = {
    "airline-booking": [
        ("change_flight", "limit_exceeded: the other one is full"),  # no full flight on a route of another one
        ("create_booking", "success: two legs that fit"),  # no such pair after the clock
        ("create_booking", "not_allowed: a child alone"),  # born after the clock, so the date is refused
    ]
}
"""Known misfits: the environment's own unit tests say nothing of these cases."""


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
def test_witnesses_lead_to_what_they_state(folder: Path) -> None:
    reference = Reference(Folder(folder).knowledge.blueprint, Environment.open(folder))
    try:
        assert missed(outcomes(reference)) == MISSED.get(folder.name, [])
    finally:
        reference.close()

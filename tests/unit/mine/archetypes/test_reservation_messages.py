"""What the tools of the reservations archetype say names what stands in the way."""

from __future__ import annotations

from pathlib import Path

from envforge.mine.archetypes import load_archetype

FILE = Path(__file__).parents[4] / "themes" / "archetypes" / "reservations.yaml"


def test_a_seat_that_cannot_be_chosen_says_how_ticket_and_departure_stand() -> None:
    operation = next(one for one in load_archetype(FILE).operations if one.name == "select_seat")
    said = [str(step.model_dump().get("message")) for step in operation.steps]
    assert [text for text in said if "{ticket.status}" in text and "@departure.status" in text]

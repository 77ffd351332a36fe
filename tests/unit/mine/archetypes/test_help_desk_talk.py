"""What is said on a help desk, and when: the text of a ticket is its first message, and the desk sleeps."""

from __future__ import annotations

import pytest
from tests.unit.mine.archetypes.test_customer_support import filled

from envforge.core.times import days_between, local_time

WORDS = ["two", "three", "four", "five", "six", "seven", "eight", "nine"]
DAYS = {f"{word} days": n for n, word in enumerate(WORDS, start=2)}


@pytest.mark.parametrize("seed", [0, 5])
def test_a_ticket_says_more_than_its_subject(seed: int) -> None:
    tickets = filled(seed).rows["tickets"]
    same = [row for row in tickets if row["description"] == row["subject"]]
    assert len(same) < len(tickets) / 20


@pytest.mark.parametrize("seed", [0, 5])
def test_the_desk_sleeps_at_night(seed: int) -> None:
    answers = [row for row in filled(seed).rows["replies"] if row["written_by"] == "desk"]
    hours = [int(local_time(row["created_at"], "America/New_York")[11:13]) for row in answers]
    assert sum(1 <= hour <= 5 for hour in hours) < 0.06 * len(hours)


@pytest.mark.parametrize("seed", [0, 5])
def test_who_says_how_long_they_have_waited_has_waited_so_long(seed: int) -> None:
    rows = filled(seed).rows
    written = {row["id"]: row["created_at"] for row in rows["tickets"]}
    told = 0
    for row in rows["replies"]:
        said = next((n for words, n in DAYS.items() if words in row["body"]), None)
        if row["written_by"] == "customer" and said is not None:
            told += 1
            assert days_between(written[row["ticket_id"]][:10], row["created_at"][:10]) == said, row["body"]
    assert told > 10

"""People of a scenario: what they are given agrees with the country whose names they bear."""

from __future__ import annotations

import random
import re

import pytest

from envforge.mine.scenario.people import People

NUMBERS = {
    "en_US": r"\+1-[2-9]\d\d-555-\d{4}",
    "en_IE": r"\+353-20-91\d-\d{4}",
    "en_GB": r"\+44-(1\d\d-49[68]-0|20-7946-0|29-2018-0|7700-900|1632-960)\d{3}",
}


@pytest.mark.parametrize("locale", list(NUMBERS))
def test_a_phone_number_is_one_of_the_country_kept_for_fiction(locale: str) -> None:
    people, stream = People(locale, set(), set()), random.Random(3)
    drawn = [people.draw(stream)["phone"] for _ in range(200)]
    assert [number for number in drawn if not re.fullmatch(NUMBERS[locale], number)] == []
    assert len(set(drawn)) > 150


def test_the_country_changes_nothing_but_the_number() -> None:
    streams = [random.Random(5), random.Random(5)]
    first, second = (People("en_IE", set(), set()), People("en_IE", set(), set()))
    first._locale = "en_US"  # pyright: ignore[reportPrivateUsage]
    one, other = first.draw(streams[0]), second.draw(streams[1])
    assert one.pop("phone") != other.pop("phone")
    assert one == other
    assert streams[0].random() == streams[1].random(), "as much is drawn, whatever the country"

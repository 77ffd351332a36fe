"""Numbers of an archetype that the user sets."""

from __future__ import annotations

import pytest

from envforge.core.errors import ConfigError
from envforge.core.records.archetype import Archetype
from envforge.mine.archetypes.constants import with_constants

HARBOUR = Archetype(
    id="harbour-office",
    version=1,
    title="Harbour office",
    about="Ships come and go.",
    constants={"berths": 12, "sold": 1.0, "open": True, "flag": "blue"},
    roles={},
    scenario=(),
)


def test_a_number_is_set_and_nothing_else_changes() -> None:
    other = HARBOUR.model_copy(update={"id": "depot"})
    changed = with_constants([HARBOUR, other], ["harbour-office.berths=5", "harbour-office.sold=0.25"])
    assert changed[0].constants == {"berths": 5, "sold": 0.25, "open": True, "flag": "blue"}
    assert changed[1] is other and HARBOUR.constants["berths"] == 12


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ("berths=5", "sets nothing.*ARCHETYPE.NAME=NUMBER"),
        ("harbour-office.berths=many", "sets nothing"),
        ("harbour-office.berths=-1", "sets nothing"),
        ("harbor-office.berths=5", "no archetype 'harbor-office'.*harbour-office"),
        ("harbour-office.berth=5", "no number 'berth'.*berths"),
        ("harbour-office.flag=5", "no number 'flag'.*there are: berths, sold"),
        ("harbour-office.open=1", "no number 'open'"),
    ],
)
def test_what_cannot_be_set_says_what_can(wish: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        with_constants([HARBOUR], [wish])

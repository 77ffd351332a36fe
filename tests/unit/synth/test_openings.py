"""Why somebody asks stands before anything is named."""

from __future__ import annotations

import re

import pytest

from envforge.synth.chain_openings import LONG, OPENINGS, Asked

_AHEAD = re.compile(r"\b(this|these|those|them)\b|\babout it\b", re.IGNORECASE)


@pytest.mark.parametrize("asked", sorted(OPENINGS))
def test_openings_point_at_nothing_that_comes_later(asked: Asked) -> None:
    assert len(OPENINGS[asked]) > 1 and len(LONG[asked]) > 1
    for opening in (*OPENINGS[asked], *LONG[asked]):
        assert not _AHEAD.search(opening), opening


def test_no_opening_serves_several_questions() -> None:
    said = [opening for banks in (OPENINGS, LONG) for openings in banks.values() for opening in openings]
    assert len(said) == len(set(said))
    assert all("by heart" not in opening for asked in ("sum", "most", "count") for opening in LONG[asked])

"""An archetype under another clock than its own: the days that it names move along with the World's epoch.

Scenarios speak of time by the clock, but for a few fixed days: since when a shop has been open, when its first
customers came. Those are days of the archetype's own clock; under another one they are as far from it as they were.
"""

from __future__ import annotations

import datetime
import json
import re
from dataclasses import replace
from typing import Any

from envforge.core.records.archetype import Archetype
from envforge.mine.archetypes.match import ArchetypeMatch

_DAY = re.compile(r"(?<![\d-])(?:19|20)\d\d-[01]\d-[0-3]\d(?![\d-])")
_MOVED = frozenset({"constants", "scenario", "plants", "reference_rows"})
"""Parts whose days are told of the past; elsewhere they are examples."""


def at_epoch(match: ArchetypeMatch, clock: str) -> ArchetypeMatch:
    """The match with the days of its archetype as far from `clock` as they are from the archetype's own."""
    own = match.archetype.clock
    if own is None or own[:10] == clock[:10]:
        return match
    moved = _moved(match.archetype, (_day(clock) - _day(own)).days)
    return replace(match, archetype=moved, binding=replace(match.binding, constants=moved.constants))


def _moved(archetype: Archetype, days: int) -> Archetype:
    content: dict[str, Any] = archetype.model_dump(mode="json", by_alias=True, exclude_unset=True)
    for part in _MOVED & content.keys():
        text = json.dumps(content[part], ensure_ascii=False)
        content[part] = json.loads(_DAY.sub(lambda found: _shifted(found[0], days), text))
    return Archetype.model_validate(content)


def _shifted(text: str, days: int) -> str:
    try:
        return (_day(text) + datetime.timedelta(days=days)).isoformat()
    except ValueError:
        return text  # the 31st of a month that has none is no day


def _day(text: str) -> datetime.date:
    return datetime.date.fromisoformat(text[:10])

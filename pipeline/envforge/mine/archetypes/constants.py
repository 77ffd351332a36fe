"""Constants of an archetype that the user sets: how many customers, how much of what there is to sell is sold."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from envforge.core.errors import ConfigError
from envforge.core.records.archetype import Archetype

_WISH = re.compile(r"(?P<archetype>[a-z0-9-]+)\.(?P<name>\w+)=(?P<value>\d{1,9}(\.\d{1,6})?)")


def with_constants(archetypes: Sequence[Archetype], wishes: Sequence[str]) -> list[Archetype]:
    """The archetypes, with the numbers that `ARCHETYPE.NAME=NUMBER` sets. Raises ConfigError."""
    known = {archetype.id: archetype for archetype in archetypes}
    for text in wishes:
        found = _WISH.fullmatch(text)
        if found is None:
            raise ConfigError(f"{text!r} sets nothing", where="--set", remedy="give ARCHETYPE.NAME=NUMBER")
        archetype = known.get(found["archetype"])
        if archetype is None:
            raise _unknown(f"no archetype {found['archetype']!r}", found["archetype"], list(known))
        numbers = {
            name: value
            for name, value in archetype.constants.items()
            if isinstance(value, int | float) and not isinstance(value, bool)
        }
        if found["name"] not in numbers:
            raise _unknown(f"{archetype.id} has no number {found['name']!r}", found["name"], list(numbers))
        value = float(found["value"]) if "." in found["value"] else int(found["value"])
        constants = {**archetype.constants, found["name"]: value}
        known[archetype.id] = archetype.model_copy(update={"constants": constants})
    return [known[archetype.id] for archetype in archetypes]


def _unknown(message: str, name: str, known: Sequence[str]) -> ConfigError:
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5) or sorted(known)
    return ConfigError(message, where="--set", remedy=f"there are: {', '.join(near)}")

"""What a tool must be told before it lists anything, in words: "in the repository webshop of the user crose"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from envforge.core.records.intent import Mention, Say
from envforge.synth.nouns import said
from envforge.synth.programs.ground import Ground
from envforge.synth.programs.scoped import Scope
from envforge.synth.wording.speak import LONGEST_CODE, UUID

WHOLES = frozenset(
    ["repository", "milestone", "project", "folder", "category", "collection", "group", "library", "workspace", "album",
     "organization", "organisation", "team", "company", "site", "department", "section", "room", "account", "channel"]
)  # fmt: skip
"""What rows are in, and not of."""
_PLAIN = re.compile(r"[\w@.+/:-]+")


@dataclass(frozen=True)
class Place:
    """A holder that is said by the values that the tool takes. `name`: the parameter that is its key."""

    name: str
    words: str
    mentions: dict[str, Mention]
    arguments: tuple[str, ...]


def place_of(ground: Ground, scope: Scope, name: str) -> Place | None:
    """The holder's words, innermost first, and the arguments of the tool; None for keys that nobody would say."""
    if any(_unsayable(ground, part.table, part.column) for part in scope.parts):
        return None
    slots = [name if len(scope.parts) == 1 else f"{name}_{at}" for at in range(len(scope.parts))]
    mentions: dict[str, Mention] = {}
    named: list[str] = []
    for at, part in enumerate(scope.parts):
        mentions[slots[at]] = Mention(sql=scope.value(at, f":{name}"), say=_say(ground, part.table, part.column))
        label = ground.tables[part.table].label
        named.append(f"the {said(label) or label} {{{slots[at]}}}")
    inner = ground.tables[scope.holder].label
    lead = "in" if inner.split()[-1] in WHOLES else "of"
    words = " of ".join(reversed(named))
    return Place(
        name,
        f"{lead} {words}",
        mentions,
        tuple(f"{part.parameter}={slot}" for part, slot in zip(scope.parts, slots, strict=True)),
    )


def _unsayable(ground: Ground, table: str, column: str) -> bool:
    return any(UUID.search(str(value)) for value in ground.keys.values(table, column))


def _say(ground: Ground, table: str, column: str) -> Say:
    """Names of several words in quotes, all others as they are."""
    values = [str(value) for value in ground.keys.values(table, column) if value is not None]
    return "code" if all(_PLAIN.fullmatch(value) and len(value) <= LONGEST_CODE for value in values) else "quoted"

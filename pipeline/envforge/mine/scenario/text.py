"""Text banks: templates with {slots} and {nested banks}, expanded without repeating while they can vary."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Any

from envforge.core.errors import BuildError

SLOT = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_ATTEMPTS = 60
_DEPTH = 8


class TextBanks:
    """The banks of an archetype. `repeats` counts, per bank, texts that had to be used again."""

    def __init__(self, banks: Mapping[str, tuple[str, ...]]) -> None:
        self._banks = banks
        self._used: dict[str, set[str]] = {}
        self.repeats: dict[str, int] = {}

    def say(self, stream: random.Random, bank: str, slots: Mapping[str, Any]) -> str:
        """A text of `bank` that was not said before, if the bank still has one.

        Raises BuildError for an unknown bank or a slot without a value.
        """
        used = self._used.setdefault(bank, set())
        text = ""
        for _ in range(_ATTEMPTS):
            text = self._expand(stream, bank, slots, _DEPTH)
            if text not in used:
                used.add(text)
                return text
        self.repeats[bank] = self.repeats.get(bank, 0) + 1
        return text

    def _expand(self, stream: random.Random, bank: str, slots: Mapping[str, Any], depth: int) -> str:
        if bank not in self._banks:
            raise BuildError(f"no text bank {bank!r}", remedy="add it under text, or give the slot a value")
        if depth == 0:
            raise BuildError(f"text bank {bank!r} nests too deep", remedy="a bank must not lead back to itself")

        def fill(found: re.Match[str]) -> str:
            name = found[1]
            return str(slots[name]) if name in slots else self._expand(stream, name, slots, depth - 1)

        return SLOT.sub(fill, stream.choice(self._banks[bank]))

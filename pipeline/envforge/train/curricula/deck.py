"""Cards that are dealt without repetition, shuffled anew for each pass. What is dealt follows from seed and place."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Generic, TypeVar

from envforge.core.seeds import stream

T = TypeVar("T")


class Deck(Generic[T]):
    """Deals its cards; `dealt` is all that has to be remembered of it."""

    def __init__(self, cards: Sequence[T], seed: int, name: str) -> None:
        """There is at least one card."""
        self._cards = tuple(cards)
        self._seed, self._name = seed, name
        self._order = lru_cache(maxsize=2)(self._shuffled)
        self.dealt = 0

    def __len__(self) -> int:
        return len(self._cards)

    def deal(self) -> T:
        """The next card."""
        turn, place = divmod(self.dealt, len(self._cards))
        self.dealt += 1
        return self._cards[self._order(turn)[place]]

    def _shuffled(self, turn: int) -> tuple[int, ...]:
        order = list(range(len(self._cards)))
        stream(self._seed, "deck", self._name, turn).shuffle(order)
        return tuple(order)

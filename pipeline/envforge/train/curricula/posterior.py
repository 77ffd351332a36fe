"""What is known of a success rate: a Beta posterior that forgets, as the one who is measured learns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random


@dataclass
class Posterior:
    """Beta(1 + successes, 1 + failures): nothing is known at first, and every rate as likely.

    A score between 0 and 1 counts as that share of a success.
    """

    successes: float = 0.0
    failures: float = 0.0

    def fade(self, memory: float) -> None:
        """What is known counts `memory` times as much as until now."""
        self.successes *= memory
        self.failures *= memory

    def learn(self, scores: Sequence[float]) -> None:
        """A further group."""
        won = sum(scores)
        self.successes += won
        self.failures += len(scores) - won

    @property
    def mean(self) -> float:
        """The expected rate p̂."""
        return (1 + self.successes) / (2 + self.successes + self.failures)

    @property
    def learnability(self) -> float:
        """The expected p(1−p): ab / ((a+b)(a+b+1))."""
        a, b = 1 + self.successes, 1 + self.failures
        return a * b / ((a + b) * (a + b + 1))

    def draw(self, random: Random, expected: float = 0.5) -> float:
        """A rate that may be the true one; `expected` where nothing is known: a prior of two episodes."""
        return random.betavariate(2 * expected + self.successes, 2 * (1 - expected) + self.failures)


def to_values(posteriors: Mapping[str, Posterior]) -> dict[str, list[float]]:
    """What is known, as JSON; who was never met is left out."""
    known = {name: [one.successes, one.failures] for name, one in sorted(posteriors.items())}
    return {name: counts for name, counts in known.items() if any(counts)}


def take_values(posteriors: Mapping[str, Posterior], values: Mapping[str, list[float]]) -> None:
    """Know what was known."""
    for name, one in posteriors.items():
        one.successes, one.failures = values.get(name, (0.0, 0.0))

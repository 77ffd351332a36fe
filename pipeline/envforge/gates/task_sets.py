"""Gates that look at other tasks: near-duplicates of admitted ones, overlap with known benchmarks, balance of a set."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from envforge.core.contracts import TaskCandidate
from envforge.core.ids import canonical_json
from envforge.core.records.environment import GateResult
from envforge.gates.atoms import atoms, shape
from envforge.gates.gate import number, verdict
from envforge.gates.task_case import TaskCase
from envforge.gates.task_solving import FILE

_GRAM = 3


class NotDuplicate:
    """No admitted task asks the same of the same things, or in nearly the same words."""

    name = "not_duplicate"

    def check(self, case: TaskCase) -> GateResult:
        """What the toolbox knows of admitted tasks."""
        return verdict(self.name, list(case.toolbox.duplicates(case.candidate)), measured={})


class NoOverlap:
    """The text shares no long run of words with a known benchmark."""

    name = "no_overlap"

    def check(self, case: TaskCase) -> GateResult:
        """What the toolbox knows of benchmarks."""
        return verdict(self.name, list(case.toolbox.overlap(case.candidate)), measured={})


class Admitted:
    """The tasks admitted so far: `problems` says what a candidate repeats of them."""

    def __init__(self, thresholds: Mapping[str, Any]) -> None:
        self._similar = number(thresholds, NotDuplicate.name, "similar", FILE)
        self._bindings: dict[str, str] = {}
        self._texts: dict[str, list[tuple[str, frozenset[str]]]] = {}

    def add(self, candidate: TaskCandidate) -> None:
        """A task that was admitted."""
        self._bindings[_binding(candidate)] = candidate.id
        self._texts.setdefault(_shape(candidate), []).append((candidate.id, _grams(candidate.instruction)))

    def problems(self, candidate: TaskCandidate) -> list[str]:
        """The same family, shape of constraints and values; or, in one family and shape, nearly the same words."""
        known = self._bindings.get(_binding(candidate))
        if known is not None:
            return [f"{known} asks the same of the same things"]
        grams = _grams(candidate.instruction)
        for other, words in self._texts.get(_shape(candidate), ()):
            shared = len(grams & words) / max(1, len(grams | words))
            if shared > self._similar:
                return [f"{shared:.0%} of the words are those of {other}"]
        return []


def _shape(candidate: TaskCandidate) -> str:
    """Family, what must be said, and which attributes name things."""
    said = sorted({shape(path) for path, _ in atoms(candidate.intent.said)})
    return canonical_json([candidate.family.id, sorted(candidate.intent.banks), said])


def _binding(candidate: TaskCandidate) -> str:
    return canonical_json([_shape(candidate), candidate.intent.said])


def _grams(text: str) -> frozenset[str]:
    words = re.findall(r"\w+", text.casefold())
    return frozenset(" ".join(words[at : at + _GRAM]) for at in range(max(1, len(words) - _GRAM + 1)))


def balance(families: Iterable[str], thresholds: Mapping[str, Any], wanted: int | None = None) -> GateResult:
    """The gate on an environment's admitted tasks (their families): no family dominates, and they are many.

    Where fewer tasks than families are `wanted`, each task has a family of its own.
    """
    counts = Counter(families)
    total = sum(counts.values())
    most = number(thresholds, "balance", "family_share", FILE)
    least = number(thresholds, "balance", "families", FILE)
    reasons = [
        f"{name} has {count} of {total} tasks, at most {most:.0%} may be of one family"
        for name, count in sorted(counts.items())
        if count > max(1.0, most * total)
    ]
    if wanted is not None:
        least = min(least, wanted)
    if len(counts) < least:
        reasons.append(f"{len(counts)} families, at least {int(least)} are needed")
    measured = {"tasks": total, "families": len(counts), "largest": max(counts.values(), default=0)}
    return verdict("balance", reasons, measured=measured, threshold={"family_share": most, "families": least})

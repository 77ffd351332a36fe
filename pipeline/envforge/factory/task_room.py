"""How much room a set of tasks has for more of a family, a template, a kind. It only ever shrinks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from envforge.gates.gate import number
from envforge.gates.task_solving import FILE
from envforge.synth.author import Proposal

GIVE_UP_AFTER = 15
"""Candidates of a family that gates reject one after the other."""
PASS_OVER = 40
"""Candidates of a family that have no room one after the other."""


class Room:
    """Counts what was admitted against the shares that the gates on the whole set allow."""

    def __init__(
        self, wanted: int, mix: Mapping[str, float], thresholds: Mapping[str, Any], kinds: Mapping[str, str]
    ) -> None:
        """`kinds`: family -> kind of its tasks. Raises ConfigError for a threshold that is missing."""
        self._family = max(1, int(wanted * number(thresholds, "balance", "family_share", FILE)))
        self._template = max(1, int(wanted * number(thresholds, "variety", "template_share", FILE)))
        self._quotas = quotas(wanted, mix)
        self._kinds = kinds
        self._taken: Counter[tuple[str, str]] = Counter()
        self._rejected: Counter[str] = Counter()
        self._passed_over: Counter[str] = Counter()

    def of_family(self, family: str) -> bool:
        """More of this family may come."""
        if self._rejected[family] >= GIVE_UP_AFTER or self._passed_over[family] >= PASS_OVER:
            return False
        kind = self._kinds[family]
        if self._quotas and self._taken["kind", kind] >= self._quotas.get(kind, 0):
            return False
        return self._taken["family", family] < self._family

    def fits(self, proposal: Proposal) -> bool:
        """There is room for this one."""
        family = proposal.candidate.family.id
        return self.of_family(family) and self._taken["template", proposal.template] < self._template

    def take(self, proposal: Proposal) -> None:
        """It was admitted."""
        family = proposal.candidate.family.id
        self._taken.update([("family", family), ("template", proposal.template), ("kind", proposal.candidate.kind)])
        self._rejected[family] = self._passed_over[family] = 0

    def reject(self, family: str) -> None:
        """A gate stopped one of this family."""
        self._rejected[family] += 1

    def pass_over(self, family: str) -> None:
        """One of this family had no room."""
        self._passed_over[family] += 1


def quotas(wanted: int, mix: Mapping[str, float]) -> dict[str, int]:
    """Whole numbers of tasks by kind that add up to `wanted`: the largest remainders are rounded up."""
    total = sum(mix.values())
    exact = {kind: wanted * share / total for kind, share in mix.items()}
    whole = {kind: int(value) for kind, value in exact.items()}
    order = sorted(exact, key=lambda kind: (whole[kind] - exact[kind], kind))
    for kind in order[: wanted - sum(whole.values())]:
        whole[kind] += 1
    return whole


def keepers(families: Sequence[str], templates: Sequence[str], thresholds: Mapping[str, Any]) -> list[bool]:
    """Which of a set to keep so that no family and no template has more than its share of what is kept."""
    family_share = number(thresholds, "balance", "family_share", FILE)
    template_share = number(thresholds, "variety", "template_share", FILE)
    kept = list(range(len(families)))
    while True:
        before = len(kept)
        for labels, share in ((families, family_share), (templates, template_share)):
            kept = [kept[at] for at in _balanced([labels[at] for at in kept], share)]
        if len(kept) == before:
            chosen = set(kept)
            return [at in chosen for at in range(len(families))]


def _balanced(labels: Sequence[str], share: float) -> list[int]:
    """Places of the first of each label, as many as leave none with more than its share, but one."""
    counts = Counter(labels)
    most = max(counts.values(), default=0)
    while most > 1 and most > share * sum(min(count, most) for count in counts.values()):
        most -= 1
    seen: Counter[str] = Counter()
    kept: list[int] = []
    for at, label in enumerate(labels):
        seen[label] += 1
        if seen[label] <= most:
            kept.append(at)
    return kept

"""Reading a sample of the catalogue: which rows, and what readers said of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

from envforge.atlas.catalogue import Atlas
from envforge.core.errors import ConfigError
from envforge.core.records.atlas import AuditVerdict, CatalogTheme, Reviewer, ThemeDecision
from envforge.core.seeds import stream


def sample(atlas: Atlas, count: int, seed: int) -> list[CatalogTheme]:
    """So many themes, drawn by the seed; the same seed draws the same rows of the same catalogue."""
    slugs = sorted(atlas.themes)
    drawn = stream(seed, "atlas-audit").sample(slugs, min(count, len(slugs)))
    return [atlas.themes[slug] for slug in sorted(drawn)]


def verdicts(given: Iterable[str], atlas: Atlas, reviewer: Reviewer, round_: int) -> list[ThemeDecision]:
    """SLUG=VERDICT each, as decisions. Raises ConfigError naming what is no theme or no verdict."""
    kinds = get_args(AuditVerdict)
    found: list[ThemeDecision] = []
    for text in given:
        slug, _, verdict = text.partition("=")
        where = f"--verdict {text}"
        if slug not in atlas.themes:
            raise ConfigError(f"{slug!r} is no theme", where=where, remedy="write SLUG=VERDICT")
        if verdict not in kinds:
            raise ConfigError(f"{verdict!r} is no verdict", where=where, remedy=f"one of {', '.join(kinds)}")
        found.append(ThemeDecision(action="audit", subject=slug, value=verdict, reviewer=reviewer, round=round_))
    return found


@dataclass(frozen=True)
class AuditReport:
    """What was read, by whom and with which verdict; the latest verdict on a theme counts."""

    read: int
    by_verdict: dict[str, int]
    by_reviewer: dict[str, int]
    not_clean: tuple[str, ...]


def report(decisions: Sequence[ThemeDecision]) -> AuditReport:
    """Of all verdicts there are."""
    latest = {one.subject: one for one in decisions if one.action == "audit"}
    return AuditReport(
        read=len(latest),
        by_verdict=dict(sorted(Counter(one.value for one in latest.values()).items())),
        by_reviewer=dict(sorted(Counter(one.reviewer for one in latest.values()).items())),
        not_clean=tuple(sorted(slug for slug, one in latest.items() if one.value != "clean")),
    )

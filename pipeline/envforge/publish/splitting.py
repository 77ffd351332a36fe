"""On which side of the split each environment is. A family is never on both, and nobody changes sides later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from envforge.core.ids import sha256_text
from envforge.core.records.environment import EnvironmentManifest
from envforge.core.records.published import PublishedSet
from envforge.core.records.training import Split

HELD_OUT = 0.2
"""Share of families, and of further databases of a family, that are kept from training."""


def assign_splits(manifests: Sequence[EnvironmentManifest], before: PublishedSet | None = None) -> dict[str, Split]:
    """Id → split.

    A family is held out by the hash of its theme, so that it is on the same side in every set and every version; what
    an earlier version said stays. Of a family that is trained on, the lowest database seed is for training, others by
    hash. Where everything would be held out, there would be nothing to train on: then nothing is.
    """
    earlier = {member.id: member.split for member in before.members} if before else {}
    sides = _families(manifests, before)
    lowest = {family: min(one.database_seed for one in manifests if one.family == family) for family in sides}
    found: dict[str, Split] = {}
    for one in manifests:
        if sides[one.family]:
            found[one.id] = "heldout_family"
        elif (kept := earlier.get(one.id)) in ("train", "heldout_seed"):
            found[one.id] = kept
        else:
            later = one.database_seed != lowest[one.family]
            found[one.id] = "heldout_seed" if later and _drawn(f"{one.theme} {one.database_seed}") else "train"
    return found


def _families(manifests: Sequence[EnvironmentManifest], before: PublishedSet | None) -> Mapping[str, bool]:
    """Family → whether it is held out."""
    earlier = {member.family: member.split == "heldout_family" for member in before.members} if before else {}
    known_themes = {member.id.partition("--")[0]: earlier[member.family] for member in before.members} if before else {}
    sides = {one.family: earlier.get(one.family, known_themes.get(one.theme, _drawn(one.theme))) for one in manifests}
    return sides if not all(sides.values()) or before else dict.fromkeys(sides, False)


def _drawn(name: str) -> bool:
    return int(sha256_text(f"held out: {name}")[:8], 16) < HELD_OUT * 0x1_0000_0000

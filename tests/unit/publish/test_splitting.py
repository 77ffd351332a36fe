"""Who is kept from training: whole families, and further databases of the others."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from envforge.core.records.environment import EnvironmentManifest
from envforge.core.records.published import ChangelogEntry, PublishedMember, PublishedSet
from envforge.core.records.training import Split
from envforge.publish.reading import read_manifest
from envforge.publish.splitting import assign_splits

LIBRARY = Path(__file__).parents[2] / "fixtures" / "environments" / "library"


def _manifests(themes: Iterable[str], seeds: int = 1, blueprint: str = "0") -> list[EnvironmentManifest]:
    one = read_manifest(LIBRARY)
    return [
        one.model_copy(
            update={
                "id": theme if not seed else f"{theme}--s{seed}",
                "theme": theme,
                "family": f"{theme}-{blueprint}",
                "database_seed": seed,
            }
        )
        for theme in themes
        for seed in range(seeds)
    ]


def _set(manifests: list[EnvironmentManifest], splits: dict[str, Split]) -> PublishedSet:
    members = tuple(
        PublishedMember(
            id=m.id, family=m.family, database_seed=m.database_seed, environment_hash="", split=splits[m.id]
        )
        for m in manifests
    )
    log = (ChangelogEntry(version="1.0.0", changes=()),)
    return PublishedSet(repo="o/n", version="1.0.0", canary="", members=members, changelog=log)


def test_a_family_is_on_one_side_and_all_sides_are_there() -> None:
    manifests = _manifests((f"theme-{n}" for n in range(40)), seeds=4)
    splits = assign_splits(manifests)
    for family in {one.family for one in manifests}:
        sides = {splits[one.id] for one in manifests if one.family == family}
        assert sides == {"heldout_family"} or sides <= {"train", "heldout_seed"}
        assert sides == {"heldout_family"} or splits[family.removesuffix("-0")] == "train"
    assert set(splits.values()) == {"train", "heldout_seed", "heldout_family"}


def test_more_environments_move_nobody() -> None:
    few, many = _manifests(f"theme-{n}" for n in range(10)), _manifests(f"theme-{n}" for n in range(30))
    first, second = assign_splits(few), assign_splits(many)
    assert first == {name: second[name] for name in first}


def test_one_environment_is_for_training_whatever_its_name() -> None:
    assert {assign_splits(_manifests([f"theme-{n}"]))[f"theme-{n}"] for n in range(20)} == {"train"}


def test_what_was_published_stays_on_its_side() -> None:
    """Alone, every theme was for training. A rebuilt family is the same theme: it stays there, too."""
    for number in range(20):
        alone = _manifests([f"theme-{number}"])
        before = _set(alone, assign_splits(alone))
        later = _manifests([f"theme-{number}"], blueprint="1") + _manifests(["another"])
        assert assign_splits(later, before)[f"theme-{number}"] == "train"

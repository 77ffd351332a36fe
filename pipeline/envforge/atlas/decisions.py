"""What reviewers decided: a log that is only ever appended, and its effect on catalogue and taxonomy.

Decisions stand beside the catalogue and are laid over it each time it is read, so a catalogue that is written anew
(by an import, by a later edition of the package) never undoes what somebody decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from envforge.atlas.catalogue import Atlas, check_taxonomy, checked, load_atlas
from envforge.core.errors import ConfigError
from envforge.core.records.atlas import CatalogTheme, Category, Taxonomy, ThemeDecision
from envforge.store.record_lines import read_records

DECISIONS = "decisions.jsonl"


def read_decisions(path: Path) -> list[ThemeDecision]:
    """All decisions, oldest first; none where there is no such file. Raises StoreError naming the line."""
    return read_records(path, ThemeDecision, "mend or remove that line") if path.is_file() else []


def reviewed_atlas(folders: Sequence[Path]) -> Atlas:
    """The catalogue with all decisions laid over it, the package's first, then the workspace's."""
    return apply(load_atlas(folders), all_decisions(folders))


def all_decisions(folders: Sequence[Path]) -> list[ThemeDecision]:
    """The package's, then the workspace's. Raises StoreError naming the line."""
    return [one for folder in reversed(folders) for one in read_decisions(folder / DECISIONS)]


def apply(atlas: Atlas, decisions: Sequence[ThemeDecision]) -> Atlas:
    """The atlas after these decisions, in their order. Raises ConfigError naming the decision that cannot be kept."""
    themes = dict(atlas.themes)
    classes = {one.id: one for one in atlas.taxonomy.categories}
    for number, decision in enumerate(decisions, 1):
        _one(decision, themes, classes, f"{DECISIONS}, decision {number} ({decision.action} {decision.subject})")
    taxonomy = Taxonomy(categories=tuple(classes.values()))
    check_taxonomy(taxonomy, DECISIONS)
    return checked(themes.values(), taxonomy, atlas.where)


def _one(decision: ThemeDecision, themes: dict[str, CatalogTheme], classes: dict[str, Category], where: str) -> None:
    if decision.action in {"accept", "move"}:
        _second_level(decision.value, classes, where)
        if decision.subject in themes:  # a theme that a later edition dropped is no mistake of the reviewer
            themes[decision.subject] = themes[decision.subject].model_copy(update={"category": decision.value})
    elif decision.action == "rename":
        if decision.subject not in classes:
            raise ConfigError(f"{decision.subject!r} is no class", where=where, remedy="name the id of a class")
        classes[decision.subject] = classes[decision.subject].model_copy(update={"title": decision.value})
    elif decision.action == "split":
        _split(decision, themes, classes, where)
    elif decision.action == "merge":
        _merge(decision, themes, where)
    elif decision.action == "reject":
        themes.pop(decision.subject, None)


def placed(theme: CatalogTheme, plain: Atlas, decisions: Sequence[ThemeDecision]) -> tuple[CatalogTheme, str]:
    """The theme as the catalogue without decisions can hold it, and the class that a decision must move it to, or "".

    A class that somebody split off is known to the decisions only: the theme stands in the one that was split.
    Raises ConfigError where a decision took a theme of that name out: it would take this one out, too.
    """
    gone = next((one for one in decisions if one.subject == theme.slug and one.action in {"reject", "merge"}), None)
    if gone is not None:
        told = f"a decision of a {gone.reviewer} ({gone.action}) took a theme of that name out"
        raise ConfigError(told, where=f"{theme.slug}, {DECISIONS}", remedy="choose another slug, or remove that line")
    split = {one.value.partition(" ")[0]: one.subject for one in decisions if one.action == "split"}
    category = theme.category
    while category not in plain.titles:
        category = split[category]
    moved = theme.category if category != theme.category else ""
    return theme.model_copy(update={"category": category}), moved


def _second_level(name: str, classes: dict[str, Category], where: str) -> Category:
    if name not in classes or classes[name].parent is None:
        raise ConfigError(f"{name!r} is no second-level class", where=where, remedy="see: envforge themes coverage")
    return classes[name]


def _split(decision: ThemeDecision, themes: dict[str, CatalogTheme], classes: dict[str, Category], where: str) -> None:
    whole = _second_level(decision.subject, classes, where)
    new, _, title = decision.value.partition(" ")
    if new in classes or not title:
        raise ConfigError(f"{decision.value!r} is no new class", where=where, remedy="give a new id and a title")
    classes[new] = Category(id=new, title=title, parent=whole.parent)
    for slug in decision.members:
        if slug in themes and themes[slug].category == whole.id:
            themes[slug] = themes[slug].model_copy(update={"category": new})


def _merge(decision: ThemeDecision, themes: dict[str, CatalogTheme], where: str) -> None:
    """The theme goes into another, which keeps its names and anchors."""
    gone, kept = themes.get(decision.subject), themes.get(decision.value)
    if gone is None:
        return
    if kept is None or kept.slug == gone.slug:
        raise ConfigError(f"{decision.value!r} is no other theme", where=where, remedy="name the theme that stays")
    del themes[gone.slug]
    for slug, theme in themes.items():
        if theme.parent == gone.slug:
            themes[slug] = theme.model_copy(update={"parent": None if slug == kept.slug else kept.slug})
    kept = themes[kept.slug]
    names = [name for name in (gone.slug, gone.title, *gone.aliases) if name not in kept.aliases]
    anchors = [one for one in gone.anchors if one not in kept.anchors]
    both = {"aliases": (*kept.aliases, *names), "anchors": (*kept.anchors, *anchors)}
    themes[kept.slug] = kept.model_copy(update=both)


@dataclass(frozen=True)
class Agreement:
    """How far two passes over the same themes agree."""

    both: int
    same: int
    differing: tuple[tuple[str, str, str], ...]
    """theme, its class in the earlier pass, its class in the later one"""

    @property
    def share(self) -> float | None:
        """Same of both; None where no theme was seen twice."""
        return self.same / self.both if self.both else None


def agreement(decisions: Sequence[ThemeDecision], first: int = 1, second: int = 2) -> Agreement:
    """Of two rounds, over the themes that both placed."""
    placed: dict[int, dict[str, str]] = {first: {}, second: {}}
    for one in decisions:
        if one.round in placed and one.action in {"accept", "move", "label"}:
            placed[one.round][one.subject] = one.value
    common = sorted(placed[first].keys() & placed[second].keys())
    pairs = [(slug, placed[first][slug], placed[second][slug]) for slug in common]
    differing = tuple(pair for pair in pairs if pair[1] != pair[2])
    return Agreement(both=len(pairs), same=len(pairs) - len(differing), differing=differing)

"""What a reviewer is asked: themes that seem to stand in the wrong class, classes that may be two."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from envforge.atlas.catalogue import Atlas
from envforge.atlas.classifier import Classifier, Guess
from envforge.atlas.ward import groups
from envforge.atlas.words import WordModel, text_of
from envforge.core.records.atlas import CatalogTheme, ThemeDecision

LARGE = 60
"""A class with more themes is looked at for parts."""
_PARTS = 3
_SMALLEST = 8


@dataclass(frozen=True)
class Placement:
    """A theme, where it stands, and where the classifier would put it."""

    theme: CatalogTheme
    guesses: tuple[Guess, ...]

    @property
    def disputed(self) -> bool:
        """Whether the likeliest class is another than the one it stands in."""
        return bool(self.guesses) and self.guesses[0].category != self.theme.category


@dataclass(frozen=True)
class Part:
    """A group inside a class: its middle theme, the words that mark it, all its themes."""

    medoid: str
    words: tuple[str, ...]
    members: tuple[str, ...]


def placements(themes: Iterable[CatalogTheme], classifier: Classifier) -> Iterator[Placement]:
    """One after the other: a reviewer need not wait for all of them."""
    for theme in themes:
        yield Placement(theme=theme, guesses=tuple(classifier.guess(text_of(theme))))


def undecided(atlas: Atlas, decisions: Iterable[ThemeDecision], round_: int) -> list[CatalogTheme]:
    """Themes that nobody has placed in this round."""
    done = {one.subject for one in decisions if one.round == round_ and one.action in {"accept", "move", "reject"}}
    return [theme for slug, theme in atlas.themes.items() if slug not in done]


def parts(atlas: Atlas, category: str, vectors: Sequence[Sequence[float]], words: WordModel) -> list[Part]:
    """What Ward's clustering finds inside a class, small groups left out; `vectors` stand as its themes do by slug."""
    themes = [theme for theme in atlas.themes.values() if theme.category == category]
    found: list[Part] = []
    for group in groups(vectors, _PARTS):
        if len(group) < _SMALLEST:
            continue
        inside = [themes[number] for number in group]
        beside = [theme for number, theme in enumerate(themes) if number not in set(group)]
        named = words.distinctive(map(text_of, inside), map(text_of, beside))
        middle = min(group, key=lambda number: (_spread(number, group, vectors), number))
        members = tuple(sorted(theme.slug for theme in inside))
        found.append(Part(medoid=themes[middle].slug, words=tuple(named), members=members))
    return found


def _spread(number: int, group: Collection[int], vectors: Sequence[Sequence[float]]) -> float:
    here = vectors[number]
    return sum(sum((a - b) ** 2 for a, b in zip(here, vectors[other], strict=True)) for other in group)

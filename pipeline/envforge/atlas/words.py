"""What the words of a gloss say about its class: counts of word stems, no model needed."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable

from envforge.atlas.catalogue import Atlas
from envforge.core.records.atlas import CatalogTheme

_STEM = 6
_SMOOTH = 0.3
_DESCRIBED = 3
"""A word of a class's own description counts as much as in so many themes of it."""


def stems(text: str) -> set[str]:
    """Words of three letters and more, cut to their beginning."""
    return {word[:_STEM] for word in re.findall(r"[a-z]{3,}", text.lower())}


def text_of(theme: CatalogTheme) -> str:
    """What is classified: the name and the gloss."""
    return f"{theme.title}: {theme.gloss}"


class WordModel:
    """Naive Bayes over stems, from the themes that have a class and the descriptions of the classes."""

    def __init__(self, atlas: Atlas, themes: Iterable[CatalogTheme]) -> None:
        self.counts: dict[str, Counter[str]] = {name: Counter() for name in atlas.leaves}
        for theme in themes:
            self.counts[theme.category].update(stems(text_of(theme)))
        for one in atlas.taxonomy.categories:
            if one.parent:
                described = stems(f"{one.title} {one.description}")
                self.counts[one.id].update(dict.fromkeys(described, _DESCRIBED))
        self.known = {stem for counts in self.counts.values() for stem in counts}
        self.totals = {name: sum(counts.values()) + _SMOOTH * len(self.known) for name, counts in self.counts.items()}

    def scores(self, text: str) -> dict[str, float]:
        """Class → log-likelihood of the stems that are known."""
        seen = sorted(stems(text) & self.known)
        return {
            name: sum(math.log((counts[stem] + _SMOOTH) / self.totals[name]) for stem in seen)
            for name, counts in self.counts.items()
        }

    def distinctive(self, texts: Iterable[str], beside: Iterable[str], most: int = 3) -> list[str]:
        """Words that stand in these texts far oftener than in the others: what a group may be called after."""
        inside, outside = _documents(texts), _documents(beside)
        weigh = {word: count * math.log((1 + count) / (1 + outside[word])) for word, count in inside.items()}
        ranked = sorted((word for word in weigh if inside[word] > 1), key=lambda word: (-weigh[word], word))
        return ranked[:most]


_PLAIN = frozenset(
    {"and", "the", "for", "with", "from", "into", "over", "that", "their", "which", "its", "are", "can", "not", "per"}
    | {"own", "other", "than", "between"}
)


def _documents(texts: Iterable[str]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(set(re.findall(r"[a-z]{3,}", text.lower())) - _PLAIN)
    return counts

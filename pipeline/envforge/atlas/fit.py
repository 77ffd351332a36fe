"""Learns classifier.json from the catalogue: `python -m envforge.atlas.fit FOLDER`.

The themes of labels/held-out.jsonl are never learnt from: they are what the classifier is measured on.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envforge.atlas.catalogue import Atlas, load_atlas
from envforge.atlas.classifier import CLASSIFIER, HELD_OUT, accuracy, load_classifier, packed
from envforge.atlas.decisions import read_decisions
from envforge.atlas.embedding import MODEL, Embedder, MiniLm
from envforge.atlas.words import text_of
from envforge.core.ids import canonical_json, sha256_bytes
from envforge.core.records.atlas import CatalogTheme, ClassifierFile
from envforge.store.files import write_json

_RIDGE = 0.1


def held_out(folder: Path, atlas: Atlas) -> dict[str, str]:
    """slug → class of the themes that were labelled to measure by; merged ones by the theme they went into."""
    labels: dict[str, str] = {}
    for one in read_decisions(folder / HELD_OUT):
        theme = atlas.find(one.subject)
        if theme is not None:
            labels[theme.slug] = one.value
    return labels


def learn(atlas: Atlas, themes: Sequence[CatalogTheme], embedder: Embedder) -> ClassifierFile:
    """Weights and centroids from themes that have a class."""
    numpy: Any = importlib.import_module("numpy")
    classes = [name for name in atlas.leaves if any(theme.category == name for theme in themes)]
    place = {name: number for number, name in enumerate(classes)}
    vectors = numpy.array(embedder.embed([text_of(theme) for theme in themes]))
    labels = numpy.array([place[theme.category] for theme in themes])
    ridge, scale = packed(_ridge(numpy, vectors, labels, len(classes)).tolist())
    means = numpy.array([vectors[labels == number].mean(axis=0) for number in range(len(classes))])
    means /= numpy.linalg.norm(means, axis=1, keepdims=True)
    centroids, centroid_scale = packed(means.tolist())
    return ClassifierFile(
        model=MODEL,
        classes=tuple(classes),
        ridge=ridge,
        ridge_scale=scale,
        centroids=centroids,
        centroid_scale=centroid_scale,
        themes=len(themes),
        learnt_from=digest_of(themes),
    )


def digest_of(themes: Sequence[CatalogTheme]) -> str:
    """Of all that is learnt from: another one tells that classifier.json is older than the catalogue."""
    told = [(text_of(theme), theme.category) for theme in themes]
    return sha256_bytes(canonical_json(told).encode())


def _ridge(numpy: Any, vectors: Any, labels: Any, count: int) -> Any:
    """One row of weights a class; each class weighs the square root of its size."""
    targets = -numpy.ones((len(labels), count))
    targets[numpy.arange(len(labels)), labels] = 1
    inputs = numpy.hstack([vectors, numpy.ones((len(vectors), 1))])
    weight = 1 / numpy.sqrt(numpy.bincount(labels, minlength=count)[labels])[:, None]
    weighed = inputs * weight
    solved = numpy.linalg.solve(weighed.T @ inputs + _RIDGE * numpy.eye(inputs.shape[1]), weighed.T @ targets)
    return solved.T


def to_learn(folder: Path, atlas: Atlas) -> list[CatalogTheme]:
    """All themes but the held-out ones."""
    apart = held_out(folder, atlas)
    return [theme for theme in atlas.themes.values() if theme.slug not in apart]


def fit(folder: Path, embedder: Embedder) -> ClassifierFile:
    """Write <folder>/classifier.json from its catalogue, without the held-out themes."""
    atlas = load_atlas([folder])
    learnt = learn(atlas, to_learn(folder, atlas), embedder)
    write_json(folder / CLASSIFIER, learnt.to_json())
    return learnt


@dataclass(frozen=True)
class Measured:
    """How often the class of a held-out theme is guessed: first, among three, or at least its first level."""

    themes: int
    first: float
    first_three: float
    first_level: float


def measure(folder: Path, embedder: Embedder) -> Measured:
    """The classifier on the held-out themes, of which it knows nothing."""
    atlas = load_atlas([folder])
    truth = held_out(folder, atlas)
    classifier = load_classifier([folder], atlas, embedder, truth)
    guesses = {slug: classifier.guess(text_of(atlas.themes[slug])) for slug in truth}
    above = [atlas.first_level(guesses[slug][0].category) == atlas.first_level(truth[slug]) for slug in truth]
    return Measured(
        themes=len(truth),
        first=accuracy(guesses, truth, 1),
        first_three=accuracy(guesses, truth, 3),
        first_level=sum(above) / len(above),
    )


if __name__ == "__main__":
    fit(Path(sys.argv[1]), MiniLm())

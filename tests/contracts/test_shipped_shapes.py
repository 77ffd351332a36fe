"""Every shape that ships: it loads, fits its schema, and says nothing that leads to a real address."""

from __future__ import annotations

import re
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from envforge.core.records.shape import RowShape
from envforge.mine.shapes.catalogue import load_shape, load_shapes
from envforge.store.schemas import problems

SHAPES = sorted((Path(__file__).parents[2] / "themes/shapes").glob("*.yaml"))


@pytest.fixture(params=SHAPES, ids=lambda path: path.stem)
def shape(request: pytest.FixtureRequest) -> RowShape:
    return load_shape(request.param)


def test_there_are_shapes() -> None:
    assert SHAPES
    assert len(load_shapes([SHAPES[0].parent])) == len(SHAPES)


def test_a_shape_is_named_after_its_file(shape: RowShape, request: pytest.FixtureRequest) -> None:
    assert f"[{shape.id}]" in request.node.name


def test_a_shape_fits_its_schema(shape: RowShape) -> None:
    assert problems("shape", shape.to_json()) == []


def test_no_word_of_a_shape_is_an_address(shape: RowShape) -> None:
    words = [text for bank in shape.banks.values() for text in bank]
    words += [f"{one.title} {one.about}" for bank in shape.subjects.values() for one in bank]
    assert not [text for text in words if re.search(r"https?://|www\.|\w@\w", text)]


def test_subjects_differ_and_what_is_told_is_a_sentence(shape: RowShape) -> None:
    for subjects in shape.subjects.values():
        assert len({one.slug for one in subjects}) == len({one.title for one in subjects}) == len(subjects)
        assert all(one.about == "" or re.fullmatch(r"[A-Z0-9].*\.", one.about) for one in subjects)
        assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", one.slug) for one in subjects)


def test_places_are_facts(shape: RowShape) -> None:
    for place in shape.tables["places"]:
        assert -90 <= float(place["latitude"]) <= 90
        assert -180 <= float(place["longitude"]) <= 180
        assert ZoneInfo(str(place["timezone"]))
        assert re.fullmatch("[A-Z]{2}", str(place["country"]))
        assert re.fullmatch("[A-Z]{3}", str(place["currency"]))

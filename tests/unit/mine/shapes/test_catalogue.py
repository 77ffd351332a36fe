"""Shape files: read strictly, and refused with the place when a name leads nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.mine.shapes.conftest import SHAPE

from envforge.core.errors import ConfigError
from envforge.mine.shapes.catalogue import load_shape, load_shapes


def changed(tmp_path: Path, old: str, new: str) -> Path:
    text = SHAPE.read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "managed-records.yaml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("fallback: neutral", "fallback: nowhere", "fallback"),
        ("style: person,", "style: persona,", "kinds.person.style"),
        ("subjects: goods", "subjects: bads", "styles.product.subjects"),
        ('"{title}, {finish}"', '"{title}, {polish}"', "styles.product.forms"),
        ("bank: department,", "bank: apartment,", "bank"),
        ("  mailbox:", "  mailboxes:", "banks"),
        ("  remark:", "  remarks:", "banks"),
        ("  places:", "  spots:", "tables"),
        ("  leaf: [140, 240]\n", "", "rows"),
        ("{make: person, bank: phone,", "{make: person, bank: telephone,", "bank"),
        ("least: 4", "least: four", "least"),
        ("least: 4", "least: 4\nmost: 9", "most"),
    ],
)
def test_a_name_that_leads_nowhere_is_refused(tmp_path: Path, old: str, new: str, place: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_shape(changed(tmp_path, old, new))
    assert place in caught.value.where
    assert "managed-records.yaml" in caught.value.where


def test_an_earlier_folder_wins(tmp_path: Path) -> None:
    changed(tmp_path, "version: 1", "version: 7")
    assert [shape.version for shape in load_shapes([tmp_path, SHAPE.parent])] == [7]

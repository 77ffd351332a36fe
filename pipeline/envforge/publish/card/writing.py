"""Writes README.md and images/ into the folder of a set."""

from __future__ import annotations

from pathlib import Path

from envforge.publish.card import quality, tasks_and_rows
from envforge.publish.card.closing import closing
from envforge.publish.card.contamination import INDEX, contamination
from envforge.publish.card.header import header
from envforge.publish.card.limits import limits
from envforge.publish.card.opening import opening
from envforge.publish.card.sources import sources
from envforge.publish.card.usage import usage
from envforge.publish.published import Published
from envforge.store.files import write_bytes, write_text
from envforge.store.workspace import Workspace

README = "README.md"
IMAGES = "images"


def write_card(folder: Path, published: Published) -> None:
    """Write the card. The tables are there already: its head names them. The same set gives the same bytes.

    Raises StoreError, and ConfigError where the pictures cannot be drawn.
    """
    for name, picture in {**tasks_and_rows.pictures(published), **quality.pictures(published)}.items():
        write_bytes(folder / IMAGES / name, picture)
    write_text(folder / README, card(published, folder))


def card(published: Published, folder: Path) -> str:
    """The text of the card."""
    index = Workspace(folder).data_file(INDEX)
    parts = (
        opening(published),
        usage(published),
        tasks_and_rows.tasks_and_rows(published),
        sources(published),
        quality.quality(published),
        limits(published),
        contamination(published, index),
        closing(published),
    )
    return header(published, folder) + "\n" + "\n\n".join(parts) + "\n"

"""What writes a set in the format of another framework."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from envforge.publish.published import Published


class Exporter(Protocol):
    """One framework's format. It reads records and writes files below its own folder of the set; the same set gives
    the same bytes. A new one is a new file here, its line in the registry and its entry in the contract suite."""

    name: str
    """Also the folder."""

    def write(self, published: Published, folder: Path) -> Sequence[Path]:
        """Write below `folder` (the set's) and say which files, in order. Raises StoreError."""
        ...

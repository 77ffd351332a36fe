"""A set of environments that ship, read once; frozen, so tests change copies."""

from __future__ import annotations

from pathlib import Path

import pytest

from envforge.core.records.published import ChangelogEntry
from envforge.publish.published import Published
from envforge.publish.reading import read_environment

ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="session")
def published() -> Published:
    """airline-booking with its tasks, notion without."""
    return Published(
        repo="harbour/first-set",
        version="1.1.0",
        changelog=(
            ChangelogEntry(version="1.1.0", changes=("notion is new",)),
            ChangelogEntry(version="1.0.0", changes=("the first version",)),
        ),
        environments=(
            read_environment(ROOT / "environments" / "airline-booking", ROOT / "tasks" / "airline-booking", "train"),
            read_environment(ROOT / "environments" / "notion", None, "train"),
        ),
    )

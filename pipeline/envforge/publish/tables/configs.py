"""Which tables a written folder holds: the `configs` of its card, from its files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from envforge.core.records.training import SPLITS, Split

TABLES = ("tasks", "environments", "tools", "trajectories", "sources")
"""The first that is there is the one that loads when none is named."""
FOLDER = "tables"


def table_path(table: str, split: Split) -> str:
    """Where the rows of one split of a table lie, below the folder of the set."""
    return f"{FOLDER}/{table}/{split}.parquet"


def configs(folder: Path) -> list[dict[str, Any]]:
    """The list `configs` for the head of the card (YAML), as `datasets` reads it. Empty tables are not there."""
    found: list[dict[str, Any]] = []
    for table in TABLES:
        files = [
            {"split": split, "path": table_path(table, split)}
            for split in SPLITS
            if (folder / table_path(table, split)).is_file()
        ]
        if files:
            default = {} if found else {"default": True}
            found.append({"config_name": table, "data_files": files, **default})
    return found

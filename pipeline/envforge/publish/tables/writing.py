"""Writes the tables as Parquet. The types are declared, never guessed from the rows: no version of a set drifts."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from envforge.core.errors import ConfigError, StoreError
from envforge.core.ids import canonical_json
from envforge.core.records.training import SPLITS
from envforge.publish.published import Published
from envforge.publish.tables.configs import TABLES, table_path
from envforge.publish.tables.rows import COLUMNS, Kind, Row, rows_of

_ROWS_IN_A_GROUP = 1_000
"""Viewers read a group at a time, and refuse large ones."""


def write_tables(folder: Path, published: Published) -> None:
    """Write every table that has rows below `folder`. Raises ConfigError without the extra, StoreError."""
    datasets, parquet = _packages()
    for table in TABLES:
        for split in SPLITS:
            if rows := rows_of(published, table, split):
                _write(folder / table_path(table, split), rows, COLUMNS[table], datasets, parquet)


def _packages() -> tuple[Any, Any]:
    if importlib.util.find_spec("datasets") is None:
        raise ConfigError("tables are written with the package datasets", remedy="pip install 'envforge[hub]'")
    return importlib.import_module("datasets"), importlib.import_module("pyarrow.parquet")


def _write(path: Path, rows: list[Row], columns: Mapping[str, Kind], datasets: Any, parquet: Any) -> None:
    features = datasets.Features(
        {name: datasets.Json() if kind == "json" else datasets.Value(kind) for name, kind in columns.items()}
    )
    arrow = importlib.import_module("pyarrow")
    schema = features.arrow_schema
    arrays = [_array(arrow, schema.field(name).type, rows, name, kind) for name, kind in columns.items()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(arrow.table(arrays, schema=schema), path, row_group_size=_ROWS_IN_A_GROUP)
    except OSError as error:
        raise StoreError(f"could not be written: {error.strerror or error}", where=str(path)) from error


def _array(arrow: Any, kind: Any, rows: list[Row], name: str, declared: Kind) -> Any:
    if declared != "json":
        return arrow.array([row[name] for row in rows], type=kind)
    # Text for every value, also for text: the package takes a text that looks like JSON for what it spells.
    return arrow.array([canonical_json(row[name]) for row in rows], type=arrow.string()).cast(kind)

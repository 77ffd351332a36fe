"""A folder that a stranger sent, looked at: its SQL stays inside, and its names are names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from envforge.core.errors import StoreError
from envforge.gates.folder import Folder, quoted

COLUMNS = [{"name": name, "type": "text"} for name in ("id", 'a "b"')]
TABLE = {"name": "piers", "entity": "pier", "label": "pier", "columns": COLUMNS, "primary_key": ["id"]}
SCHEMA = 'CREATE TABLE piers (id TEXT PRIMARY KEY, "a ""b""" TEXT) STRICT;\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "piers.csv").write_text('id,"a ""b"""\n1,x\n', encoding="utf-8")
    (tmp_path / "schema.sql").write_text(SCHEMA, encoding="utf-8")
    blueprint = {"blueprint": {"theme": "piers", "title": "Piers", "tables": [TABLE], "operations": []}}
    (tmp_path / "blueprint.json").write_text(json.dumps(blueprint), encoding="utf-8")
    return tmp_path


def test_any_name_is_a_name(folder: Path) -> None:
    column = quoted('a "b"')
    assert Folder(folder).column(f"SELECT {column} FROM piers") == ["x"]


def test_a_schema_that_reaches_out_is_refused(folder: Path) -> None:
    outside = folder / "outside.db"
    (folder / "schema.sql").write_text(f"{SCHEMA}ATTACH DATABASE '{outside}' AS x; CREATE TABLE x.t (a);")
    with pytest.raises(StoreError, match=r"schema\.sql"):
        _ = Folder(folder).database
    assert not outside.exists()


@pytest.mark.parametrize("sql", ["DELETE FROM piers", "SELECT 1; SELECT 2", "SELECT nothing FROM piers"])
def test_a_query_that_does_not_only_read_is_named(folder: Path, sql: str) -> None:
    with pytest.raises(StoreError, match=sql):
        Folder(folder).column(sql)

"""One small database with every kind of table, and each engine over it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator

import pytest

from envforge.world.engine import COPY_ON_WRITE, DESERIALIZE, available_engines, new_engine
from envforge.world.engine.contract import StateEngine

SCHEMA = """
PRAGMA page_size=4096;
CREATE TABLE people (
  id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, place INTEGER UNIQUE, score REAL, photo BLOB
) STRICT;
CREATE TABLE teams (id INTEGER PRIMARY KEY, title TEXT NOT NULL, day TEXT CHECK (day IS NULL OR date(day) IS NOT NULL))
  STRICT;
CREATE TABLE members (
  team INTEGER NOT NULL REFERENCES teams (id) ON DELETE CASCADE ON UPDATE CASCADE,
  person TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE ON UPDATE CASCADE,
  role TEXT NOT NULL DEFAULT 'member', PRIMARY KEY (person, team)
) STRICT, WITHOUT ROWID;
CREATE TABLE notes (
  id TEXT NOT NULL PRIMARY KEY, about TEXT REFERENCES people (id) ON DELETE SET NULL ON UPDATE CASCADE, value ANY
) STRICT;
CREATE TABLE envforge_documents (path TEXT NOT NULL PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX notes_about ON notes (about);
INSERT INTO people VALUES ('ada', 'Ada', 1, 9.5, x'00ff'), ('bo', 'Bo', 2, NULL, NULL), ('cy', 'Çy', 3, -0.25, x'');
INSERT INTO teams VALUES (1, 'red', '2024-02-29'), (2, 'blue', NULL), (7, '', NULL);
INSERT INTO members VALUES (1, 'ada', 'lead'), (1, 'bo', 'member'), (2, 'cy', 'member');
INSERT INTO notes VALUES ('n1', 'ada', 1), ('n2', 'bo', 1.5), ('n3', NULL, 'one'), ('n4', 'ada', x'01'),
  ('n5', 'cy', NULL);
INSERT INTO envforge_documents VALUES ('rules.md', 'Be kind.');
"""
ENGINES = (COPY_ON_WRITE, DESERIALIZE)
Start = Callable[..., StateEngine]


@pytest.fixture(scope="session")
def template() -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCHEMA)
    data = connection.serialize()
    connection.close()
    return data


@pytest.fixture(params=ENGINES)
def name(request: pytest.FixtureRequest) -> str:
    """Name of the engine; a machine without its library cannot try it, and the report says so."""
    if request.param not in available_engines():
        pytest.skip(f"the engine {request.param} needs apsw")
    return str(request.param)


@pytest.fixture
def start(name: str, template: bytes) -> Iterator[Start]:
    """start() → a fresh instance; all are closed at the end."""
    started: list[StateEngine] = []

    def fresh(*, read_only: bool = False) -> StateEngine:
        started.append(new_engine(template, read_only=read_only, engine=name))
        return started[-1]

    yield fresh
    for engine in started:
        engine.close()


@pytest.fixture
def engine(start: Start) -> StateEngine:
    return start()

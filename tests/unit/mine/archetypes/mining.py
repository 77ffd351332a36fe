"""A fixture of sources, mined with one archetype as `envforge mine` mines a file."""

from __future__ import annotations

import hashlib
from pathlib import Path

from envforge.core.contracts import Database, Fetched
from envforge.core.outcome import Produced
from envforge.core.records.archetype import Archetype
from envforge.core.records.source import Source, Theme
from envforge.mine.archetypes import load_archetype
from envforge.mine.extract.registry import extract_all
from envforge.mine.miner import Mined, mine_domain, populate

ROOT = Path(__file__).parents[4]
SOURCES = ROOT / "tests" / "fixtures" / "sources"


def shipped(name: str) -> Archetype:
    """An archetype that ships, with its goals."""
    return load_archetype(ROOT / "themes" / "archetypes" / f"{name}.yaml")


def mined_from(fixture: Path, theme: Theme, archetype: Archetype, *, at: str, body: bytes | None = None) -> Mined:
    """What is mined of a JSON file retrieved `at` a moment; `body` is what it holds where a test changes that."""
    body = fixture.read_bytes() if body is None else body
    source = Source(
        id=f"src-{fixture.stem}",
        url=f"file:{fixture.name}",
        url_status="none: local file",
        retrieved_at=at,
        sha256=hashlib.sha256(body).hexdigest(),
        mime="application/json",
        bytes=len(body),
        path=fixture.name,
    )
    extractions = [one.value for one in extract_all([Fetched(source, body)]) if isinstance(one, Produced)]
    return mine_domain(theme, extractions, (archetype,), facts_only=False, max_tables=24)


def filled_with(mined: Mined, seed: int) -> Database:
    """Its database after the scenario and two rounds."""
    return populate(mined, rounds=2, seed=0, database_seed=seed, progress=lambda label, done, total: None)

"""The workspace archetype on the records of a published interface: what a reader of the rows would look for."""

from __future__ import annotations

import os
import re
from collections import Counter
from datetime import date
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import yaml

from envforge.core.contracts import Database
from envforge.core.outcome import Produced
from envforge.core.records.source import Theme
from envforge.mine.archetypes.catalogue import load_archetypes
from envforge.mine.extract.registry import extract_all
from envforge.mine.miner import mine_domain, populate
from envforge.mine.scenario.measures import measure_plants, opened
from envforge.web.fetch import open_fetcher

SEEDS = [0, pytest.param(1, marks=pytest.mark.whole)]
SNAPSHOT = os.environ.get("ENVFORGE_TEST_SNAPSHOT")
THEMES = Path(__file__).parents[4] / "themes"
LEFT_OVER = re.compile(r"\{[a-z_.]+\}|\b(None|nan|undefined)\b|  +\S|\s,|,,|\.\.(?!\.)")
pytestmark = [
    pytest.mark.snapshot,
    pytest.mark.skipif(
        SNAPSHOT is None, reason="set ENVFORGE_TEST_SNAPSHOT to a folder with snapshot.warc.gz and index.json"
    ),
    pytest.mark.parametrize("seed", SEEDS),
]


def quiet(*_: object) -> None:
    """Nobody watches."""


@cache
def workspace(seed: int) -> Database:
    assert SNAPSHOT is not None
    theme = Theme.model_validate(yaml.safe_load((THEMES / "catalogue" / "notion.yaml").read_text(encoding="utf-8")))
    with TemporaryDirectory() as name:
        folder = Path(name)
        fetcher = open_fetcher(workspace=folder, snapshot=Path(SNAPSHOT), cache=folder / "cache")
        fetched = [file for anchor in theme.anchors for file in fetcher.fetch(anchor)]
    extractions = [one.value for one in extract_all(fetched) if isinstance(one, Produced)]
    archetypes = load_archetypes([THEMES / "archetypes"])
    mined = mine_domain(theme, extractions, archetypes, facts_only=False, max_tables=24)
    return populate(mined, rounds=2, seed=0, database_seed=seed, progress=quiet)


def test_every_table_is_lived_in(seed: int) -> None:
    sizes = {name: len(rows) for name, rows in workspace(seed).rows.items()}
    assert workspace(seed).domain.archetypes == ("collaborative-workspace",)
    assert 18 <= sizes["users"] <= 24 and sizes["data_sources"] == 8
    assert sizes["pages"] > 400 and sizes["blocks"] > 900 and sizes["comments"] > 150


def test_planted_conditions_are_within_their_rates(seed: int) -> None:
    with opened(workspace(seed)) as connection:
        assert [m for m in measure_plants(workspace(seed), connection) if not m.within] == []


def test_texts_hold_no_left_overs_and_titles_rarely_repeat(seed: int) -> None:
    rows = workspace(seed).rows
    for table, column in (("pages", "title"), ("blocks", "text"), ("comments", "text"), ("users", "name")):
        texts = [row[column] for row in rows[table] if row[column]]
        assert [text for text in texts if LEFT_OVER.search(text)] == []
    for table, column in (("pages", "title"), ("properties", "name"), ("property_options", "name")):
        texts = [row[column] for row in rows[table]]
        assert len(set(texts)) >= 0.9 * len(texts), table


def test_work_happens_on_working_days(seed: int) -> None:
    made = [row["created_time"] for row in workspace(seed).rows["pages"]]
    assert all(moment < workspace(seed).clock for moment in made)
    on_weekends = [moment for moment in made if date.fromisoformat(moment[:10]).weekday() > 4]
    at_night = [moment for moment in made if not "07" <= moment[11:13] <= "19"]
    assert len(on_weekends) <= 0.01 * len(made) and len(at_night) <= 0.02 * len(made)


def test_the_tree_is_deep_and_whole(seed: int) -> None:
    pages = {row["id"]: row for row in workspace(seed).rows["pages"]}

    def depth(page: dict[str, str | None]) -> int:
        above = page["parent_page_id"]
        return 1 if above is None else 1 + depth(pages[above])

    depths = Counter(depth(page) for page in pages.values())
    assert max(depths) >= 5 and depths[3] > 20


def test_threads_are_talks_between_people(seed: int) -> None:
    threads: dict[str, list[dict[str, str]]] = {}
    for row in workspace(seed).rows["comments"]:
        threads.setdefault(row["discussion_id"], []).append(row)
    answered = [thread for thread in threads.values() if len(thread) > 1]
    assert len(answered) > 40
    for thread in answered:
        assert len({row["created_by"] for row in thread}) == 2
        assert [row["created_time"] for row in thread] == sorted(row["created_time"] for row in thread)
        assert len({(row["parent_page_id"], row["parent_block_id"]) for row in thread}) == 1


def test_goals_have_enough_to_choose_from(seed: int) -> None:
    rich = 0
    with opened(workspace(seed), constraints=False) as connection:  # with indexes, as environments have them
        for family in workspace(seed).intents:
            sets = [dict(row) for row in connection.execute(family.parameter_sets)]
            sizes = [len(connection.execute(family.target, chosen).fetchall()) for chosen in sets[:400]]
            assert any(sizes), family.id
            rich += sum(size > 0 for size in sizes) >= 20 and max(sizes) >= 4
    assert rich >= 12

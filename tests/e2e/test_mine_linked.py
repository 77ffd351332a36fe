"""`envforge mine --link`: a shop whose orders go with ferries, certified; and pairs that cannot be."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
FIXTURES = Path(__file__).parents[1] / "fixtures"
LINK = ("mine", "--theme", "paper-shop", "--link", "ferry")


def _theme(slug: str, anchor: str) -> str:
    about = "What a few people need to know of it every day, in the words of those who look after it."
    lines = [f"slug: {slug}", f"title: {slug.capitalize()}", "kind: domain", f"summary: {about}", "taxonomy: [test]"]
    return "\n".join([*lines, "anchors:", f'  - spec: "file:{anchor}"', ""])


@pytest.fixture
def workspace(tmp_path: Path, few_mutants: Callable[[Path], None]) -> Path:
    for folder in ("catalogue", "links"):
        (tmp_path / "themes" / folder).mkdir(parents=True)
    catalogue = tmp_path / "themes" / "catalogue"
    (catalogue / "paper-shop.yaml").write_text(_theme("paper-shop", "paper-shop.json"), encoding="utf-8")
    (catalogue / "ferry.yaml").write_text(_theme("ferry", "timetable"), encoding="utf-8")
    shutil.copy(FIXTURES / "links" / "shop-sailings.yaml", tmp_path / "themes" / "links")
    shutil.copy(FIXTURES / "sources" / "paper-shop.json", tmp_path)
    shutil.copytree(FIXTURES / "ferry", tmp_path / "timetable")
    few_mutants(tmp_path)
    return tmp_path


@pytest.mark.whole
def test_two_themes_become_one_certified_environment(envforge: Run, workspace: Path) -> None:
    done = envforge(*LINK, "--json", cwd=workspace, timeout=1800)
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = json.loads(done.stdout)["environments"]
    assert made["id"] == "paper-shop-with-ferry" and made["certified"]
    assert made["archetypes"] == ["orders-inventory", "reservations", "shop-sailings"]
    assert {"ship_order", "search_sailings", "put_order_on_sailing", "list_sailing_orders"} <= set(made["tools"])
    folder = workspace / "environments" / "paper-shop-with-ferry"
    manifest = json.loads((folder / "environment.json").read_text(encoding="utf-8"))
    assert manifest["statistics"]["linked"] == ["paper-shop", "ferry"]
    sources = [json.loads(line)["path"] for line in (folder / "sources.jsonl").read_text(encoding="utf-8").splitlines()]
    assert "paper-shop.json" in sources and any(path.endswith("sailings.csv") for path in sources)
    knowledge = json.loads((folder / "blueprint.json").read_text(encoding="utf-8"))
    families = {family["id"]: family for family in knowledge["intents"]}
    assert 'call("take_order_off"' in families["stopped-orders-of-a-departure"]["gold"]
    seen = envforge("call", "paper-shop-with-ferry", "list_orders", "page_size=1", "--json", cwd=workspace)
    assert seen.returncode == 0, seen.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--theme", "paper-shop", "--link", "ferri"), "did you mean ferry"),
        (("--theme", "paper-shop", "--link", "paper-shop"), "cannot keep track of itself"),
        (("--theme", "ferry", "--link", "paper-shop"), "collaborative-workspace with reservations"),
        (("--theme", "paper-shop", "--link", "ferry", "--keep", "trains.id=1..2"), "fits no table of either theme"),
    ],
)
def test_pairs_that_cannot_be_are_refused(
    envforge: Run, workspace: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = envforge("mine", *arguments, cwd=workspace, timeout=600)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split()) and "Traceback" not in done.stderr
    assert not (workspace / "environments").exists()

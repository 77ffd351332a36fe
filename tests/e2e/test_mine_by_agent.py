"""`envforge mine --author agent`: from a theme that nobody wrote down to an environment, by a model over HTTP."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.unit.agents.coast import DATA, FILES, GOOD, HARBOURS, PLAN, coast, columns_of, table, take
from tests.unit.agents.keeper import step

from envforge.core.errors import BuildError
from envforge.core.records.agent import AgentLimits
from envforge.core.records.environment import EnvironmentManifest
from envforge.core.records.research import ResearchGoals
from envforge.factory.config import MineConfig, MineReport
from envforge.factory.mine_theme import mine_theme
from envforge.factory.researching import ResearchConfig
from envforge.llm.connect import ModelSettings
from envforge.llm.loopback.answers import answer_of
from envforge.llm.loopback.faults import in_turn, well
from envforge.llm.loopback.server import LoopbackServer
from envforge.store.files import read_json, read_jsonl
from envforge.web.search.registry import SearchSettings

Tree = Callable[[Path], dict[str, bytes]]
MISTAKEN = [
    *("I think we should start by searching.", GOOD[0], GOOD[1]),
    step("open", address="https://coast.example/invented.csv"),
    *GOOD[2:6],
    step("plan", tables=[{"name": "9", "about": "", "columns": ["a"], "key": "b"}]),
    PLAN,
    step("rows", address=f"{DATA}keepers.csv", into="keepers", rows=[["K99", "Nobody", "XXX", "1900-01-01"]]),
    step("code", address=f"{DATA}lights.csv", into="lights"),
    "```python\ndef solve(call):\n    return call('page')['nothing']\n```",
    *(step("finish"), step("finish")),
    *(take(name) for name in FILES),
    step("finish"),
]
"""Wrong JSON, an invented source, an impossible plan, an invented row, a program that crashes, a finish too early."""


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return coast(tmp_path_factory.mktemp("coast"))


GOALS = ResearchGoals(tables=4, rows=60, table_rows=3)


def mined(
    workspace: Path, snapshot: Path, answers: Sequence[str], goals: ResearchGoals = GOALS, **wishes: Any
) -> MineReport:
    with LoopbackServer(in_turn(*(well(answer_of(answer)) for answer in answers))) as server:
        report = asked(server, workspace, snapshot, goals, **wishes)
        assert len(server.seen) == len(answers)
    return report


def asked(
    server: LoopbackServer, workspace: Path, snapshot: Path, goals: ResearchGoals = GOALS, **wishes: Any
) -> MineReport:
    research = ResearchConfig(
        ModelSettings("sage", base_url=server.base_url),
        SearchSettings(snapshot=snapshot, cache=workspace / "runs" / "cache" / "search"),
        goals,
        AgentLimits(steps=25),
    )
    given: dict[str, Any] = {"theme": "coast-lights", "new": True, "author": "agent", "until": "certified", **wishes}
    return mine_theme(MineConfig(workspace=workspace, snapshot=snapshot, research=research, **given), _quiet)


def _quiet(label: str, done: int, total: int | None) -> None:
    """Nobody looks."""


def test_a_model_full_of_mistakes_ends_in_a_certified_environment(
    tmp_path: Path, snapshot: Path, few_mutants: Callable[[Path], None]
) -> None:
    few_mutants(tmp_path)
    report = mined(tmp_path, snapshot, MISTAKEN)
    (environment,) = report.environments
    assert environment.certified, [gate.reasons for gate in environment.gates if not gate.passed]
    assert environment.grounding == "mined"
    assert environment.rows == {"inspections": 120, "keepers": 14, "lights": 34, "regions": 3}
    assert "Nobody" not in (environment.path / "data" / "keepers.csv").read_text(encoding="utf-8")
    manifest = EnvironmentManifest.model_validate(read_json(environment.path / "environment.json"))
    assert re.fullmatch(r"agent:sage researcher-1@[0-9a-f]{12}", manifest.authors["mine"])
    assert manifest.statistics["research"]["verified_share"] == round(171 / 172, 4)
    assert {source["url"] for source in read_jsonl(environment.path / "sources.jsonl")} == {
        f"{DATA}{name}.csv" for name in FILES
    }
    run = read_json(next(report.run.glob("agents/*/agent.json")))
    assert {one["outcome"] for one in run["steps"]} == {"malformed", "done", "denied", "refused", "failed", "repeated"}


def test_the_same_again_asks_nobody_and_gives_the_same_bytes(tmp_path: Path, snapshot: Path, tree: Tree) -> None:
    behaviour = in_turn(*(well(answer_of(answer)) for answer in GOOD))
    with LoopbackServer(behaviour) as server:
        first = asked(server, tmp_path, snapshot, until="database")
        before = tree(first.environments[0].path)
        assert tree(asked(server, tmp_path, snapshot, until="database").environments[0].path) == before
        assert len(server.seen) == len(GOOD)


def test_a_research_without_rows_is_refused_with_the_reason(tmp_path: Path, snapshot: Path) -> None:
    with pytest.raises(BuildError, match=r"the research is refused: .*rows is 0.*ended by mistakes") as raised:
        mined(tmp_path, snapshot, ["I cannot help with that."] * 6)
    assert "agents" in raised.value.remedy and not (tmp_path / "environments").exists()
    (journal,) = (tmp_path / "runs").glob("*/journal.jsonl")
    assert any(line["stage"] == "research" and "rows" in json.dumps(line) for line in read_jsonl(journal))


def test_mixed_adds_to_what_our_extractors_read(tmp_path: Path, snapshot: Path) -> None:
    answers = [
        step("search", query="harbours"),
        step("open", address=HARBOURS),
        step("plan", tables=[table("harbours", ["name", "berths"])]),
        step(
            "rows",
            address=HARBOURS,
            into="harbours",
            rows=[["Brekkholm", "7"], ["Cawdale", "14"], ["Drum", "21"], ["Estmere", "28"], ["Fjell", "35"],
                  ["Garrick", "42"], ["Holm", "49"], ["Inver", "56"], ["Atlantis", "63"]],
        ),
    ]  # fmt: skip
    sources = tuple(f"{DATA}{name}.csv" for name in FILES)
    gate = tmp_path / "validators" / "gates" / "research.json"
    gate.parent.mkdir(parents=True)
    gate.write_text('{"research": {"rows": 8, "tables": 1, "verified_share": 0.5}}', encoding="utf-8")
    report = mined(tmp_path, snapshot, [*answers, step("finish")], ResearchGoals(tables=1, rows=8), author="mixed",
                   sources=sources, until="database")  # fmt: skip
    (environment,) = report.environments
    assert environment.rows["harbours"] == 8 and environment.rows["lights"] == 34
    assert columns_of("lights")[0] in (environment.path / "data" / "lights.csv").read_text(encoding="utf-8")

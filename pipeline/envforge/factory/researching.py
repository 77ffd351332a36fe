"""An agent as the author of a mine: it finds the sources of a theme and fills tables from them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from envforge.agents.asking import Asker
from envforge.agents.kernel import Approve
from envforge.agents.permissions import require_host
from envforge.agents.prompts import agent_prompt
from envforge.agents.researcher.pages import Fetch
from envforge.agents.researcher.researcher import PROMPT, ResearchOrder, Toolbox, research
from envforge.core.contracts import Fetched
from envforge.core.errors import BuildError, ExtractError
from envforge.core.outcome import Failed, Produced, Rejected
from envforge.core.records.agent import AgentLimits, Permissions
from envforge.core.records.environment import GateResult
from envforge.core.records.extraction import Extraction, MinedTable
from envforge.core.records.research import Research, ResearchGoals
from envforge.core.records.source import Anchor, Theme
from envforge.factory.fetching import FetchPlan, fetch_anchors
from envforge.flow.stage import StageRunner
from envforge.gates.certificate import load_thresholds
from envforge.gates.research import judge_research
from envforge.llm.connect import ModelSettings, connect
from envforge.llm.prices import PRICES_FILE, read_prices
from envforge.mine.extract.registry import extract_all
from envforge.mine.researched import extractions_of, with_found_tables
from envforge.store.workspace import Workspace
from envforge.web.search.registry import SearchSettings, open_search

AGENTS = "agents"
"""In a run's folder: what agents did."""


@dataclass(frozen=True)
class ResearchConfig:
    """The model, where it searches, and within what. `hosts`: those that may be opened, * for all."""

    model: ModelSettings
    search: SearchSettings
    goals: ResearchGoals = field(default_factory=ResearchGoals)
    limits: AgentLimits = field(default_factory=AgentLimits)
    hosts: tuple[str, ...] = ("*",)
    approve: Approve | None = field(default=None, compare=False)

    @property
    def identity(self) -> dict[str, Any]:
        """What decides a run, as far as it is known before."""
        return {
            "model": [self.model.provider, self.model.model, self.model.base_url],
            "search": [self.search.provider, str(self.search.snapshot or "")],
            "goals": self.goals.to_json(),
            "limits": self.limits.to_json(),
            "hosts": list(self.hosts),
        }

    @property
    def permissions(self) -> Permissions:
        """What the agent's tools may reach."""
        return Permissions(hosts=self.hosts, commands=("python",))

    @property
    def author(self) -> str:
        """As the manifest names it: model and prompt, no place on this machine."""
        model, prompt = Path(self.model.model).name, agent_prompt(PROMPT)
        return f"agent:{model} {prompt.name}@{prompt.sha256[:12]}"


@dataclass(frozen=True)
class Researched:
    """What came of it: the theme with its new tables, the files that rows stand in, and the rows."""

    theme: Theme
    fetched: tuple[Fetched, ...]
    extractions: tuple[Extraction, ...]
    statistics: Mapping[str, Any]


def research_theme(
    config: ResearchConfig,
    theme: Theme,
    run: Path,
    sources: Path,
    plan: FetchPlan,
    runner: StageRunner,
    *,
    there: Sequence[Extraction] = (),
) -> Researched:
    """Run the researcher on a theme, and judge what it found. What it opens is recorded in `sources`.

    `there`: what a compiled author read already. Raises ModelError when the endpoint fails (the run goes on later),
    BuildError when the gate refuses what was found.
    """
    found = runner.value("research", theme.slug, lambda: _research(config, theme, run, sources, plan, there))
    workspace = Workspace(plan.workspace)
    thresholds = load_thresholds(workspace.data_file("validators/gates/research.json"))
    verdict = judge_research(found, thresholds["research"])
    if not verdict.passed:
        runner.note("research", theme.slug, Rejected(verdict.reasons[0], verdict.to_json()))
        raise BuildError(
            f"the research is refused: {'; '.join(verdict.reasons)}",
            where=theme.slug,
            remedy=f"see {run / AGENTS}; a larger budget, another model or --search may find more",
        )
    door = door_for(config, theme, sources, plan)
    fetched = tuple(door(address) for address in found.addresses)
    return Researched(
        with_found_tables(theme, found), fetched, tuple(extractions_of(found)), _statistics(found, verdict)
    )


def _research(
    config: ResearchConfig, theme: Theme, run: Path, sources: Path, plan: FetchPlan, there: Sequence[Extraction]
) -> Research:
    folder = run / AGENTS
    prices = read_prices(Workspace(plan.workspace).data_file(PRICES_FILE))
    connection = connect(config.model, run=folder, prices=prices)
    order = ResearchOrder(
        theme=theme,
        goals=config.goals,
        limits=config.limits,
        permissions=config.permissions,
        known=tuple(anchor.spec for anchor in theme.anchors if anchor.spec.startswith(("http://", "https://"))),
        there={
            table.name: tuple(column.name for column in table.columns)
            for extraction in there
            for table in extraction.tables
        },
    )
    toolbox = Toolbox(open_search(config.search), door_for(config, theme, sources, plan), _tables)
    with Asker(connection.model, folder / "replies", native=config.model.native_schema) as asker:
        return research(order, toolbox, asker, folder, approve=config.approve)


def door_for(config: ResearchConfig, theme: Theme, sources: Path, plan: FetchPlan) -> Fetch:
    """Fetches one address, through the recording of the run; of a packed file the largest in it.

    A permitted host that redirects to another one opens nothing there.
    """
    live = plan.live.within(partial(require_host, config.permissions)) if plan.live is not None else None
    steady = dataclasses.replace(plan, refresh=False, live=live)

    def fetch(address: str) -> Fetched:
        one = theme.model_copy(update={"anchors": (Anchor(spec=address),)})
        return max(fetch_anchors(one, sources, steady), key=lambda file: len(file.body))

    return fetch


def _tables(file: Fetched) -> tuple[MinedTable, ...]:
    """What our extractors read in it. Raises ExtractError for a broken file."""
    (outcome,) = extract_all([file])
    if isinstance(outcome, Produced):
        return outcome.value.tables
    if isinstance(outcome, Failed):
        raise ExtractError(outcome.error, where=outcome.where, remedy=outcome.remedy)
    return ()


def _statistics(found: Research, verdict: GateResult) -> dict[str, Any]:
    return {**verdict.measured, "goals_missed": list(found.missing)}

"""The research as a whole: from a theme to rows with their places, within goals, limits and permissions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from envforge.agents.asking import Asker
from envforge.agents.assignment import Assignment
from envforge.agents.kernel import Approve, run_agent, run_key
from envforge.agents.known import KnownAddresses
from envforge.agents.prompts import agent_prompt
from envforge.agents.researcher.filling import Finish, Plan, Take, WriteRows, code_tool
from envforge.agents.researcher.findings import Findings
from envforge.agents.researcher.pages import Fetch, Pages, Tables
from envforge.agents.researcher.reading import Open, Read
from envforge.agents.researcher.rows import Intake
from envforge.agents.tools.search import Search
from envforge.core.contracts import SearchProvider
from envforge.core.records.agent import AgentLimits, AgentRun, Permissions
from envforge.core.records.research import Research, ResearchGoals
from envforge.core.records.source import Theme
from envforge.store.files import write_json

AGENT = "researcher"
PROMPT = "researcher-1"
RESEARCH = "research.json"
MILESTONES = frozenset({"plan", "finish"})
CHANGING = frozenset({"plan", "take", "rows", "code"})
_BEFORE_A_PLAN = ("search", "open", "read", "plan")
_MOST_SHOWN = 12


@dataclass(frozen=True)
class Toolbox:
    """What the researcher is handed: doors and extractors of the rooms above it."""

    search: SearchProvider
    fetch: Fetch
    tables: Tables


@dataclass(frozen=True)
class ResearchOrder:
    """What is to be found, and within what."""

    theme: Theme
    goals: ResearchGoals
    limits: AgentLimits
    permissions: Permissions
    known: tuple[str, ...] = ()
    """Addresses that a person named."""
    there: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    """Tables that a compiled author filled already, with their columns."""

    @property
    def goal(self) -> str:
        """The task in words."""
        goals, theme = self.goals, self.theme
        told = [f'Build a database about "{theme.title}". {theme.summary}'.strip()]
        told.append(
            f"Wanted: at least {goals.tables} tables and {goals.rows} rows in all, {goals.table_rows} rows in each "
            f"table, from at least {goals.sources} sources."
        )
        if self.known:
            told.append(f"Named by a person: {', '.join(self.known)}")
        if self.there:
            there = "; ".join(f"{name}({', '.join(columns)})" for name, columns in self.there.items())
            told.append(f"There already, do not plan them again: {there}")
        return "\n".join(told)


def research(
    order: ResearchOrder, toolbox: Toolbox, asker: Asker, folder: Path, *, approve: Approve | None = None
) -> Research:
    """Run the researcher to its end, or on to it; what it found is written to `folder`/research.json.

    Raises ModelError when the endpoint fails; the run goes on when it is called again.
    """
    prompt = agent_prompt(PROMPT)
    place = folder / run_key(AGENT, prompt, order.goal, order.limits, order.permissions, asker.identity)
    findings = Findings(place, order.goals)
    known, links = KnownAddresses(place / "known", order.known), KnownAddresses(place / "links")
    pages = Pages(toolbox.fetch, toolbox.tables, lambda: (*known.all, *links.all), order.permissions)
    intake = Intake(findings)
    tools = [
        Search(toolbox.search, known),
        Open(pages, findings, links),
        Read(pages),
        Plan(findings, order.there),
        Take(pages, findings, intake),
        WriteRows(pages, findings, intake),
        code_tool(pages, findings, intake, order.permissions),
        Finish(findings),
    ]
    assignment = Assignment(
        agent=AGENT,
        prompt=prompt,
        goal=order.goal,
        tools=tools,
        limits=order.limits,
        permissions=order.permissions,
        offered=lambda: _offered(findings, known),
        briefing=lambda: _briefing(findings, known),
        milestones=MILESTONES,
        changing=CHANGING,
    )
    found = _found(order, findings, run_agent(assignment, asker, place, approve=approve))
    write_json(folder / RESEARCH, found.to_json())
    return found


def _offered(findings: Findings, known: KnownAddresses) -> Collection[str] | None:
    """Only what can be done at all: there is nothing to open before a search, and nothing to fill before a plan."""
    if findings.tables:
        return None
    return _BEFORE_A_PLAN if findings.addresses else ("search", "open") if known.all else ("search",)


def _briefing(findings: Findings, known: KnownAddresses) -> str:
    counts = findings.counts()
    lines = [
        f"Table {table.name}({', '.join(table.columns)}), key {table.key}: {counts[table.name]} rows"
        for table in findings.tables
    ]
    opened = findings.addresses
    lines += [f"Opened: {address}" for address in opened[-_MOST_SHOWN:]]
    closed = [address for address in known.all if address not in opened]
    lines += [f"Not opened: {address}" for address in closed[-_MOST_SHOWN:]]
    missing = findings.missing()
    return "\n".join([*lines, f"Missing: {'; '.join(missing)}" if missing else "Nothing is missing: finish."])


def _found(order: ResearchOrder, findings: Findings, run: AgentRun) -> Research:
    names = {table.name for table in findings.tables}
    found = tuple(one for one in findings.found() if one.table in names)
    return Research(
        theme=order.theme.slug,
        goals=order.goals,
        tables=findings.tables,
        found=found,
        addresses=tuple(dict.fromkeys(one.address for one in found if one.rows)),
        verified=sum(len(one.rows) for one in found),
        refused=sum(one.refused_count for one in found),
        ended=run.ended,
        reason=run.reason,
        missing=tuple(findings.missing()),
    )

"""The page of an evaluation: what was reached, where, at what cost, and what went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from envforge.core.records.estimate import Estimate, PairedComparison
from envforge.core.records.evaluation import AgentReport, EvalReport, Group, Grouping
from envforge.studio.charts import Bar, Line, Point, bars, lines
from envforge.studio.page import page, several
from envforge.studio.tables import table

_TITLES: dict[Grouping, str] = {
    "grounding": "By class of environment",
    "environment": "By environment",
    "level": "By level",
    "kind": "By kind of task",
    "goal": "By kind of goal",
    "tool": "By tool that the gold solution calls",
}
_MOST_BARS = 14


def eval_page(report: EvalReport) -> str:
    """The page of a run, as HTML."""
    subject = report.agents[0]
    name = subject.agent.model or subject.agent.name
    tasks = sum(len(one.tasks) for one in report.evaluation.sets)
    parts = [
        f"<h1>Evaluation of {escape(name)}</h1>",
        f'<p class="soft">{several(tasks, "task")} of {several(len(report.evaluation.sets), "environment")} · '
        f"{several(subject.agent.episodes, 'episode')} of each task · seed {report.evaluation.seed}</p>",
        _cards(subject),
        *(f'<p class="warn">{escape(note)}</p>' for note in report.notes),
        _overview(report),
        _comparisons(report),
        _groups(subject),
        _mistakes(subject),
        _tools(subject),
        _settings(subject),
        _results(report.agents),
    ]
    return page(f"Evaluation of {name}", "\n".join(part for part in parts if part), "evaluation")


def said(found: Estimate) -> str:
    """An estimate in a few characters: 42 % (35 to 49)."""
    if found.value is None:
        return "–"
    if found.interval is None:
        return f"{found.value:.1%}"
    low, high = found.interval
    return f"{found.value:.1%} ({100 * low:.1f} to {100 * high:.1f})"


def _cards(subject: AgentReport) -> str:
    names = list(subject.estimates)
    most = subject.agent.episodes
    shown = [name for name in ("pass@1", f"pass@{most}", f"pass^{most}") if name in names]
    cards = [(name, said(subject.estimates[name])) for name in dict.fromkeys(shown)]
    cards.append(("share of checks", said(subject.fraction)))
    cards.append(("episodes scored", f"{subject.scored} of {subject.episodes}"))
    spent = subject.spending
    if spent.model_calls:
        cards.append(("tokens in, out", f"{spent.prompt_tokens:,}, {spent.completion_tokens:,}"))
        cards.append(("cost", "price unknown" if spent.usd is None else f"${spent.usd:,.4f}"))
    inner = "".join(
        f'<div class="card"><span class="soft">{escape(name)}</span><b>{escape(value)}</b></div>'
        for name, value in cards
    )
    return f'<div class="cards">{inner}</div>'


def _overview(report: EvalReport) -> str:
    subject = report.agents[0]
    curves: list[Line] = []
    for kind, name in (("pass@", "pass@k: one of k passes"), ("pass^", "pass^k: all k pass")):
        found = [(int(key[5:]), value) for key, value in subject.estimates.items() if key.startswith(kind)]
        points = [
            Point(k, one.value, *(one.interval or (None, None))) for k, one in sorted(found) if one.value is not None
        ]
        if points:
            curves.append(Line(name, points))
    agents = [
        _rate(one.agent.model or one.agent.name, value, f"{one.scored} ep.")
        for one in report.agents
        if (value := one.estimates.get("pass@1")) is not None
    ]
    charts = [lines("Chance over k episodes", curves, x_name="k")] if curves else []
    charts.append(bars("pass@1 of all agents in this run", agents))
    note = subject.estimates["pass@1"].note if "pass@1" in subject.estimates else ""
    more = f" ({escape(note)})" if note else ""
    told = f'<p class="soft">Intervals: 95 %, over clusters{more}.</p>'
    return f'<h2>What was reached</h2><div class="grid">{"".join(charts)}</div>{told}{_unscored(subject)}'


def _unscored(subject: AgentReport) -> str:
    left = subject.episodes - subject.scored
    if not left or subject.if_unscored_failed is None or subject.if_unscored_passed is None:
        return ""
    reasons = ", ".join(f"{reason}: {count}" for reason, count in subject.unscored.items())
    return (
        f'<p class="warn">{left} episodes have no score and are not counted ({escape(reasons)}). '
        f"Had all of them failed, pass@1 were {subject.if_unscored_failed:.1%}; had all passed, "
        f"{subject.if_unscored_passed:.1%}.</p>"
    )


def _comparisons(report: EvalReport) -> str:
    if not report.comparisons:
        return ""
    rows = [_compared(one) for one in report.comparisons]
    columns = ("figure", "here", "there", "gap", "p (clustered)", "first episode: here only, there only, p",
               "tasks better, worse, p")  # fmt: skip
    return f"<h2>Compared with {escape(report.against)}</h2>{table(columns, rows)}"


def _compared(one: PairedComparison) -> tuple[str, ...]:
    return (
        one.figure,
        percent(one.ours),
        percent(one.theirs),
        said(one.gap),
        p_value(one.p_clustered),
        f"{one.only_ours}, {one.only_theirs}, {p_value(one.p_mcnemar)}",
        f"{one.better}, {one.worse}, {p_value(one.p_sign)}",
    )


def _groups(subject: AgentReport) -> str:
    figures: list[str] = []
    for by, title in _TITLES.items():
        found = [group for group in subject.groups if group.by == by]
        if by == "tool":
            found = sorted(found, key=lambda group: (-group.tasks, group.name))[:_MOST_BARS]
        if len(found) > 1 or (found and by in ("grounding", "environment", "level")):
            figures.append(bars(f"{title} (pass@1)", [_bar(group) for group in found]))
    return f'<h2>Where</h2><div class="grid">{"".join(figures)}</div>'


def _bar(group: Group) -> Bar:
    found = group.estimate
    name = f"level {group.name}" if group.by == "level" else group.name.replace("_", " ")
    return _rate(name, found, f"{group.tasks} t.")


def _rate(label: str, found: Estimate, note: str) -> Bar:
    return Bar(label, found.value, *(found.interval or (None, None)), note=note)


def _mistakes(subject: AgentReport) -> str:
    if not subject.mistakes:
        return ""
    failed = sum(subject.mistakes.values())
    ordered = sorted(subject.mistakes.items(), key=lambda entry: (-entry[1], entry[0]))
    found = [Bar(kind.replace("_", " "), count / failed, note=str(count)) for kind, count in ordered]
    more = f"; {subject.undiagnosed} more could not be looked at" if subject.undiagnosed else ""
    caption = f"First mistake of {failed} failed episodes{more}"
    return f'<h2>What went wrong</h2><div class="grid">{bars(caption, found)}{_endings(subject)}</div>'


def _endings(subject: AgentReport) -> str:
    found = [
        Bar(ending.replace("_", " "), count / subject.episodes, note=str(count))
        for ending, count in sorted(subject.endings.items(), key=lambda entry: -entry[1])
    ]
    return bars("How episodes ended", found)


def _tools(subject: AgentReport) -> str:
    if not subject.tools:
        return ""
    rows = [(use.tool, f"{use.calls:,}", f"{use.refused:,}", f"{use.refused / use.calls:.0%}") for use in subject.tools]
    inner = table(("tool", "calls", "refused", "share"), rows, numbers=(1, 2, 3))
    return f"<h2>Calls</h2><details><summary>{len(rows)} tools</summary>{inner}</details>"


def _settings(subject: AgentReport) -> str:
    held = subject.agent.settings.model_dump(mode="json")
    rows = [(name.replace("_", " "), value) for name, value in held.items() if value not in ("", None)]
    inner = table(("setting", "value"), [("agent", subject.agent.name), *rows])
    return f"<h2>How it was played</h2><details><summary>Settings</summary>{inner}</details>"


def _results(agents: Sequence[AgentReport]) -> str:
    first = agents[0]
    others = [{one.task: one for one in agent.results} for agent in agents[1:]]
    rows: list[tuple[str, ...]] = []
    for one in first.results:
        beside = (_passed(held[one.task].passed, held[one.task].scored) if one.task in held else "" for held in others)
        unscored = str(one.unscored) if one.unscored else ""
        line = (one.task, one.environment, str(one.level), str(one.minimal_calls), _passed(one.passed, one.scored))
        rows.append((*line, unscored, *beside))
    names = [agent.agent.model or agent.agent.name for agent in agents[1:]]
    columns = ("task", "environment", "level", "calls", "passed", "unscored", *names)
    inner = table(columns, rows, numbers=tuple(range(2, len(columns))))
    return f"<h2>Task by task</h2><details><summary>{len(rows)} tasks</summary>{inner}</details>"


def _passed(passed: int, scored: int) -> str:
    return f"{passed}/{scored}"


def percent(value: float | None) -> str:
    """A rate that may be unknown."""
    return "–" if value is None else f"{value:.1%}"


def p_value(value: float | None) -> str:
    """A p that may be unknown, and is never nothing."""
    return "–" if value is None else "< 0.0001" if value < 0.0001 else f"{value:.4f}"

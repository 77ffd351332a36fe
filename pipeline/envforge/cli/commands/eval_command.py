"""`envforge eval`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from envforge.cli import render
from envforge.cli.commands.trajectory_words import say
from envforge.cli.options import SharedOptions
from envforge.core.errors import ConfigError
from envforge.core.records.evaluation import AgentReport, EvalReport
from envforge.factory.eval_config import EvalConfig
from envforge.factory.eval_subjects import Subject, model_folder, model_subject, named_subject
from envforge.factory.evaluate import Evaluated, evaluate
from envforge.llm.prices import PRICES_FILE, Prices, read_prices
from envforge.rollout.loop import MOST_TURNS
from envforge.rollout.model_player import ModelPlay
from envforge.store.workspace import Workspace
from envforge.studio.eval_page import p_value, percent, said

_MOST_TOOLS = 12


def run(given: Mapping[str, Any], asked: Mapping[str, Any], *, inspect: Path | None, shared: SharedOptions) -> None:
    """Play what is missing, write the run's files and print its figures."""
    config = EvalConfig(workspace=shared.workspace, **given)
    config.refuse()
    prices = read_prices(Workspace(shared.workspace).data_file(PRICES_FILE))
    config, subject = _subject(config, asked, prices)
    with render.progress(shared.silent) as progress:
        found = evaluate(config, subject, prices, progress)
    if inspect is not None:
        from envforge.publish.inspect_log import write_inspect_log

        write_inspect_log(inspect, found.report, found.tasks, found.episodes)
    if shared.json_output:
        render.print_json({"folder": str(found.folder), **found.report.to_json()})
    elif not shared.quiet:
        _print(found)


def _subject(config: EvalConfig, asked: Mapping[str, Any], prices: Prices) -> tuple[EvalConfig, Subject]:
    """Whom the run is about; a model's run has its folder from the start, as its accounts stand there."""
    agent, settings = asked["agent"], asked["model"]
    play = {name: value for name, value in asked["play"].items() if value is not None}
    if (agent is None) == (settings is None):
        raise ConfigError("name one agent: --agent or --model", where="eval", remedy="as in --agent scripted:0.8")
    if agent is not None:
        return config, named_subject(agent, play.get("max_turns", MOST_TURNS))
    played = ModelPlay(**play)
    runs = Workspace(config.workspace).runs
    tasks = (config.environments, config.tasks, config.episodes, config.seed, config.baselines)
    folder = config.out or model_folder(runs, settings, played, tasks)
    return replace(config, out=folder), model_subject(settings, played, folder, prices)


def _print(found: Evaluated) -> None:
    report = found.report
    for one in report.agents:
        _agent(one)
    subject = report.agents[0]
    _groups(subject)
    if subject.mistakes:
        failed = sum(subject.mistakes.values())
        rows = [(kind.replace("_", " "), count, f"{count / failed:.0%}") for kind, count in subject.mistakes.items()]
        render.table(f"First mistake of {failed} failed episodes", ("mistake", "episodes", "share"), rows)
    _comparison(report)
    for note in (*report.notes, subject.estimates["pass@1"].note):
        if note:
            say(f"note: {note}")
    resumed = f" ({found.resumed} episodes were there already)" if found.resumed else ""
    say(f"written: {found.folder}/report.json, page.html, trajectories.jsonl, mistakes.jsonl{resumed}")


def _agent(one: AgentReport) -> None:
    name = one.agent.model or one.agent.name
    rows = [(figure, said(value), value.tasks, value.left_out or "") for figure, value in one.estimates.items()]
    rows.append(("share of checks", said(one.fraction), one.fraction.tasks, ""))
    head = f"{name}: {one.scored} of {one.episodes} episodes scored, {one.passed} passed"
    render.table(head, ("figure", "mean over tasks (95 %)", "tasks", "left out"), rows)
    if one.unscored:
        reasons = ", ".join(f"{reason}: {count}" for reason, count in one.unscored.items())
        say(f"not scored: {reasons}")
        say(
            f"pass@1, had they all failed: {one.if_unscored_failed:.1%}, "
            f"had they all passed: {one.if_unscored_passed:.1%}\n"
        )
    spent = one.spending
    if spent.model_calls:
        money = "price unknown" if spent.usd is None else f"{spent.usd:.4f} dollars"
        told = f"{spent.model_calls:,} calls of the model, {spent.prompt_tokens:,} tokens in"
        say(f"{told}, {spent.completion_tokens:,} out, {money}\n")


def _groups(subject: AgentReport) -> None:
    shown = [group for group in subject.groups if group.by != "tool"]
    tools = sorted((group for group in subject.groups if group.by == "tool"), key=lambda group: -group.tasks)
    rows = [
        (group.by, group.name, group.tasks, f"{group.passed}/{group.scored}", said(group.estimate))
        for group in (*shown, *tools[:_MOST_TOOLS])
    ]
    render.table("Where", ("by", "which", "tasks", "passed", "pass@1"), rows)


def _comparison(report: EvalReport) -> None:
    if not report.comparisons:
        return
    rows = [
        (
            one.figure,
            percent(one.ours),
            percent(one.theirs),
            said(one.gap),
            p_value(one.p_clustered),
            f"{one.only_ours}:{one.only_theirs} {p_value(one.p_mcnemar)}",
            f"{one.better}:{one.worse} {p_value(one.p_sign)}",
        )
        for one in report.comparisons
    ]
    columns = ("figure", "here", "there", "gap", "p clustered", "McNemar", "sign test")
    render.table(f"Against {report.against}", columns, rows)

"""`envforge mine`."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast, get_args

import typer

from envforge.cli import render
from envforge.cli.approving import ask_person
from envforge.cli.options import SharedOptions
from envforge.core.errors import ConfigError
from envforge.core.records.agent import AgentLimits
from envforge.core.records.research import ResearchGoals
from envforge.factory.config import EnvironmentReport, MineAuthor, MineConfig, MineReport, Until
from envforge.factory.mine_theme import mine_theme
from envforge.factory.researching import ResearchConfig
from envforge.llm.connect import ModelSettings
from envforge.store.workspace import Workspace
from envforge.web.search.registry import PROVIDERS, SearchSettings


def run(
    *,
    shared: SharedOptions,
    until: str,
    database_seeds: str,
    author: MineAuthor,
    model: ModelSettings | None,
    agent: Mapping[str, Any],
    **options: Any,
) -> None:
    """Mine, print the summary, exit 1 if an environment was not certified."""
    if until not in get_args(Until):
        raise ConfigError(f"{until!r} is no place to stop", where="--until", remedy="database, tools or certified")
    snapshot = cast("Path | None", options["snapshot"])
    if snapshot is not None and not snapshot.is_dir():
        raise ConfigError("no such folder", where=f"--snapshot {snapshot}")
    for name in ("live", "refresh", "snapshot"):
        if options["replay"] is not None and options[name]:
            raise ConfigError(
                "a replay fetches nothing", where=f"--replay with --{name}", remedy=f"leave out --{name} or --replay"
            )
    if options["replay"] is not None:
        Workspace(shared.workspace).run(options["replay"])
    options["sources"] = tuple(seen_from(shared.workspace, source) for source in options["sources"])
    research = _research(model, agent, snapshot, shared)
    config = MineConfig(
        workspace=shared.workspace,
        until=cast("Until", until),
        database_seeds=seeds_of(database_seeds),
        author=author,
        research=research,
        **options,
    )
    with render.progress(shared.silent) as progress:
        report = mine_theme(config, progress)
    if shared.json_output:
        render.print_json(report_json(report))
    elif not shared.quiet:
        render.mine_summary(report)
    if until == "certified" and not report.certified:
        raise typer.Exit(1)


def seen_from(workspace: Path, source: str) -> str:
    """A --source as the workspace names it: a relative path of `file:` is meant from the current folder."""
    kind, _, path = source.partition(":")
    if kind != "file" or not path:
        return source
    # Below the workspace the name stays relative: a workspace that is moved keeps its runs.
    target, home = Path(path).absolute(), workspace.absolute()
    below = not Path(path).is_absolute() and ".." not in target.parts and target.is_relative_to(home)
    return f"file:{target.relative_to(home) if below else target}"


def _research(
    model: ModelSettings | None, agent: Mapping[str, Any], snapshot: Path | None, shared: SharedOptions
) -> ResearchConfig | None:
    """What the agent is given. Raises ConfigError for options that do not go together."""
    if model is None:
        # Who names the hosts believes that no others are asked.
        for option, given in (("--approve", agent["approve"]), ("--allow-host", agent["hosts"] != ("*",))):
            if given:
                raise ConfigError("goes with --author agent or mixed", where=option)
        return None
    provider: str = agent["search"]["provider"]
    if provider not in PROVIDERS:
        raise ConfigError(f"no provider {provider!r}", where="--search", remedy=f"there are: {', '.join(PROVIDERS)}")
    if provider == "searxng" and not agent["search"]["base_url"]:
        raise ConfigError("needs --search-url", where="--search searxng", remedy="e.g. http://127.0.0.1:8888")
    cache = Workspace(shared.workspace).runs / "cache" / "search"
    return ResearchConfig(
        model=model,
        search=SearchSettings(snapshot=snapshot, cache=cache, **agent["search"]),
        goals=ResearchGoals(**agent["goals"]),
        limits=AgentLimits(**agent["limits"]),
        hosts=agent["hosts"],
        approve=ask_person if agent["approve"] else None,
    )


def seeds_of(text: str, where: str = "--database-seeds") -> tuple[int, ...]:
    """'0', '0-3' or '0,2,5' → seeds. Raises ConfigError."""
    span = re.fullmatch(r"(\d+)-(\d+)", text)
    if span and int(span[1]) <= int(span[2]) < int(span[1]) + 1000:
        return tuple(range(int(span[1]), int(span[2]) + 1))
    if re.fullmatch(r"\d+(,\d+)*", text):
        return tuple(dict.fromkeys(int(part) for part in text.split(",")))
    raise ConfigError(f"{text!r} names no seeds", where=where, remedy="give 0, 0-3 or 0,2,5")


def report_json(report: MineReport) -> dict[str, Any]:
    """The report as plain JSON."""
    value = dataclasses.asdict(dataclasses.replace(report, environments=()))
    value["run"] = str(report.run)
    value["environments"] = [environment_json(environment) for environment in report.environments]
    return value


def environment_json(environment: EnvironmentReport) -> dict[str, Any]:
    """One environment of a report as plain JSON."""
    value = dataclasses.asdict(dataclasses.replace(environment, gates=()))
    value["path"] = str(environment.path)
    value["trade"] = environment.trade.to_json() if environment.trade is not None else None
    value["gates"] = [result.to_json() | {"passed": result.passed} for result in environment.gates]
    return value

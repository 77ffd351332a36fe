"""`envforge mine`: theme → sources → database → tools and tests → certified environment."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from envforge.core.contracts import Fetched, Progress
from envforge.core.errors import ConfigError
from envforge.core.outcome import Outcome
from envforge.core.records.archetype import Archetype
from envforge.core.records.extraction import Extraction
from envforge.core.records.shape import RowShape
from envforge.core.records.source import Anchor, Theme
from envforge.factory.assemble import Materials, assemble, environment_id
from envforge.factory.config import EnvironmentReport, MineConfig, MineReport
from envforge.factory.fates import refusals_kept, require_environment
from envforge.factory.fetching import FetchPlan
from envforge.factory.gathering import SOURCES, gather
from envforge.factory.linking import joint_theme, linked
from envforge.factory.rebuild import Order, SecondBuild
from envforge.factory.themes import find_theme, load_themes, new_theme
from envforge.flow.journal import Journal
from envforge.flow.stage import StageRunner
from envforge.gates.certificate import load_thresholds
from envforge.mine.archetypes.catalogue import load_archetypes
from envforge.mine.archetypes.constants import with_constants
from envforge.mine.links.catalogue import load_links
from envforge.mine.links.populating import populate_any
from envforge.mine.miner import Mined, mine_domain
from envforge.mine.shapes.catalogue import load_shapes
from envforge.store.ledger import Ledger
from envforge.store.workspace import Workspace
from envforge.web.live.client import GuardedClient
from envforge.web.live.settings import load_settings


def mine_theme(config: MineConfig, progress: Progress) -> MineReport:
    """Mine a theme, or two that are linked, into one certified environment per database seed.

    Raises ConfigError, SourceError, ExtractError, BuildError or StoreError with what to do about it.
    """
    workspace = Workspace(config.workspace)
    themes = _themes(config, workspace)
    whole = joint_theme(*themes) if len(themes) > 1 else themes[0]
    run_id = config.run_id(whole)
    run = workspace.runs / run_id
    journal = Journal(run / "journal.jsonl")
    ledger = Ledger(workspace.runs, config.ledger)
    try:
        number = ledger.start(run_id, f"mine --theme {themes[0].slug}{f' --link {config.link}' if config.link else ''}")
        runner = StageRunner([journal, _LedgerLog(ledger, number)], progress)
        return _run(config, whole, themes, run, workspace, runner)
    finally:
        ledger.close()


class _LedgerLog:
    def __init__(self, ledger: Ledger, run_id: int) -> None:
        self._ledger, self._run_id = ledger, run_id

    def record(self, stage: str, item: str, outcome: Outcome[object]) -> None:
        self._ledger.record(self._run_id, stage, item, outcome)


def _run(
    config: MineConfig, whole: Theme, themes: Sequence[Theme], run: Path, workspace: Workspace, runner: StageRunner
) -> MineReport:
    folders = workspace.data_folders("themes")
    archetypes = cache(lambda: _archetypes(config, folders))
    if config.constants or folders[0].parent == workspace.root:
        archetypes()  # what users wrote themselves is refused before anything is fetched
    thresholds = load_thresholds(workspace.data_file("validators/gates/environment.json"))
    shapes = load_shapes([folder / "shapes" for folder in folders])
    plan = _plan(config, workspace)
    stated: list[Mined] = []
    fetched: list[Fetched] = []
    research: Mapping[str, Any] = {}
    for theme in themes:
        found = gather(config, theme, run, "" if theme is whole else theme.slug, plan, runner)
        stated.append(
            _mined(config, found.theme, found.extractions, archetypes(), shapes, runner, alone=theme is whole)
        )
        require_environment(stated[-1], run, lambda outcome, of=theme: runner.note("standing", of.slug, outcome))
        fetched += found.fetched
        research = found.research
    mined = stated[0] if len(stated) == 1 else linked(whole, stated, load_links(folders, archetypes()), config.keep)
    files = {item.source.id: item.source for item in fetched}  # a file that both themes read is one source
    author = config.research.author if config.research is not None else "compiled"
    materials = Materials(
        # What a model or a person said is said: environments are built, and built again, without them.
        replace(config, research=None, author="compiled"),
        *(whole, tuple(files.values()), thresholds, run, mined.stated_operations),
        author=f"compiled, {author}" if config.author == "mixed" else author,
        research=research,
    )
    reports: list[EnvironmentReport] = []
    for seed in config.database_seeds:
        item = environment_id(whole.slug, seed)
        order = Order(materials, mined, seed, run / "rebuild" / item)
        reports.append(runner.value("environment", item, lambda order=order: _environment(order, runner)))
    return _report(whole, run, fetched, reports)


def _archetypes(config: MineConfig, folders: Sequence[Path]) -> list[Archetype]:
    kept = [folder / "archetypes" for folder in folders]
    shipped = [folder for folder in kept if folder.parent.parent != config.workspace]
    return with_constants(load_archetypes(kept, documents=config.documents, shipped=shipped), config.constants)


def _plan(config: MineConfig, workspace: Workspace) -> FetchPlan:
    return FetchPlan(
        workspace=config.workspace,
        snapshot=config.snapshot,
        refresh=config.refresh,
        named=config.sources,
        live=GuardedClient(load_settings(workspace.data_file("validators/web/fetch.json"))) if config.live else None,
        replay=workspace.run(config.replay) / SOURCES if config.replay is not None else None,
    )


def _mined(
    config: MineConfig,
    theme: Theme,
    extractions: Sequence[Extraction],
    archetypes: Sequence[Archetype],
    shapes: Sequence[RowShape],
    runner: StageRunner,
    *,
    alone: bool,
) -> Mined:
    return runner.value(
        "infer",
        theme.slug,
        lambda: mine_domain(
            theme,
            extractions,
            archetypes,
            facts_only=config.facts_only,
            max_tables=config.max_tables,
            shapes=shapes,
            keep=config.keep,
            keeps_all=alone,
        ),
    )


def _environment(order: Order, runner: StageRunner) -> EnvironmentReport:
    materials, seed = order.materials, order.database_seed
    config = materials.config
    with contextlib.ExitStack() as stack:
        # Only a certificate needs the proof that a second build gives the same bytes.
        second = stack.enter_context(SecondBuild(order)) if config.until == "certified" else None
        with refusals_kept(order.mined, materials.run, lambda found: runner.note("rows", materials.theme.slug, found)):
            database = populate_any(
                order.mined, rounds=config.rounds, seed=config.seed, database_seed=seed, progress=runner.progress
            )
        if config.documents and not database.document_plans:
            raise ConfigError(
                "no documents are known for it",
                where=f"--documents: {', '.join(database.domain.archetypes) or 'no archetype'}",
                remedy="leave out --documents, or declare them in themes/documents/<archetype>.yaml",
            )
        return assemble(materials, database, seed, second.hash if second else None, runner.progress)


def _themes(config: MineConfig, workspace: Workspace) -> list[Theme]:
    """The theme, and the one that it keeps track of where there is one."""
    folders = workspace.data_folders("themes")
    themes = load_themes(folders)
    first = _theme(config, themes, folders)
    if config.link is None:
        return [first]
    second = find_theme(config.link, themes, where="--link", folders=folders)
    if second.slug == first.slug:
        raise ConfigError("a theme cannot keep track of itself", where="--link", remedy="name another theme")
    return [first, second]


def _theme(config: MineConfig, themes: dict[str, Theme], folders: Sequence[Path]) -> Theme:
    if config.new:
        if config.theme in themes:
            raise ConfigError(f"{config.theme!r} is in the catalogue", where="--new", remedy="leave out --new")
        return new_theme(config.theme, config.sources, needed=config.author != "agent")
    theme = find_theme(config.theme, themes, folders=folders)
    if config.author == "agent":
        # It finds sources and tables itself; what the entry names it may open.
        theme = theme.model_copy(update={"tables": ()})
    if not config.sources:
        return theme
    # The user's own sources stand in for the catalogue's; what the entry says of tables still holds.
    return theme.model_copy(update={"anchors": tuple(Anchor(spec=source) for source in config.sources)})


def _report(theme: Theme, run: Path, fetched: Sequence[Fetched], reports: Sequence[EnvironmentReport]) -> MineReport:
    return MineReport(
        theme=theme.slug,
        run=run,
        sources=tuple(
            {
                "path": item.source.path,
                "package": item.source.package,
                "bytes": item.source.bytes,
                "licence": item.source.licence.spdx or item.source.licence.status,
            }
            for item in fetched
        ),
        environments=tuple(reports),
    )

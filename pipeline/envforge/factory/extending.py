"""`envforge extend`: a model writes further tools for an environment; the gates judge it as a new one."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envforge.agents.asking import Asker
from envforge.agents.toolsmith.toolsmith import Made, Toolsmith
from envforge.build.added.joining import joined
from envforge.core.contracts import GateContext, Progress, Tools
from envforge.core.errors import ConfigError
from envforge.core.ids import canonical_json, sha256_text
from envforge.core.records.added_tool import AddedTool, ToolsmithReport
from envforge.core.records.environment import GateResult
from envforge.factory.workbench import ToolBench
from envforge.gates.certificate import certificate_of, load_thresholds, run_gates, write_certificate
from envforge.gates.folder import Folder
from envforge.gates.integrity import family_id
from envforge.llm.connect import ModelSettings, connect
from envforge.llm.prices import PRICES_FILE, read_prices
from envforge.store.files import staged_folder, write_json, write_text
from envforge.store.hashing import environment_hash, file_hashes
from envforge.store.workspace import Workspace

REPORT = "toolsmith.json"
THRESHOLDS = "validators/gates/environment.json"


@dataclass(frozen=True)
class ExtendConfig:
    """Which environment, by whom, and what the new one is called."""

    environment: str
    model: ModelSettings
    count: int = 3
    """Tools that the model is asked for."""
    name: str = ""
    """Id of the new environment; nothing: the old one's with -more."""
    seed: int = 0


@dataclass(frozen=True)
class ExtendReport:
    """What was tried, and where the new environment lies: with a gate that failed, in the run's rejected/."""

    toolsmith: ToolsmithReport
    report: Path
    path: Path | None
    gates: tuple[GateResult, ...] = ()

    @property
    def certified(self) -> bool:
        """There are new tools, and the environment with them passed every gate."""
        return self.path is not None and all(gate.passed for gate in self.gates)


def extend(workspace: Workspace, config: ExtendConfig, progress: Progress) -> ExtendReport:
    """Ask for tools, try each alone, judge the environment with those that passed.

    A run that was stopped goes on: no answer is paid for twice. Raises ConfigError, StoreError, ModelError, BuildError.
    """
    place = workspace.environment(config.environment)
    name = config.name or f"{place.name}-more"
    if (workspace.environments / name).exists():
        raise ConfigError("is there already", where=f"environments/{name}", remedy="give another name with --as")
    run = workspace.runs / f"extend-{place.name}-{_key(place, config)}"
    thresholds = load_thresholds(workspace.data_file(THRESHOLDS))
    made, report = _made(workspace, config, place, run, thresholds, progress)
    write_json(run / REPORT, report.to_json())
    if not made.tools:
        return ExtendReport(report, run / REPORT, None)
    scratch, again = run / "scratch" / name, run / "again" / name
    write_extended(place, made.tools, scratch)
    context = GateContext(scratch, thresholds, rebuild=lambda: write_extended(place, made.tools, again))
    results = run_gates(context, progress)
    certificate = certificate_of(scratch, results)
    write_certificate(scratch, certificate)
    final = (workspace.environments if certificate.certified else run / "rejected") / name
    with staged_folder(final) as staged:
        shutil.copytree(scratch, staged, dirs_exist_ok=True)
    for folder in (scratch, again):
        shutil.rmtree(folder, ignore_errors=True)
    return ExtendReport(report, run / REPORT, final, tuple(results))


def write_extended(place: Path, added: Sequence[AddedTool], folder: Path) -> str:
    """The environment with further tools, under the folder's name; its hash. Raises BuildError, StoreError."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(place, folder, ignore=shutil.ignore_patterns("certificate.json"))
    held = Folder(place)
    tools = joined(Tools(held.knowledge.blueprint, held.module, held.tools, held.tests), added)
    write_text(folder / "tools.py", tools.module)
    write_json(folder / "tools.json", [spec.to_json() for spec in tools.specs], sort_keys=False, levels=4)
    write_text(folder / "tests" / "test_tools.py", tools.tests)
    knowledge = held.knowledge.model_copy(update={"blueprint": tools.blueprint})
    write_json(folder / "blueprint.json", knowledge.to_json(), levels=3)
    return _sealed(folder, held, tools, added)


def _sealed(folder: Path, held: Folder, tools: Tools, added: Sequence[AddedTool]) -> str:
    old = held.manifest
    verbs = dict(sorted(Counter(spec.verb for spec in tools.specs).items()))
    manifest = old.model_copy(
        update={
            "id": folder.name,
            "family": family_id(old.theme, Folder(folder)),
            "authors": {**old.authors, **{f"tools.{tool.name}": tool.author for tool in added}},
            "statistics": {**old.statistics, "tools": len(tools.specs), "verbs": verbs},
        }
    )
    files = file_hashes(folder)
    sealed = manifest.model_copy(update={"files": files, "environment_hash": environment_hash(manifest, files)})
    write_json(folder / "environment.json", sealed.to_json())
    return sealed.environment_hash


def _made(
    workspace: Workspace,
    config: ExtendConfig,
    place: Path,
    run: Path,
    thresholds: Mapping[str, Any],
    progress: Progress,
) -> tuple[Made, ToolsmithReport]:
    prices = read_prices(workspace.data_file(PRICES_FILE))
    connection = connect(config.model, run=run, prices=prices)
    with Asker(connection.model, run / "replies", native=config.model.native_schema) as asker:
        bench = ToolBench(place, run / "bench", thresholds, f"agent:{asker.identity}")
        smith = Toolsmith(asker, bench, seed=config.seed)
        made = smith.make(config.count, progress)
        spent = connection.accounts.total
        return made, ToolsmithReport(
            author=smith.identity,
            tools=made.tries,
            calls=spent.calls,
            tokens=spent.prompt_tokens + spent.completion_tokens,
        )


def _key(place: Path, config: ExtendConfig) -> str:
    asked: list[Any] = [config.model.model, config.model.provider, config.model.base_url, config.count, config.seed]
    return sha256_text(canonical_json([Folder(place).manifest.environment_hash, *asked]))[:12]

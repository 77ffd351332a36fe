"""From a filled database to a certified environment folder."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from envforge.build.author import CompiledToolAuthor
from envforge.core.contracts import Database, GateContext, Progress, Tools
from envforge.core.errors import BuildError
from envforge.core.outcome import Failed, Produced, Rejected
from envforge.core.programs import with_tool_names
from envforge.core.records.environment import (
    Clock,
    EnvironmentBlueprint,
    EnvironmentManifest,
    GateResult,
    Grounding,
)
from envforge.core.records.intent import IntentFamily
from envforge.core.records.source import Source, Theme
from envforge.core.scrub import scrub
from envforge.factory.config import EnvironmentReport, MineConfig
from envforge.factory.fates import operations_by_fate
from envforge.gates.certificate import certificate_of, run_gates, write_certificate
from envforge.gates.folder import Folder
from envforge.gates.integrity import family_id
from envforge.mine.load import id_styles, write_database
from envforge.store.files import staged_folder, write_json, write_jsonl, write_text
from envforge.store.hashing import environment_hash, file_hashes

_OPEN = "stated-open"


@dataclass(frozen=True)
class Materials:
    """What the environments of one run have in common."""

    config: MineConfig
    theme: Theme
    sources: tuple[Source, ...]
    thresholds: Mapping[str, Any]
    run: Path
    stated_operations: int
    author: str = "compiled"
    """Who mined it."""
    research: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Figures of an agent's research."""


def environment_id(slug: str, database_seed: int) -> str:
    """<slug> for seed 0, <slug>--s<seed> for the others (DESIGN, family and database seed)."""
    return slug if database_seed == 0 else f"{slug}--s{database_seed}"


def assemble(
    materials: Materials, database: Database, database_seed: int, rebuild: Callable[[], str] | None, progress: Progress
) -> EnvironmentReport:
    """Write, judge and place one environment.

    A certified one goes to environments/; one that fails a gate goes to the run's rejected/ folder, with its
    certificate saying why; what was in environments/ before stays.
    """
    slug = environment_id(materials.theme.slug, database_seed)
    config = materials.config
    scratch = materials.run / "scratch" / slug
    shutil.rmtree(scratch, ignore_errors=True)
    write_environment(materials, database, database_seed, scratch)
    certified = False
    results: tuple[GateResult, ...] = ()
    if config.until == "certified":
        results = tuple(run_gates(GateContext(scratch, materials.thresholds, rebuild=rebuild), progress))
        certificate = certificate_of(scratch, list(results))
        write_certificate(scratch, certificate)
        certified = certificate.certified
    final = _final(materials, slug, certified)
    with staged_folder(final) as staged:
        shutil.copytree(scratch, staged, dirs_exist_ok=True)
    shutil.rmtree(scratch, ignore_errors=True)
    return _report(final, database, certified, results)


def _final(materials: Materials, slug: str, certified: bool) -> Path:
    if certified:
        return materials.config.workspace / "environments" / slug
    kind = "rejected" if materials.config.until == "certified" else "draft"
    return materials.run / kind / slug


def write_environment(materials: Materials, database: Database, database_seed: int, folder: Path) -> str:
    """Write all files of an environment but the certificate; its environment_hash."""
    config = materials.config
    manifest = _manifest(materials, database, database_seed)
    write_database(database, folder, manifest, materials.sources)
    if config.until == "database":
        return ""
    tools = _tools(database, folder, config.max_tools)
    write_text(folder / "tools.py", tools.module)
    # Parameters keep the order of the signature: agents and people read them in it.
    write_json(folder / "tools.json", [spec.to_json() for spec in tools.specs], sort_keys=False, levels=4)
    write_text(folder / "tests" / "test_tools.py", tools.tests)
    rejected = [*({"operation": r.id, **r.to_json()} for r in database.domain.rejected), *tools.rejected]
    write_jsonl(folder / "rejected.jsonl", rejected)
    knowledge = EnvironmentBlueprint(
        blueprint=tools.blueprint,
        lifecycles=database.lifecycles,
        plants=database.plants,
        intents=tuple(_with_tools(family, tools) for family in database.intents),
    )
    # An operation and a part of a goal stand on a line each: they are many, and deep.
    write_json(folder / "blueprint.json", knowledge.to_json(), levels=3)
    shipped = [spec.name for spec in tools.specs]
    operations = operations_by_fate(materials.stated_operations, database.domain, tools.rejected, shipped)
    return _seal(folder, manifest, materials.theme.slug, tools, operations)


def _with_tools(family: IntentFamily, tools: Tools) -> IntentFamily:
    """A goal whose programs call the tools by their names in this environment."""
    alternatives = tuple(with_tool_names(body, tools.specs) for body in family.alternatives)
    return family.model_copy(update={"gold": with_tool_names(family.gold, tools.specs), "alternatives": alternatives})


def _tools(database: Database, folder: Path, max_tools: int | None) -> Tools:
    outcome = CompiledToolAuthor().write(database, folder, max_tools=max_tools)
    if isinstance(outcome, Produced):
        return outcome.value
    if isinstance(outcome, Rejected):
        raise BuildError(outcome.reason, where=database.domain.theme, remedy=_evidence(outcome.evidence))
    raise _as_error(outcome)


def _as_error(failed: Failed) -> BuildError:
    return BuildError(failed.error, where=failed.where, remedy=failed.remedy, retryable=failed.retryable)


def _evidence(evidence: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}: {value}" for key, value in sorted(evidence.items()))[:400]


def _seal(folder: Path, manifest: EnvironmentManifest, slug: str, tools: Tools, operations: Mapping[str, int]) -> str:
    statistics = {
        **manifest.statistics,
        "operations": dict(operations),
        "tools": len(tools.specs),
        "verbs": dict(sorted(Counter(spec.verb for spec in tools.specs).items())),
    }
    manifest = manifest.model_copy(update={"family": family_id(slug, Folder(folder)), "statistics": statistics})
    files = file_hashes(folder)
    sealed = manifest.model_copy(update={"files": files, "environment_hash": environment_hash(manifest, files)})
    write_json(folder / "environment.json", sealed.to_json())
    return sealed.environment_hash


def _manifest(materials: Materials, database: Database, database_seed: int) -> EnvironmentManifest:
    theme, config = materials.theme, materials.config
    kinds = row_kinds(database)
    return EnvironmentManifest(
        id=environment_id(theme.slug, database_seed),
        theme=theme.slug,
        family=f"{theme.slug}-draft",
        database_seed=database_seed,
        title=theme.title,
        summary=theme.summary,
        taxonomy=theme.taxonomy,
        licence=_licence(materials.sources),
        facts_only=config.facts_only,
        sources=tuple(sorted(source.id for source in materials.sources)),
        clock=Clock(epoch=database.clock),
        ids=id_styles(database.domain, database.rows),
        archetypes=database.domain.archetypes,
        trade=database.domain.trade,
        authors={"mine": materials.author, "tools": "compiled", "tests": "compiled"},
        grounding=grounding_of(kinds),
        statistics={
            "tables": len(database.domain.tables),
            "rows": {table.name: len(database.rows.get(table.name, ())) for table in database.domain.tables},
            "row_kinds": kinds,
            "changelog": database.changelog,
            # What made it other than its sources and the defaults do: who mines it again asks for the same.
            **_asked(config),
            **({"max_tools": config.max_tools} if config.max_tools is not None else {}),
            **({"keep": list(config.keep)} if config.keep else {}),
            **({"set": list(config.constants)} if config.constants else {}),
            **({"documents": len(database.documents)} if config.documents else {}),
            **({"research": dict(materials.research)} if materials.research else {}),
            **({"linked": [side.theme for side in database.sides]} if database.sides else {}),
        },
    )


def _asked(config: MineConfig) -> dict[str, Any]:
    """Options that are not the usual ones. A file is told by its name: where it lay is nobody else's business."""
    usual = MineConfig(theme=config.theme, workspace=config.workspace)
    named = [_without_place(spec) for spec in config.sources]
    numbers = ("rounds", "max_tables", "seed")
    return {
        **{name: getattr(config, name) for name in numbers if getattr(config, name) != getattr(usual, name)},
        **({"new": True} if config.new else {}),
        **({"source": named} if named else {}),
    }


def _without_place(spec: str) -> str:
    kind, _, path = spec.partition(":")
    return f"file:{Path(path).name}" if kind == "file" and Path(path).is_absolute() else scrub(spec)


def row_kinds(database: Database) -> dict[str, int]:
    """Rows by provenance kind: mined, derived, synthetic."""
    kinds = Counter[str]({"mined": 0, "derived": 0, "synthetic": 0})
    for entry in database.provenance:
        kinds[entry.kind] += entry.count
    return dict(sorted(kinds.items()))


def grounding_of(kinds: Mapping[str, int]) -> Grounding:
    """mined: ≥ 50 % of rows mined or derived; mixed: 10–50 %; spec: below (DESIGN, grounding)."""
    total = sum(kinds.values())
    share = (kinds.get("mined", 0) + kinds.get("derived", 0)) / total if total else 0.0
    if share >= 0.5:
        return "mined"
    return "mixed" if share >= 0.1 else "spec"


def _licence(sources: Sequence[Source]) -> str:
    stated = {source.licence.spdx or "unstated" for source in sources}
    if any(source.licence.status != _OPEN for source in sources):
        return "mixed"
    return " AND ".join(sorted(stated)) if stated else "unstated"


def _report(folder: Path, database: Database, certified: bool, results: tuple[GateResult, ...]) -> EnvironmentReport:
    view = Folder(folder)
    statistics = view.manifest.statistics
    tools = tuple(tool.name for tool in view.tools) if (folder / "tools.json").is_file() else ()
    return EnvironmentReport(
        id=view.manifest.id,
        path=folder,
        certified=certified,
        environment_hash=view.manifest.environment_hash,
        rows=statistics.get("rows", {}),
        kinds=statistics.get("row_kinds", {}),
        tools=tools,
        grounding=view.manifest.grounding,
        gates=results,
        operations=statistics.get("operations", {}),
        archetypes=database.domain.archetypes,
        trade=database.domain.trade,
        notes=database.domain.notes,
    )

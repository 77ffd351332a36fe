"""An environment folder, opened: manifest, tools and the template of its database."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from envforge.core.errors import StoreError
from envforge.core.records.environment import EnvironmentManifest, ToolSpec
from envforge.store.files import parse_json
from envforge.store.hashing import refuse_links
from envforge.world.arguments import ArgumentCheck
from envforge.world.engine import chosen_engine, new_engine
from envforge.world.engine.contract import StateEngine
from envforge.world.live import TIME_FORMAT, WorldPlan
from envforge.world.sandbox.limits import Limits
from envforge.world.session import Session
from envforge.world.shared import SharedWorkers
from envforge.world.template import Template, template_of
from envforge.world.workers import OwnWorker

RESERVED_NAMES = frozenset(
    {
        "aggregate_metrics",
        "close",
        "close_session",
        "done",
        "get_reward",
        "mcp",
        "reset",
        "seed_session",
        "state",
        "step",
        "verify",
    }
)
LONGEST_MODULE = 2_000_000
"""Characters of tools.py."""
_REMEDY = "the file is written by envforge; build the environment again or restore it"


@dataclass(frozen=True)
class Environment:
    """An opened environment. `Environment.open(folder)`; `start` gives a live instance."""

    folder: Path
    manifest: EnvironmentManifest
    tools: tuple[ToolSpec, ...]
    source: str
    template: Template

    @classmethod
    def open(cls, folder: Path | str) -> Environment:
        """Read a folder. Raises StoreError naming file, field and remedy."""
        folder = Path(folder)
        if not (folder / "environment.json").is_file():
            remedy = "give the folder of an environment, as `envforge mine` writes it"
            raise StoreError("is no environment: environment.json is missing", where=str(folder), remedy=remedy)
        refuse_links(folder)
        manifest = _manifest(folder / "environment.json")
        tools = _tools(folder / "tools.json")
        source = _text(folder / "tools.py")
        if len(source) > LONGEST_MODULE:
            remedy = "split the environment: a worker compiles the whole module"
            raise StoreError(
                f"is longer than {LONGEST_MODULE:,} characters", where=str(folder / "tools.py"), remedy=remedy
            )
        return cls(folder, manifest, tools, source, template_of(folder))

    @cached_property
    def plan(self) -> WorldPlan:
        """What a World needs beside the rows."""
        return world_plan(self.manifest, self.template, self.folder / "environment.json")

    @cached_property
    def reader(self) -> StateEngine:
        """The host's own instance in the initial state; nobody writes to it."""
        return self.fresh_engine(read_only=True)

    def fresh_engine(self, *, read_only: bool = False) -> StateEngine:
        """An instance in the initial state, in this process. `read_only`: its SQL may not change rows."""
        return new_engine(self.template.data, read_only=read_only, engine=self.plan.engine)

    @cached_property
    def checks(self) -> dict[str, ArgumentCheck]:
        """The argument check of every tool."""
        where = str(self.folder / "tools.json")
        return {tool.name: ArgumentCheck(tool, where=where) for tool in self.tools}

    def start(
        self, seed: int = 0, limits: Limits | None = None, backend: str | None = None, *, apart: bool = False
    ) -> Session:
        """A live instance in a process of its own. `seed` is the episode's: ids, never the initial rows.

        `backend`: the sandbox to use instead of the best that this machine has (sandbox/backends.py).
        `apart`: a process with a memory layout of its own, some 70 ms slower; proofs of determinism need it.
        Raises SandboxError when no worker starts, ToolFault when tools.py does not load.
        """
        return Session.open(self, OwnWorker(self, limits or Limits(), backend, apart=apart), seed=seed)

    def share(self, workers: int = 1, limits: Limits | None = None, backend: str | None = None) -> SharedWorkers:
        """Worker processes that hold many instances each, for training. Raises as `start`.

        Raises ToolFault too when tools.py keeps state between calls, or nothing proves that it does not (admission.py).
        """
        return SharedWorkers(self, workers, limits, backend)


def world_plan(manifest: EnvironmentManifest, template: Template, where: Path) -> WorldPlan:
    """Tables, id styles and clock. Raises StoreError."""
    try:
        datetime.datetime.strptime(manifest.clock.epoch, TIME_FORMAT)
    except ValueError as error:
        message = f"clock.epoch is {manifest.clock.epoch!r}, not like 2013-01-15T12:00:00Z"
        raise StoreError(message, where=str(where), remedy=_REMEDY) from error
    strays = sorted(set(manifest.ids) - set(template.tables))
    if strays:
        raise StoreError(f"ids: schema.sql has no table {strays[0]!r}", where=str(where), remedy=_REMEDY)
    ids = {table: style.model_dump(mode="json") for table, style in sorted(manifest.ids.items())}
    return WorldPlan(template.tables, ids, manifest.clock.epoch, manifest.clock.step_seconds, chosen_engine())


def _manifest(path: Path) -> EnvironmentManifest:
    try:
        return EnvironmentManifest.model_validate(_json(path))
    except ValidationError as error:
        raise StoreError(_first(error), where=str(path), remedy=_REMEDY) from error


def _tools(path: Path) -> tuple[ToolSpec, ...]:
    entries = _json(path)
    if not isinstance(entries, list):
        raise StoreError("is not a list of tools", where=str(path), remedy=_REMEDY)
    tools: list[ToolSpec] = []
    seen: set[str] = set()
    for number, entry in enumerate(cast("list[Any]", entries)):
        try:
            tool = ToolSpec.model_validate(entry)
        except ValidationError as error:
            raise StoreError(f"[{number}].{_first(error)}", where=str(path), remedy=_REMEDY) from error
        if tool.name in RESERVED_NAMES:
            remedy = "rename the tool: serving and training frameworks use that name"
            raise StoreError(f"[{number}].name: {tool.name!r} is reserved", where=str(path), remedy=remedy)
        if tool.name in seen:
            raise StoreError(f"[{number}].name: {tool.name!r} is there twice", where=str(path), remedy=_REMEDY)
        seen.add(tool.name)
        tools.append(tool)
    return tuple(tools)


def _first(error: ValidationError) -> str:
    """Field and message of the first thing wrong."""
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"]) or "(whole file)"
    return f"{field}: {first['msg']}"


def _json(path: Path) -> Any:
    try:
        return parse_json(_text(path))
    except ValueError as error:
        raise StoreError(f"is not JSON: {error}", where=str(path), remedy=_REMEDY) from error


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise StoreError("is missing", where=str(path), remedy=_REMEDY) from error
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"cannot be read: {error}", where=str(path), remedy=_REMEDY) from error

"""Where an environment's families of goals come from: its archetype, walks over its tools, and the program grammar."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import ValidationError

from envforge.core.errors import StoreError
from envforge.core.ids import canonical_json
from envforge.core.records.environment import EnvironmentBlueprint
from envforge.core.records.graph import ToolGraph
from envforge.core.records.intent import IntentFamily
from envforge.store.files import read_json, write_json
from envforge.synth.candidates import Source
from envforge.synth.landscape import survey
from envforge.synth.programs.families import program_families
from envforge.synth.walk_families import walked_families
from envforge.world.environment import Environment


@dataclass(frozen=True)
class Goals:
    """Every family with its source, and the graph over which the walks went (None: nobody walked)."""

    families: tuple[tuple[IntentFamily, Source], ...]
    graph: ToolGraph | None = None


def goals_of(environment: Environment, seed: int, *, walk: bool = True, kept: Path | None = None) -> Goals:
    """The goals of an environment; the same seed gives the same.

    `walk`: also those of walks and of the program grammar. `kept`: a file of the run that remembers what these found,
    and how often walks left goals out, by reason. Raises StoreError, SandboxError.
    """
    knowledge = knowledge_of(environment)
    declared: list[tuple[IntentFamily, Source]] = [(family, "archetype") for family in knowledge.intents]
    if not walk:
        return Goals(tuple(declared))
    graph, walked, composed = _remembered(kept) or _surveyed(environment, knowledge, seed, kept)
    known = {family.id for family, _ in declared}
    new: list[tuple[IntentFamily, Source]] = [(family, "walk") for family in walked if family.id not in known]
    made: list[tuple[IntentFamily, Source]] = [(family, "grammar") for family in composed if family.id not in known]
    return Goals((*declared, *new, *made), graph)


def knowledge_of(environment: Environment) -> EnvironmentBlueprint:
    """What stands in blueprint.json. Raises StoreError."""
    path = environment.folder / "blueprint.json"
    try:
        return EnvironmentBlueprint.model_validate(read_json(path))
    except ValidationError as error:
        remedy = f"envforge check {environment.manifest.id} says what is wrong"
        raise StoreError("is no blueprint", where=str(path), remedy=remedy) from error


_Found: TypeAlias = tuple[ToolGraph, tuple[IntentFamily, ...], tuple[IntentFamily, ...]]
"""The graph, goals of walks, goals of programs."""


def _surveyed(environment: Environment, knowledge: EnvironmentBlueprint, seed: int, kept: Path | None) -> _Found:
    landscape = survey(environment, knowledge, seed)
    walked = walked_families(landscape, seed)
    composed = program_families(landscape, seed)
    # As they will be read again: fields in another order would be another task.
    named = {"families": [one.to_json() for one in walked.families], "programs": [one.to_json() for one in composed]}
    written = json.loads(canonical_json({"graph": walked.graph.to_json(), **named, "left_out": walked.left_out}))
    if kept is not None:
        write_json(kept, written)
    return _read(written)


def _read(value: Any) -> _Found:
    walked, composed = (
        tuple(IntentFamily.model_validate(one) for one in value[name]) for name in ("families", "programs")
    )
    return ToolGraph.model_validate(value["graph"]), walked, composed


def _remembered(kept: Path | None) -> _Found | None:
    """What an earlier run found; a file that cannot be read is as one that was never written."""
    if kept is None or not kept.is_file():
        return None
    try:
        return _read(read_json(kept))
    except (StoreError, ValidationError, KeyError, TypeError):
        return None

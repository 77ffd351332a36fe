"""Families with source "walk": from a survey of an environment to goals that need its tools' data-flow."""

from __future__ import annotations

from collections.abc import Iterator

from envforge.core.records.environment import EnvironmentBlueprint
from envforge.core.records.graph import ToolGraph
from envforge.core.records.intent import IntentFamily
from envforge.synth.chain_deeds import DeedGoals
from envforge.synth.chain_gold import BlindError
from envforge.synth.chain_many import ManyGoals
from envforge.synth.chain_owner import UnsayableError
from envforge.synth.chain_row_deeds import RowDeedGoals, TieGoals
from envforge.synth.chain_single import SingleGoals
from envforge.synth.chains import Chain, chains_of, named_chains
from envforge.synth.entities import Entities
from envforge.synth.graph import tool_graph
from envforge.synth.landscape import Landscape, survey
from envforge.synth.walks import walks
from envforge.world.environment import Environment

WALKS = 500
MOST_SPOKEN = 2
"""Relations that one sentence carries: "the lead of the project that the task belongs to" has two."""


def families_of(landscape: Landscape, chain: Chain) -> Iterator[IntentFamily]:
    """Every goal that fits the chain; none where words or records lack what it needs."""
    if chain.spoken > MOST_SPOKEN:
        return
    try:
        kinds = (ManyGoals,) if chain.fan() else (SingleGoals, DeedGoals, RowDeedGoals)
        makers = [make for goals in kinds for make in goals(landscape, chain).makers()]
    except UnsayableError:  # people have no words for where it starts
        return
    for make in makers:
        try:
            yield make()
        except (UnsayableError, BlindError):
            continue


def tie_families(landscape: Landscape, entities: Entities) -> Iterator[IntentFamily]:
    """Goals that add one row to another or take it away."""
    named = {chain.start.table.name: chain for chain in named_chains(landscape, entities)}
    for deed in landscape.deeds:
        part, whole = (named.get(landscape.keys.kinds[kind][0]) for kind in (deed.kind, deed.other or deed.kind))
        if deed.what in ("tie", "untie") and part is not None and whole is not None:
            try:
                yield TieGoals(landscape, part, whole, deed).family()
            except (UnsayableError, BlindError):
                continue


def graph_and_families(
    environment: Environment, knowledge: EnvironmentBlueprint, seed: int = 0, count: int = WALKS
) -> tuple[ToolGraph, tuple[IntentFamily, ...]]:
    """The tool graph, and the goals that `count` walks over it propose. Deterministic; raises SandboxError."""
    return walked_families(survey(environment, knowledge, seed), seed, count)


def walked_families(
    landscape: Landscape, seed: int = 0, count: int = WALKS
) -> tuple[ToolGraph, tuple[IntentFamily, ...]]:
    """The same over a landscape that was surveyed before."""
    graph = tool_graph(landscape, seed)
    entities = Entities(landscape)
    found: dict[str, IntentFamily] = {}
    for chain in chains_of(landscape, entities, tuple(walks(landscape, graph, seed, count))):
        found.update({family.id: family for family in families_of(landscape, chain)})
    found.update({family.id: family for family in tie_families(landscape, entities)})
    return graph, tuple(found.values())

"""Families with source "walk": from a survey of an environment to goals that need its tools' data-flow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

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
from envforge.synth.deeds import Deed
from envforge.synth.entities import Entities
from envforge.synth.graph import tool_graph
from envforge.synth.landscape import Landscape, survey
from envforge.synth.walks import walks
from envforge.world.environment import Environment

WALKS = 500
MOST_SPOKEN = 2
"""Relations that one sentence carries: "the lead of the project that the task belongs to" has two."""


class Walked(NamedTuple):
    """What walks over an environment's tools give."""

    graph: ToolGraph
    families: tuple[IntentFamily, ...]
    left_out: Mapping[str, int]
    """Why a goal was left out -> how often: nobody would say it so, or a record does not show what it needs."""


def families_of(landscape: Landscape, chain: Chain, left_out: Counter[str]) -> Iterator[IntentFamily]:
    """Every goal that fits the chain; what words or records lack is counted in `left_out`."""
    if chain.spoken > MOST_SPOKEN:
        left_out[f"more than {MOST_SPOKEN} relations in one sentence"] += 1
        return
    try:
        kinds = (ManyGoals,) if chain.fan() else (SingleGoals, DeedGoals, RowDeedGoals)
        makers = [make for goals in kinds for make in goals(landscape, chain).makers()]
    except UnsayableError as error:  # people have no words for where it starts
        left_out[str(error)] += 1
        return
    for make in makers:
        yield from _made(make, left_out)


def tie_families(landscape: Landscape, entities: Entities, left_out: Counter[str]) -> Iterator[IntentFamily]:
    """Goals that add one row to another or take it away; what words or records lack is counted in `left_out`."""
    named = {chain.start.table.name: chain for chain in named_chains(landscape, entities)}
    for deed in landscape.deeds:
        part, whole = (named.get(landscape.keys.kinds[kind][0]) for kind in (deed.kind, deed.other or deed.kind))
        if deed.what in ("tie", "untie") and part is not None and whole is not None:
            make = partial(_tied, landscape, part, whole, deed)
            yield from _made(make, left_out)


def _tied(landscape: Landscape, part: Chain, whole: Chain, deed: Deed) -> IntentFamily:
    return TieGoals(landscape, part, whole, deed).family()


def _made(make: Callable[[], IntentFamily], left_out: Counter[str]) -> Iterator[IntentFamily]:
    try:
        yield make()
    except (UnsayableError, BlindError) as error:
        left_out[str(error)] += 1


def graph_and_families(
    environment: Environment, knowledge: EnvironmentBlueprint, seed: int = 0, count: int = WALKS
) -> Walked:
    """The tool graph, and the goals that `count` walks over it propose. Deterministic; raises SandboxError."""
    return walked_families(survey(environment, knowledge, seed), seed, count)


def walked_families(landscape: Landscape, seed: int = 0, count: int = WALKS) -> Walked:
    """The same over a landscape that was surveyed before."""
    graph = tool_graph(landscape, seed)
    entities = Entities(landscape)
    found: dict[str, IntentFamily] = {}
    left_out: Counter[str] = Counter()
    for chain in chains_of(landscape, entities, tuple(walks(landscape, graph, seed, count))):
        found.update({family.id: family for family in families_of(landscape, chain, left_out)})
    found.update({family.id: family for family in tie_families(landscape, entities, left_out)})
    return Walked(graph, tuple(found.values()), dict(sorted(left_out.items())))

"""All that is learned of an environment's tools before goals are made of them, once per environment and seed."""

from __future__ import annotations

from dataclasses import dataclass

from envforge.core.records.environment import EnvironmentBlueprint
from envforge.synth.bags import Bag, bags_of
from envforge.synth.deeds import Deed, Deeds
from envforge.synth.keys import Keys
from envforge.synth.probes import Probe, run_probes
from envforge.synth.reaches import Finder, Reach, Reaches
from envforge.synth.row_deeds import RowDeeds
from envforge.synth.sights import Sight, Sights
from envforge.world.environment import Environment


@dataclass(frozen=True)
class Landscape:
    """Executed probes, and the sights, reaches, finders and deeds that they show."""

    environment: Environment
    knowledge: EnvironmentBlueprint
    keys: Keys
    bags: tuple[Bag, ...]
    probes: tuple[Probe, ...]
    sights: tuple[Sight, ...]
    reaches: tuple[Reach, ...]
    finders: tuple[Finder, ...]
    deeds: tuple[Deed, ...] = ()


def survey(environment: Environment, knowledge: EnvironmentBlueprint, seed: int = 0) -> Landscape:
    """Probe every tool in a World. The same seed gives the same landscape. Raises SandboxError."""
    keys = Keys(environment, knowledge)
    probes = run_probes(environment, knowledge, keys, seed)
    sights = Sights(keys, knowledge).learn(probes)
    with environment.start(0) as session:
        learner = Reaches(keys, sights, session, seed)
        reaches, finders = learner.reaches(), learner.finders()
        bags = bags_of(keys, knowledge)
        deeds = (
            *Deeds(keys, knowledge, bags, session, seed).learn(),
            *RowDeeds(keys, knowledge, session, seed).learn(),
        )
    return Landscape(environment, knowledge, keys, bags, probes, sights, reaches, finders, deeds)

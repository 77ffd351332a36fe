"""Where an environment's families of goals come from."""

from __future__ import annotations

from envforge.core.records.environment import EnvironmentBlueprint
from envforge.core.records.intent import IntentFamily
from envforge.synth.candidates import Source
from envforge.world.environment import Environment


def families_of(environment: Environment, knowledge: EnvironmentBlueprint) -> list[tuple[IntentFamily, Source]]:
    """Every family with its source: those that the archetype declared, bound to this environment's tools.

    The same environment gives the same families.
    """
    del environment
    return [(family, "archetype") for family in knowledge.intents]

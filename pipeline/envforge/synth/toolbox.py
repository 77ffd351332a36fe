"""The tools that the task gates are handed: mutants and alternatives of this room, with their thresholds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from envforge.gates.gate import number
from envforge.gates.task_case import Said, TaskToolbox
from envforge.gates.task_solving import FILE, MutantsFail
from envforge.synth.alternatives import alternatives
from envforge.synth.mutants import mutants
from envforge.synth.semantics import Semantics
from envforge.world.environment import Environment


def toolbox_of(
    environment: Environment,
    thresholds: Mapping[str, Any],
    *,
    coverage: Said,
    duplicates: Said,
    overlap: Said,
    seed: int = 0,
) -> TaskToolbox:
    """Mutants and alternatives as validators/gates/tasks.json wants them. Raises ConfigError naming a field."""
    semantics = Semantics(environment)
    most = int(number(thresholds, MutantsFail.name, "most", FILE))
    most_calls = int(number(thresholds, MutantsFail.name, "most_calls", FILE))
    return TaskToolbox(
        mutants=partial(mutants, semantics, most=most, most_calls=most_calls, seed=seed),
        alternatives=partial(alternatives, semantics),
        coverage=coverage,
        duplicates=duplicates,
        overlap=overlap,
    )

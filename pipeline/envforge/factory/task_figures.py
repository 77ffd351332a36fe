"""Figures of a set of tasks, and the gates on it as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import median
from typing import Any, cast

from envforge.core.errors import ConfigError
from envforge.core.records.environment import GateResult
from envforge.core.records.task import Task
from envforge.gates.task_solving import FILE
from envforge.synth.wording import variety

HARD = 3
"""Levels from this one on are the long-horizon ones."""


def figures_of(tasks: Sequence[Task]) -> dict[str, Any]:
    """Kinds, levels, families, calls and tools of a set, what simple agents reach on it."""
    if not tasks:
        return {}
    calls = [task.difficulty.minimal_calls for task in tasks]
    hard = [task.difficulty.minimal_calls for task in tasks if task.difficulty.level >= HARD]
    used = Counter(call.tool for task in tasks for call in task.gold)
    families = Counter(task.intent.family for task in tasks)
    tool, most = max(used.items(), key=lambda entry: (entry[1], entry[0]), default=("", 0))
    return {
        "tasks": len(tasks),
        "kinds": _counted(task.kind for task in tasks),
        "goals": _counted(task.intent.kind for task in tasks),
        "registers": _counted(task.register_of_speech for task in tasks),
        "levels": _counted(str(task.difficulty.level) for task in tasks),
        "families": dict(sorted(families.items())),
        "largest_family_share": round(max(families.values()) / len(tasks), 3),
        "minimal_calls": {"median": median(calls), "most": max(calls)},
        "hard": {"tasks": len(hard), **_lengths(hard)},
        "tools": len(used),
        "largest_tool_share": {"tool": tool, "share": round(most / max(1, sum(used.values())), 3)},
        "baselines": _baselines(tasks),
    }


def _lengths(calls: Sequence[int]) -> dict[str, Any]:
    """Of levels 3 to 5: the median of minimal calls, shares of long tasks."""
    if not calls:
        return {}
    long, longest = sum(n >= 15 for n in calls), sum(n > 40 for n in calls)
    return {
        "median": median(calls),
        "at_least_15": round(long / len(calls), 3),
        "over_40": round(longest / len(calls), 3),
    }


def _baselines(tasks: Sequence[Task]) -> dict[str, float]:
    """Agent -> mean pass@1."""
    rates: dict[str, list[float]] = {}
    for task in tasks:
        for agent, found in task.certificate.baselines.items():
            rates.setdefault(agent, []).append(found.get("pass@1", 0.0))
    return {agent: round(sum(found) / len(found), 3) for agent, found in sorted(rates.items())}


def _counted(values: Any) -> dict[str, int]:
    return dict(sorted(Counter[str](values).items()))


def variety_gate(tasks: Sequence[Task], templates: Sequence[str], thresholds: Mapping[str, Any]) -> GateResult:
    """The texts of a set differ enough. Raises ConfigError for a threshold that is missing.

    One text of a template is no share of it: in a set of n, the limit is at least 1/n.
    """
    limits = _limits(thresholds)
    if tasks:
        limits["template_share"] = max(limits["template_share"], 1 / len(tasks))
    texts, families = [task.instruction for task in tasks], [task.intent.family for task in tasks]
    measured = variety.measure(texts, families, templates, similar=limits["similar"])
    reasons = variety.problems(measured, limits)
    figures = {name: round(value, 4) for name, value in asdict(measured).items()}
    return GateResult(gate="variety", passed=not reasons, reasons=tuple(reasons), measured=figures, threshold=limits)


def _limits(thresholds: Mapping[str, Any]) -> dict[str, float]:
    names = ("distinct_2", "self_bleu_4", "in_family_self_bleu_4", "template_share", "similar")
    table: Any = thresholds.get("variety")
    held = cast("dict[str, Any]", table) if isinstance(table, dict) else {}
    for name in names:
        value = held.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            remedy = "restore the shipped file or give the number"
            raise ConfigError(f"field variety.{name} must be a number, found {value!r}", where=FILE, remedy=remedy)
    return {name: held[name] for name in names}

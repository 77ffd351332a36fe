"""Figures of a set that several parts of the card tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from envforge.core.records.environment import GateResult, Grounding
from envforge.core.records.task import Task
from envforge.publish.published import Published, PublishedEnvironment

ORIGINS = ("mined", "derived", "synthetic")
GROUNDINGS: tuple[Grounding, ...] = ("mined", "mixed", "spec")


@dataclass(frozen=True)
class Facts:
    """Of one environment."""

    one: PublishedEnvironment

    @property
    def id(self) -> str:
        """Its id."""
        return self.one.id

    @property
    def tasks(self) -> tuple[Task, ...]:
        """Its tasks; none where none were made."""
        return self.one.tasks.tasks if self.one.tasks is not None else ()

    @cached_property
    def origins(self) -> Mapping[str, int]:
        """Rows by where they come from, as provenance counts them."""
        counts = Counter[str]()
        for entry in self.one.provenance:
            counts[entry.kind] += entry.count
        return {origin: counts[origin] for origin in ORIGINS}

    @property
    def rows(self) -> int:
        """Rows of all tables."""
        return sum(self.origins.values())

    @property
    def tables(self) -> int:
        """Tables with a row at least, as provenance names them."""
        return len({entry.table for entry in self.one.provenance})

    @cached_property
    def gates(self) -> Mapping[str, GateResult]:
        """Gate → verdict on the environment."""
        return {gate.gate: gate for gate in self.one.certificate.gates}

    def measured(self, gate: str) -> Mapping[str, Any]:
        """What a gate measured; nothing where it did not judge."""
        return self.gates[gate].measured if gate in self.gates else {}

    @cached_property
    def levels(self) -> Mapping[int, int]:
        """Level of difficulty → tasks."""
        counts = Counter(task.difficulty.level for task in self.tasks)
        return {level: counts[level] for level in range(1, 6)}

    def summed(self, gate: str, field: str) -> int:
        """What a gate of tasks counted, over all tasks: a number, or the numbers of a list by name."""
        results = (result for task in self.tasks for result in task.certificate.gates if result.gate == gate)
        return sum(_number(result.measured.get(field, 0)) for result in results)

    def baseline(self, agent: str) -> float | None:
        """Mean pass@1 of an agent over the tasks, from their certificates; None where it did not play all of them."""
        rates = [task.certificate.baselines.get(agent, {}).get("pass@1") for task in self.tasks]
        known = [rate for rate in rates if rate is not None]
        return sum(known) / len(known) if known and len(known) == len(rates) else None

    @property
    def baseline_agents(self) -> list[str]:
        """Agents of the certificates, in one order."""
        return sorted({agent for task in self.tasks for agent in task.certificate.baselines})


def _number(measured: Any) -> int:
    if isinstance(measured, dict):
        return sum(_number(value) for value in cast("dict[str, Any]", measured).values())
    return int(measured)


def facts_of(published: Published) -> list[Facts]:
    """Of each environment, in the order of the set."""
    return [Facts(one) for one in published.environments]

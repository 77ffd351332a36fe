"""Steps of an operation, whatever they stand in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from envforge.core.records.blueprint import Each, Step, When


def all_steps(steps: Sequence[Step]) -> Iterator[Step]:
    """Every step, those of loops and branches included."""
    for step in steps:
        yield step
        yield from all_steps(_inside(step))


def _inside(step: Step) -> tuple[Step, ...]:
    """The steps that stand in this one."""
    if isinstance(step, Each):
        return tuple(step.steps)
    return (*step.then, *step.otherwise) if isinstance(step, When) else ()

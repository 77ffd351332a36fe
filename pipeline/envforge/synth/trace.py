"""From an executed solution to a data-flow: each argument and answer as a reference to the call that showed it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from envforge.core.data_flow import ResultReference
from envforge.core.records.environment import ToolSpec
from envforge.core.records.task import GoldCall
from envforge.gates.atoms import Path, atoms, is_telling, same_atom, shape
from envforge.gates.solutions import Step


def gold_calls(tools: Sequence[ToolSpec], steps: Sequence[Step], said: Any) -> tuple[GoldCall, ...]:
    """The calls, their arguments as "$3.items[0].id" wherever an earlier result had the value.

    What was said stays as it is, and so does what says nothing of where it is from (true, null, small numbers), unless
    the parameter takes keys. Of several places the latest call's is taken, and there one of the type that is wanted.
    """
    specs = {tool.name: tool for tool in tools}
    flow = _Flow(specs, said)
    calls: list[GoldCall] = []
    for step in steps:
        consumes = specs[step.tool].consumes if step.tool in specs else {}
        arguments = {name: flow.traced(value, consumes.get(name, "")) for name, value in step.arguments.items()}
        calls.append(GoldCall(tool=step.tool, arguments=arguments, writes=step.writes))
        flow.see(step)
    return tuple(calls)


def gold_answer(tools: Sequence[ToolSpec], steps: Sequence[Step], said: Any, answer: Any) -> Mapping[str, Any] | None:
    """The answer in references; None when a value of it stands in no result: it was worked out."""
    flow = _Flow({tool.name: tool for tool in tools}, said)
    for step in steps:
        flow.see(step)
    if not isinstance(answer, Mapping):
        return None
    told = cast("Mapping[str, Any]", answer)
    referred = {name: flow.found(value) for name, value in told.items()}
    return None if any(value is _NOWHERE for _, value in atoms(referred)) else referred


class _Nowhere:
    """Stands for a value that no result had."""


_NOWHERE = _Nowhere()


class _Flow:
    """Results so far, and where their values stand."""

    def __init__(self, specs: Mapping[str, ToolSpec], said: Any) -> None:
        self._specs = specs
        self._said = [value for _, value in atoms(said)]
        self._results: list[tuple[Mapping[str, str], list[tuple[Path, Any]]]] = []

    def see(self, step: Step) -> None:
        """The next call was made; what failed showed nothing that can be referred to."""
        produces = self._specs[step.tool].produces if step.tool in self._specs else {}
        self._results.append((produces, list(atoms(step.seen.result or {}))))

    def traced(self, value: Any, kind: str) -> Any:
        """An argument with references in it."""
        if isinstance(value, Mapping):
            return {name: self.traced(item, "") for name, item in cast("Mapping[str, Any]", value).items()}
        if isinstance(value, list):
            return [self.traced(item, kind) for item in cast("list[Any]", value)]
        if any(same_atom(value, said) for said in self._said) or not (kind or is_telling(value)):
            return value
        reference = self._reference(value, kind)
        return value if reference is None else str(reference)

    def found(self, value: Any) -> Any:
        """A part of the answer as references, truth values and null as they are."""
        if isinstance(value, Mapping):
            return {name: self.found(item) for name, item in cast("Mapping[str, Any]", value).items()}
        if isinstance(value, list):
            return [self.found(item) for item in cast("list[Any]", value)]
        if value is None or isinstance(value, bool):
            return value
        reference = self._reference(value, "")
        return _NOWHERE if reference is None else str(reference)

    def _reference(self, value: Any, kind: str) -> ResultReference | None:
        for number in range(len(self._results), 0, -1):
            places = sorted(self._places(number, value, kind), key=lambda place: place[0])
            if places:
                return ResultReference(number, places[0][1])
        return None

    def _places(self, number: int, value: Any, kind: str) -> Iterator[tuple[bool, Path]]:
        """Where a result has the value: (is of another type, path)."""
        produces, values = self._results[number - 1]
        for path, shown in values:
            if same_atom(shown, value):
                yield bool(kind) and produces.get(shape(path), kind) != kind, path

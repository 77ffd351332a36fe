"""Values that an agent has seen in answers, by semantic type and by the name of their field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from envforge.core.records.environment import ToolSpec
from envforge.rollout.agents.agent import Seen

_MOST_PER_NAME = 200


class SeenValues:
    """Scalars of all answers so far; those of one name in the order in which they were seen, each once."""

    def __init__(self) -> None:
        self._typed: dict[str, dict[Any, None]] = {}
        self._named: dict[str, dict[Any, None]] = {}

    def learn(self, spec: ToolSpec, seen: Seen) -> None:
        """Keep what a call of this tool answered."""
        result = seen.get("result")
        if result is None:
            return
        for path, kind in spec.produces.items():
            for value in values_at(result, path):
                _keep(self._typed, kind, value)
        self._walk(result, "")

    def like(self, spec: ToolSpec, parameter: str) -> Sequence[Any]:
        """Seen values that may be meant by a parameter: of its semantic type, else of its name or its type's field."""
        kind = spec.consumes.get(parameter, "")
        field = kind.rpartition(".")[2]
        return list(self._typed.get(kind) or self._named.get(parameter) or self._named.get(field) or ())

    def named(self, name: str) -> Sequence[Any]:
        """Seen values of a field of this name."""
        return list(self._named.get(name, ()))

    def _walk(self, value: Any, name: str) -> None:
        if isinstance(value, Mapping):
            for field, inner in cast("Mapping[str, Any]", value).items():
                self._walk(inner, field)
        elif isinstance(value, list):
            for inner in cast("list[Any]", value):
                self._walk(inner, name)
        elif value is not None:
            _keep(self._named, name, value)


def values_at(result: Any, path: str) -> list[Any]:
    """The scalars at a path such as `items[].id`."""
    here: list[Any] = [result]
    for step in path.split("."):
        name, _, listed = step.partition("[]")
        maps = [cast("Mapping[str, Any]", value) for value in here if isinstance(value, Mapping)]
        here = [value[name] for value in maps if name in value]
        if listed or step.endswith("[]"):
            lists = [cast("list[Any]", value) for value in here if isinstance(value, list)]
            here = [item for items in lists for item in items]
    return [value for value in here if isinstance(value, (str, int, float))]


def _keep(held: dict[str, dict[Any, None]], name: str, value: Any) -> None:
    values = held.setdefault(name, {})
    if len(values) < _MOST_PER_NAME:
        values.setdefault(value)

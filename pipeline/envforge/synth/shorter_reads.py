"""Reads of an episode, for the search for a shorter solution: who was asked for what, which values are at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias, cast

from envforge.core.ids import canonical_json
from envforge.core.records.environment import ToolSpec
from envforge.gates.atoms import Path, atoms, is_telling, shape, value_at
from envforge.gates.solutions import Step
from envforge.synth.paging import Paging, paging_of
from envforge.synth.semantics import Semantics
from envforge.synth.shorter_rules import Latest, Literal, Value

MOST_VALUES = 3
"""Tried for one parameter."""

Rows: TypeAlias = list[dict[str, Any]]
Look: TypeAlias = Callable[[str, Mapping[str, Any], int], Rows]
"""Rows on so many of the first pages that a list gives for these arguments; none when it fails."""
_JSON_TYPES: Mapping[str, tuple[type[Any], ...]] = {"string": (str,), "integer": (int,), "number": (int, float)}


class Reads:
    """What an episode read. `known`: values that were said or stand in the program."""

    def __init__(self, semantics: Semantics, steps: Sequence[Step], known: Sequence[Any], look: Look) -> None:
        self._semantics, self._steps, self._look = semantics, steps, look
        self._known = [value for value in known if isinstance(value, str | int | float)]

    @cached_property
    def _read_only(self) -> list[ToolSpec]:
        return [tool for tool in self._semantics.tools.values() if tool.annotations.read_only]

    @cached_property
    def _reads(self) -> Mapping[str, list[tuple[int, Step]]]:
        """Tool -> its reads that were answered."""
        found: dict[str, list[tuple[int, Step]]] = {}
        for number, step in enumerate(self._steps):
            if not step.writes and step.seen.result is not None:
                found.setdefault(step.tool, []).append((number, step))
        return found

    def _own_parameters(self, spec: ToolSpec) -> list[str]:
        pages = page_names(paging_of(spec))
        return [name for name in spec.parameters.get("properties", {}) if name not in pages]

    def _values(self, spec: ToolSpec, name: str) -> list[tuple[Value, Any]]:
        """What may be asked by a parameter: an id that was shown alone; a text that was said; a choice."""
        schema: Mapping[str, Any] = spec.parameters["properties"][name]
        kind = spec.consumes.get(name, "")
        if kind:
            return list(self._shown_alone(kind))[:MOST_VALUES]
        wanted = type_of(schema)
        if wanted == "boolean":
            return [(Literal(True), True), (Literal(False), False)]
        choices: Any = schema.get("enum")
        allowed = cast("list[Any]", choices) if isinstance(choices, list) else self._known
        types = _JSON_TYPES.get(wanted, ())
        fitting = [value for value in self._known if isinstance(value, types) and not isinstance(value, bool)]
        found: list[tuple[Value, Any]] = [
            (Literal(value), value) for value in dict.fromkeys(fitting) if value in allowed
        ]
        return found[:MOST_VALUES]

    def _shown_alone(self, kind: str) -> Iterator[tuple[Value, Any]]:
        """Values of a type that are the only ones of their place in each result of a tool."""
        for tool, steps in self._reads.items():
            produces = self._semantics.tools[tool].produces
            for path in self._single(tool):
                if produces.get(shape(path)) == kind:
                    yield Latest(tool, path), value_at(steps[-1][1].seen.result, path)

    def _single(self, tool: str) -> list[Path]:
        """Paths that every result of a tool has, alone of their shape: no place in a list has to be known for them."""
        common: set[Path] | None = None
        for _, step in self._reads[tool]:
            found: dict[str, list[Path]] = {}
            for path, value in atoms(step.seen.result):
                if is_telling(value):
                    found.setdefault(shape(path), []).append(path)
            alone = {paths[0] for paths in found.values() if len(paths) == 1}
            alone = {path for path in alone if _lengths(step.seen.result, path) <= {1}}
            common = alone if common is None else common & alone
        return sorted((path for path in common or () if isinstance(path[-1], str)), key=str)

    def _groups(self, tool: str) -> dict[str, Rows]:
        """Rows of a list by what was asked, pages aside."""
        paging = paging_of(self._semantics.tools[tool])
        pages = page_names(paging)
        found: dict[str, Rows] = {}
        for _, step in self._reads[tool]:
            asked = {name: value for name, value in step.arguments.items() if name not in pages}
            found.setdefault(canonical_json(asked), []).extend(rows_of(step.seen.result or {}, paging.items))
        return found


def rows_of(result: Mapping[str, Any], items: str) -> Rows:
    """Rows of a list; the result itself where it is a row."""
    found: Any = result.get(items) if items else [result]
    rows = cast("list[Any]", found) if isinstance(found, list) else []
    return [cast("dict[str, Any]", row) for row in rows if isinstance(row, dict)]


def page_names(paging: Paging) -> set[str]:
    """Parameters that only say how to page."""
    return {name for name in (paging.cursor, paging.size_parameter) if name}


def type_of(schema: Mapping[str, Any]) -> str:
    """The JSON type of a value that is there."""
    kind: Any = schema.get("type", "")
    return str(next((one for one in cast("list[Any]", kind) if one != "null"), "") if isinstance(kind, list) else kind)


def _lengths(result: Any, path: Path) -> set[int]:
    """Lengths of the lists on the way."""
    before = [value_at(result, path[:number]) for number in range(len(path))]
    return {len(cast("list[Any]", value)) for value in before if isinstance(value, list)}

"""Random walks over the tool graph, executed in fresh Worlds; each argument knows which earlier record it came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, TypeAlias, cast

from envforge.core.records.environment import ToolSpec
from envforge.core.records.graph import ToolGraph
from envforge.core.seeds import stream
from envforge.synth.landscape import Landscape
from envforge.synth.paging import paging_of
from envforge.synth.probes import Arguments
from envforge.synth.reaches import Finder, value_in
from envforge.synth.sights import Sight, records_in
from envforge.world.session import Session

LENGTH = 6
CALM_START = 0.8
"""Share of walks that begin with a tool that finds rows, where there is one."""
BACK_OFF = 8
"""Tools that are tried for one step before the walk goes on from an earlier one."""


@dataclass(frozen=True)
class Origin:
    """Where an argument came from: a column of a record that an earlier step showed."""

    step: int
    sight: Sight
    column: str
    key: Any
    """Key of the record's row."""


@dataclass(frozen=True)
class WalkStep:
    """One successful call. `origins`: parameter -> where its value came from; others came from the database."""

    tool: str
    arguments: Mapping[str, Any]
    origins: Mapping[str, Origin]
    finder: Finder | None = None
    result: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Walk:
    """Steps in the order in which they were made."""

    steps: tuple[WalkStep, ...]


@dataclass(frozen=True)
class Coverage:
    """What walks have been to."""

    tools: float
    strong_edges: float
    not_called: tuple[str, ...]


def walks(landscape: Landscape, graph: ToolGraph, seed: int, count: int, length: int = LENGTH) -> Iterator[Walk]:
    """Walks from tools that need nothing, each in a World at its start. Raises SandboxError.

    Ways that earlier walks took are taken less often, so that few walks see much of the graph.
    """
    used: Counter[_Way] = Counter()
    with landscape.environment.start(0) as session:
        for number in range(count):
            session.reset()
            yield _Walker(landscape, graph, session, stream(seed, "walk", number), used).walk(length)


def sliced(walk: Walk, sink: int) -> Walk:
    """The steps that the step number `sink` needs, itself the last; origins are numbered anew."""
    needed: set[int] = {sink}
    for number in range(sink, -1, -1):
        if number in needed:
            needed |= {origin.step for origin in walk.steps[number].origins.values()}
    order = {old: new for new, old in enumerate(sorted(needed))}
    steps = [
        replace(step, origins={name: replace(o, step=order[o.step]) for name, o in step.origins.items()})
        for number, step in enumerate(walk.steps)
        if number in needed
    ]
    return Walk(tuple(steps))


def coverage(graph: ToolGraph, made: Sequence[Walk]) -> Coverage:
    """Shares of tools called and of strong edges along which a value really went."""
    called = {step.tool for walk in made for step in walk.steps}
    used = {
        (walk.steps[origin.step].tool, step.tool)
        for walk in made
        for step in walk.steps
        for origin in step.origins.values()
    }
    strong = {(edge.first, edge.second) for edge in graph.edges if edge.kind == "strong"}
    tools = [node.tool for node in graph.nodes]
    return Coverage(
        tools=sum(tool in called for tool in tools) / max(1, len(tools)),
        strong_edges=len(strong & used) / max(1, len(strong)),
        not_called=tuple(tool for tool in tools if tool not in called),
    )


_Way: TypeAlias = tuple[str, str, str]
"""Table, column and tool: what was followed, and by what."""


def _way(origin: Origin, tool: str) -> _Way:
    return (origin.sight.table, origin.column, tool)


@dataclass(frozen=True)
class _Value:
    """A key that was shown."""

    kind: str
    value: Any
    origin: Origin


class _Walker:
    """One walk in a session."""

    def __init__(
        self, landscape: Landscape, graph: ToolGraph, session: Session, rng: Random, used: Counter[_Way]
    ) -> None:
        self._used = used
        self._landscape, self._graph, self._session, self._rng = landscape, graph, session, rng
        self._tools = {tool.name: tool for tool in landscape.environment.tools}
        self._weights = {(edge.first, edge.second): edge.weight for edge in graph.edges}
        self._steps: list[WalkStep] = []
        self._values: list[_Value] = []

    def walk(self, length: int) -> Walk:
        """A walk of at most so many steps; shorter where nothing more succeeds."""
        sources = [node.tool for node in self._graph.nodes if node.source or self._coded(node.tool)]
        self._rng.shuffle(sources)
        sources.sort(key=lambda tool: self._finder(self._tools[tool]) is None and self._rng.random() < CALM_START)
        for tool in sources:
            if self._step(tool):
                break
        while self._steps and len(self._steps) < length and self._next():
            pass
        return Walk(tuple(self._steps))

    def _next(self) -> bool:
        """One more step from the last tool; where it is a dead end, from the ones before."""
        for step in reversed(self._steps):
            tools = list(self._tools)
            weights = [self._weights.get((step.tool, tool), 1) ** 2 * self._calm(tool) for tool in tools]
            for tool in self._rng.choices(tools, weights, k=BACK_OFF):
                if self._step(tool):
                    return True
        return False

    def _step(self, name: str) -> bool:
        tool = self._tools[name]
        finder = self._finder(tool)
        origins = self._origins(tool) if self._steps else {}
        if origins is None or (not origins and finder is None and not self._coded(name) and not self._bare(name)):
            return False
        given = self._given(tool, origins, finder)
        if any(step.tool == name and dict(step.arguments) == given for step in self._steps):
            return False
        result = self._session.call(name, given).result
        if result is None:
            return False
        kept = {parameter: value.origin for parameter, value in origins.items()}
        self._used.update(_way(origin, name) for origin in kept.values())
        self._steps.append(WalkStep(name, given, kept, None if origins else finder, result))
        self._see(len(self._steps) - 1, tool, result)
        return True

    def _calm(self, name: str) -> int:
        """Reading tools are called more often: what is written hides what was there."""
        return 3 if self._tools[name].annotations.read_only else 1

    def _bare(self, name: str) -> bool:
        return any(node.tool == name and node.source for node in self._graph.nodes)

    def _coded(self, name: str) -> bool:
        """Its only key is a code that people know, so that an episode can begin with it."""
        consumes = self._tools[name].consumes
        required = [str(one) for one in self._tools[name].parameters.get("required", ())]
        known = [self._landscape.keys.is_code(consumes[one]) for one in required if one in consumes]
        return len(required) == 1 and known == [True]

    def _finder(self, tool: ToolSpec) -> Finder | None:
        found = [finder for finder in self._landscape.finders if finder.tool == tool.name]
        return self._rng.choice(found) if found else None

    def _origins(self, tool: ToolSpec) -> dict[str, _Value] | None:
        """Keys for its parameters out of what was shown, later ones more often; None when a required one is missing."""
        required = set(tool.parameters.get("required", ()))
        found: dict[str, _Value] = {}
        keyed = list(tool.consumes)
        self._rng.shuffle(keyed)
        for parameter in sorted(keyed, key=lambda one: one not in required):
            fitting = [value for value in self._values if value.kind == tool.consumes[parameter]]
            if not fitting and parameter in required:
                return {} if self._coded(tool.name) else None
            if fitting and (parameter in required or not found):
                weights = [(1 + v.origin.step) / (1 + self._used[_way(v.origin, tool.name)]) for v in fitting]
                found[parameter] = self._rng.choices(fitting, weights)[0]
        return found

    def _given(self, tool: ToolSpec, origins: Mapping[str, _Value], finder: Finder | None) -> dict[str, Any]:
        landscape = self._landscape
        arguments = Arguments(landscape.environment, landscape.knowledge, landscape.keys, tool, self._rng)
        given: dict[str, Any] = {name: value.value for name, value in origins.items()}
        schemas = cast("Mapping[str, Mapping[str, Any]]", tool.parameters.get("properties", {}))
        given = {name: [v] if schemas[name].get("type") == "array" else v for name, v in given.items()}
        if finder is not None and not origins:
            given |= finder.constants
            if finder.parameter:
                values = landscape.keys.texts(finder.sight.table, finder.column)
                given[finder.parameter] = self._rng.choice(values)
        for name in tool.parameters.get("required", ()):
            if name not in given:
                given[name] = arguments.value(name)
        paging = paging_of(tool)
        return {**given, paging.size_parameter: paging.size} if paging.size_parameter else given

    def _see(self, number: int, tool: ToolSpec, result: Mapping[str, Any]) -> None:
        """Keys that the step showed: of the rows, and of those that they refer to."""
        kinds = self._landscape.keys.kind_of_table
        for sight in self._landscape.sights:
            if sight.tool != tool.name:
                continue
            links = {f.column: f.to_table for f in self._landscape.keys.foreign if f.table == sight.table}
            for bag in self._landscape.bags:
                if bag.item_table == sight.table:
                    links |= {f"@{one.id}": one.to_table for one in bag.properties if one.to_table}
            records = records_in(result, sight.path, many=sight.many)
            for record in self._rng.sample(records, min(len(records), 4)):
                key = value_in(record, sight.identity)
                if key is None:
                    continue
                self._values.append(_Value(sight.kind, key, Origin(number, sight, "", key)))
                for column, table in links.items():
                    if column in sight.fields and table in kinds:
                        shown = value_in(record, sight.fields[column])
                        for value in cast("list[Any]", shown) if isinstance(shown, list) else [shown]:
                            if value is not None:
                                origin = Origin(number, sight, column, key)
                                self._values.append(_Value(kinds[table], value, origin))

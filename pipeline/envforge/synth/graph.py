"""The tool graph: every ordered pair of tools, weighed by what executed probes show of the first one's results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import networkx as nx

from envforge.core.records.environment import ToolSpec
from envforge.core.records.graph import WEIGHTS, EdgeEvidence, EdgeKind, GraphStatistics, ToolEdge, ToolGraph, ToolNode
from envforge.gates.atoms import atoms, shape
from envforge.synth.landscape import Landscape
from envforge.synth.probes import Probe

_Needed: TypeAlias = Literal["required", "one of"]


def tool_graph(landscape: Landscape, seed: int = 0) -> ToolGraph:
    """The graph of an environment whose tools were probed with `seed`."""
    environment = landscape.environment
    builder = _Builder(landscape)
    nodes = tuple(builder.node(tool) for tool in environment.tools)
    edges = tuple(
        builder.edge(first, second)
        for first in environment.tools
        for second in environment.tools
        if first is not second
    )
    manifest = environment.manifest
    statistics = _statistics(nodes, edges, builder)
    return ToolGraph(
        environment_id=manifest.id,
        environment_hash=manifest.environment_hash,
        seed=seed,
        nodes=nodes,
        edges=edges,
        statistics=statistics,
    )


def as_networkx(graph: ToolGraph, kinds: Iterable[EdgeKind] = ("strong", "weak", "independent")) -> nx.DiGraph[str]:
    """The graph for networkx; edges have `kind` and `weight`."""
    wanted = set(kinds)
    result: nx.DiGraph[str] = nx.DiGraph()
    result.add_nodes_from(node.tool for node in graph.nodes)
    result.add_edges_from(
        (edge.first, edge.second, {"kind": edge.kind, "weight": edge.weight})
        for edge in graph.edges
        if edge.kind in wanted
    )
    return result


class _Builder:
    """What probes show, by tool."""

    def __init__(self, landscape: Landscape) -> None:
        self._landscape = landscape
        self.tools = landscape.environment.tools
        self._probes: defaultdict[str, list[Probe]] = defaultdict(list)
        for probe in landscape.probes:
            self._probes[probe.tool].append(probe)
        self.outputs = {tool.name: self._outputs(tool) for tool in landscape.environment.tools}
        self.needed = {tool.name: self._needed(tool) for tool in landscape.environment.tools}

    def node(self, tool: ToolSpec) -> ToolNode:
        """The tool as a node."""
        probes = self._probes[tool.name]
        return ToolNode(
            tool=tool.name,
            verb=tool.verb,
            entity=tool.entity,
            writes=not tool.annotations.read_only,
            source=any(probe.ok and probe.bare for probe in probes),
            probes=sum(probe.ok for probe in probes),
            refused=sum(not probe.ok for probe in probes),
        )

    def edge(self, first: ToolSpec, second: ToolSpec) -> ToolEdge:
        """The strongest kind that there is evidence for, with all of it."""
        flows = list(self._flows(first, second))
        evidence = [*flows, *self._others(first, second)]
        strong = any(one.needed in ("required", "one of") for one in flows)
        kind: EdgeKind = "strong" if strong else "weak" if evidence else "independent"
        return ToolEdge(first=first.name, second=second.name, kind=kind, weight=WEIGHTS[kind], evidence=tuple(evidence))

    def _flows(self, first: ToolSpec, second: ToolSpec) -> Iterator[EdgeEvidence]:
        for parameter, kind in second.consumes.items():
            for (output, given), seen in self.outputs[first.name].items():
                if given == kind:
                    needed: Any = self.needed[second.name].get(parameter, "optional")
                    yield EdgeEvidence(output=output, parameter=parameter, type=kind, needed=needed, seen=seen)

    def _others(self, first: ToolSpec, second: ToolSpec) -> Iterator[EdgeEvidence]:
        if first.entity == second.entity:
            yield EdgeEvidence(entity=first.entity)
        for table in sorted(self._written(first) & set(second.reads)):
            yield EdgeEvidence(table=table)

    def _written(self, tool: ToolSpec) -> set[str]:
        """Tables that probes of the tool really changed."""
        changed = [probe.changed for probe in self._probes[tool.name] if probe.changed is not None]
        return {table for diff in changed for table in diff.tables} & set(tool.writes)

    def _outputs(self, tool: ToolSpec) -> dict[tuple[str, str], int]:
        """(path in the result, semantic type) -> probes in which it was filled; only those that were."""
        typed = {(path, kind) for path, kind in tool.produces.items()} | set(self._shown(tool))
        found: dict[tuple[str, str], int] = {}
        for probe in self._probes[tool.name]:
            filled = {shape(path) for path, value in atoms(probe.result or {}) if value is not None}
            for place in sorted(typed):
                if place[0] in filled:
                    found[place] = found.get(place, 0) + 1
        return found

    def _shown(self, tool: ToolSpec) -> Iterator[tuple[str, str]]:
        """Keys that records show although the description of the tool has no type for them."""
        kinds = self._landscape.keys.kind_of_table
        for sight in self._landscape.sights:
            if sight.tool != tool.name:
                continue
            start = ".".join(sight.path) + ("[]" if sight.many else "")
            yield ".".join(part for part in (start, *sight.identity) if part), sight.kind
            for foreign in self._landscape.keys.foreign:
                field = sight.fields.get(foreign.column)
                if foreign.table == sight.table and field is not None and foreign.to_table in kinds:
                    yield ".".join(part for part in (start, *field) if part), kinds[foreign.to_table]

    def _needed(self, tool: ToolSpec) -> Mapping[str, _Needed]:
        """Keys without which no call succeeded: required ones, or all of those of which one must be given."""
        required = set(tool.parameters.get("required", ())) & set(tool.consumes)
        if required:
            return dict.fromkeys(sorted(required), "required")
        probes = self._probes[tool.name]
        refused = any(probe.bare and not probe.ok for probe in probes)
        if not any(probe.bare and probe.ok for probe in probes) and refused and any(probe.ok for probe in probes):
            return dict.fromkeys(tool.consumes, "one of")
        return {}


def _statistics(nodes: Sequence[ToolNode], edges: Sequence[ToolEdge], builder: _Builder) -> GraphStatistics:
    counts = {kind: sum(edge.kind == kind for edge in edges) for kind in WEIGHTS}
    strong: nx.DiGraph[str] = nx.DiGraph()
    strong.add_edges_from((edge.first, edge.second) for edge in edges if edge.kind == "strong")
    lengths = [length for _, ways in nx.all_pairs_shortest_path_length(strong) for length in ways.values()]
    return GraphStatistics(
        tools=len(nodes),
        sources=tuple(node.tool for node in nodes if node.source),
        unreachable=_unreachable(nodes, builder),
        unprobed=tuple(node.tool for node in nodes if not node.probes),
        diameter=max(lengths, default=0),
        **counts,
    )


def _unreachable(nodes: Sequence[ToolNode], builder: _Builder) -> tuple[str, ...]:
    """Tools that no order of calls comes to, when each call's needed keys were shown by calls before it."""
    specs = {tool.name: tool for tool in builder.tools}
    reached: set[str] = set()
    known: set[str] = set()
    while True:
        more = {
            node.tool
            for node in nodes
            if node.tool not in reached and (node.source or _ready(specs[node.tool], builder.needed[node.tool], known))
        }
        if not more:
            return tuple(node.tool for node in nodes if node.tool not in reached)
        reached |= more
        known |= {kind for tool in more for _, kind in builder.outputs[tool]}


def _ready(tool: ToolSpec, needed: Mapping[str, _Needed], known: set[str]) -> bool:
    kinds = {how: [tool.consumes[name] for name, one in needed.items() if one == how] for how in ("required", "one of")}
    return set(kinds["required"]) <= known and (not kinds["one of"] or bool(known & set(kinds["one of"])))

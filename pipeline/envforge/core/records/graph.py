"""The tool graph: graph.json. Which tool's results another tool can go on from, and what shows it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from envforge.core.records.base import Record
from envforge.core.records.domain import Verb

EdgeKind = Literal["strong", "weak", "independent"]
WEIGHTS: dict[EdgeKind, int] = {"strong": 3, "weak": 2, "independent": 1}


class EdgeEvidence(Record):
    """One reason for an edge. Data-flow: `output` of the first tool has values of `type`, which `parameter` takes.

    Without an output: both work on `entity`, or the first writes a `table` that the second reads.
    """

    output: str = Field(default="", description="path in the result, as in produces: items[].id")
    parameter: str = ""
    type: str = Field(default="", description="semantic type")
    needed: Literal["", "required", "one of", "optional"] = Field(
        default="", description="one of: the tool refused every call without any of its keys"
    )
    seen: int = Field(default=0, description="probes in whose result the output was filled")
    table: str = ""
    entity: str = ""


class ToolNode(Record):
    """A tool. `source`: it was called with success without any key, so an episode can begin with it."""

    tool: str
    verb: Verb
    entity: str
    writes: bool = False
    source: bool = False
    probes: int = Field(default=0, description="probes that succeeded")
    refused: int = Field(default=0, description="probes that the tool refused")


class ToolEdge(Record):
    """An ordered pair of tools. strong (3): feeds a needed key. weak (2): same entity, write before read, or feeds an
    optional key. independent (1): all other pairs.
    """

    first: str
    second: str
    kind: EdgeKind
    weight: int
    evidence: tuple[EdgeEvidence, ...] = ()


class GraphStatistics(Record):
    """What the graph looks like."""

    tools: int
    strong: int
    weak: int
    independent: int
    sources: tuple[str, ...] = Field(description="tools that need nothing")
    unreachable: tuple[str, ...] = Field(description="tools whose keys no chain of probed results gives")
    diameter: int = Field(description="longest of the shortest ways along strong edges between tools")
    unprobed: tuple[str, ...] = Field(default=(), description="tools of which no probe succeeded: nothing is known")


class ToolGraph(Record):
    """The complete directed graph over an environment's tools."""

    environment_id: str
    environment_hash: str
    seed: int = 0
    nodes: tuple[ToolNode, ...]
    edges: tuple[ToolEdge, ...]
    statistics: GraphStatistics

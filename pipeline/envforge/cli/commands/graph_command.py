"""`envforge graph`."""

from __future__ import annotations

from pathlib import Path

from envforge.cli import render
from envforge.cli.options import SharedOptions
from envforge.core.errors import ConfigError
from envforge.core.ids import canonical_json
from envforge.core.records.graph import ToolGraph
from envforge.factory.families import knowledge_of
from envforge.store.files import write_text
from envforge.store.workspace import Workspace
from envforge.synth.graph import tool_graph
from envforge.synth.graph_picture import html_of, svg_of
from envforge.synth.landscape import survey
from envforge.world.environment import Environment


def run(name: str, *, form: str, out: Path | None, seed: int, shared: SharedOptions) -> None:
    """Probe the tools, print what the graph looks like, and draw it where a file was asked for."""
    if form not in ("svg", "html", "json"):
        raise ConfigError(f"{form!r} is no format", where="--format", remedy="give svg, html or json")
    folder = Workspace(shared.workspace).environment(name)
    graph = graph_of(folder, seed)
    if out is not None:
        write_text(out, _written(graph, form))
    if shared.json_output:
        render.print_json(graph.statistics.model_dump(mode="json"))
        return
    _print(graph)
    if out is not None:
        render.out.print(f"written: {out}", markup=False)


def graph_of(folder: Path, seed: int) -> ToolGraph:
    """The graph of an environment's tools. Raises StoreError, SandboxError."""
    environment = Environment.open(folder)
    return tool_graph(survey(environment, knowledge_of(environment), seed), seed)


def _written(graph: ToolGraph, form: str) -> str:
    if form == "json":
        return canonical_json(graph.to_json()) + "\n"
    return svg_of(graph) if form == "svg" else html_of(graph)


def _print(graph: ToolGraph) -> None:
    found = graph.statistics
    rows = [
        ("tools", found.tools),
        ("strong edges", found.strong),
        ("weak edges", found.weak),
        ("independent pairs", found.independent),
        ("diameter over strong edges", found.diameter),
        ("need nothing", ", ".join(found.sources) or "none"),
        ("unreachable", ", ".join(found.unreachable) or "none"),
        ("no probe succeeded", ", ".join(found.unprobed) or "none"),
    ]
    render.table(f"Tool graph of {graph.environment_id}", ("", ""), rows)

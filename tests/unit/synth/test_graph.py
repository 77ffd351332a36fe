"""The tool graph: edges are what probes showed, and a picture of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from envforge.core.records.graph import WEIGHTS, ToolEdge, ToolGraph
from envforge.store.schemas import problems
from envforge.synth.graph import as_networkx, tool_graph
from envforge.synth.graph_picture import html_of, svg_of
from envforge.synth.landscape import Landscape, survey
from envforge.world.environment import Environment

from .library_domain import DOMAIN


@pytest.fixture(scope="module")
def landscape(library: Environment) -> Landscape:
    return survey(library, DOMAIN)


@pytest.fixture(scope="module")
def graph(landscape: Landscape) -> ToolGraph:
    return tool_graph(landscape)


def edges(graph: ToolGraph) -> Mapping[tuple[str, str], ToolEdge]:
    return {(edge.first, edge.second): edge for edge in graph.edges}


def test_every_ordered_pair_has_one_edge_with_its_weight(graph: ToolGraph) -> None:
    count = len(graph.nodes)
    assert len(edges(graph)) == len(graph.edges) == count * (count - 1)
    assert all(edge.weight == WEIGHTS[edge.kind] for edge in graph.edges)


def test_a_result_that_feeds_a_required_key_is_strong_and_says_where(graph: ToolGraph) -> None:
    edge = edges(graph)["list_loans", "get_book"]
    assert edge.kind == "strong"
    flow = edge.evidence[0]
    assert (flow.output, flow.parameter, flow.type, flow.needed) == (
        "loans[].book_id",
        "book_id",
        "book.id",
        "required",
    )
    assert flow.seen > 0


def test_an_output_that_no_probe_filled_is_no_evidence(landscape: Landscape) -> None:
    silent = [replace(p, result={"loans": []}) if p.tool == "list_loans" and p.ok else p for p in landscape.probes]
    graph = tool_graph(replace(landscape, probes=tuple(silent)))
    assert edges(graph)["list_loans", "get_book"].kind != "strong"


def test_same_entity_and_write_before_read_are_weak(graph: ToolGraph) -> None:
    found = edges(graph)
    same = found["return_book", "list_loans"]
    assert same.kind == "weak"
    assert {one.table for one in same.evidence} >= {"loans"}
    assert {one.entity for one in same.evidence} >= {"loan"}
    read = found["borrow_book", "get_book"]
    assert read.kind == "weak" and [one.table for one in read.evidence] == ["loans"]


def test_names_alone_make_no_edge(graph: ToolGraph) -> None:
    edge = edges(graph)["search_books", "list_loans"]
    assert edge.kind == "independent" and edge.evidence == ()


def test_statistics(graph: ToolGraph) -> None:
    found = graph.statistics
    assert found.strong + found.weak + found.independent == len(graph.edges)
    assert set(found.sources) == {"search_books", "add_member"}
    assert "get_book" not in found.unreachable
    assert {"list_loans", "borrow_book"} <= set(found.unreachable), "nothing shows a member's id without one"
    assert found.unprobed == ("post_notice",)
    strong = as_networkx(graph, ["strong"])
    assert strong.number_of_nodes() == len(graph.nodes) and strong.number_of_edges() == found.strong


def test_the_same_seed_gives_the_same_graph(library: Environment, graph: ToolGraph) -> None:
    again = tool_graph(survey(library, DOMAIN))
    assert again == graph
    assert problems("graph", graph.to_json()) == []


def test_the_picture_has_every_tool_and_every_strong_edge(graph: ToolGraph) -> None:
    space = "{http://www.w3.org/2000/svg}"
    root = ElementTree.fromstring(svg_of(graph))
    words = {text.text for text in root.iter(f"{space}text")}
    assert {node.tool for node in graph.nodes} <= words
    lines = [path for path in root.iter(f"{space}path") if path.find(f"{space}title") is not None]
    assert len(lines) == graph.statistics.strong
    assert "loans[].book_id → book_id" in html_of(graph)

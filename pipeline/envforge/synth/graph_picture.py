"""The tool graph as a picture: tools on a circle, grouped by entity, strong edges through its middle. Plain SVG."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

from envforge.core.records.graph import ToolEdge, ToolGraph, ToolNode

_COLOURS = (
    "#1f6f8b",
    "#c0563b",
    "#5b7f2b",
    "#7a4b94",
    "#b8860b",
    "#2f4b8f",
    "#a03068",
    "#3c7a6b",
    "#6b5b45",
    "#8a8a2a",
)
_SIZE, _RADIUS, _LABEL = 1160, 330, 14
_FONT = 'font-family="Helvetica, Arial, DejaVu Sans, sans-serif"'


def svg_of(graph: ToolGraph) -> str:
    """The picture. A line takes the colour of the tool that it starts from; it is thicker where more keys go along it.

    Ringed tools need nothing; filled squares write.
    """
    nodes = sorted(graph.nodes, key=lambda node: (node.entity, node.tool))
    entities = list(dict.fromkeys(node.entity for node in nodes))
    colours = {entity: _COLOURS[number % len(_COLOURS)] for number, entity in enumerate(entities)}
    angles = _angles(nodes)
    of_tool = {node.tool: colours[node.entity] for node in nodes}
    strong = [edge for edge in graph.edges if edge.kind == "strong"]
    parts = [_line(edge, angles, of_tool[edge.first]) for edge in strong]
    parts += [_node(node, angles[node.tool], colours[node.entity]) for node in nodes]
    for entity in entities:
        parts.append(_arc(entity, [angles[n.tool] for n in nodes if n.entity == entity], colours[entity]))
    parts.append(_legend(graph))
    box = f'viewBox="{-_SIZE / 2:g} {-_SIZE / 2:g} {_SIZE} {_SIZE}" width="{_SIZE}" height="{_SIZE}"'
    ground = f'<rect x="{-_SIZE / 2:g}" y="{-_SIZE / 2:g}" width="{_SIZE}" height="{_SIZE}" fill="#ffffff"/>'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {box}>', ground, *parts, "</svg>", ""])


def html_of(graph: ToolGraph) -> str:
    """A page with the picture and a table of the strong edges with their evidence."""
    title = f"Tools of {html.escape(graph.environment_id)}"
    rows = [
        f"<tr><td>{edge.first}</td><td>{edge.second}</td><td>{html.escape(told)}</td></tr>"
        for edge in graph.edges
        if edge.kind == "strong" and (told := "; ".join(_told(edge)))
    ]
    style = "body{font:14px Helvetica,Arial,sans-serif;margin:2em}td{padding:.1em 1em .1em 0;vertical-align:top}"
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{title}</title><style>{style}</style>\n'
        f"<h1>{title}</h1>\n{svg_of(graph)}<h2>Strong edges</h2>\n<table>\n" + "\n".join(rows) + "\n</table></html>\n"
    )


def _told(edge: ToolEdge) -> list[str]:
    flows = [one for one in edge.evidence if one.parameter]
    return [f"{one.output} → {one.parameter} ({one.type}, {one.needed}, seen {one.seen}×)" for one in flows]


def _angles(nodes: Sequence[ToolNode]) -> dict[str, float]:
    """Place on the circle, with a gap between entities."""
    gaps = len({node.entity for node in nodes})
    step = 2 * math.pi / max(1, len(nodes) + gaps)
    angles: dict[str, float] = {}
    place = 0.0
    for number, node in enumerate(nodes):
        place += step * (2 if number and node.entity != nodes[number - 1].entity else 1)
        angles[node.tool] = place - math.pi / 2
    return angles


def _at(angle: float, radius: float) -> tuple[float, float]:
    return radius * math.cos(angle), radius * math.sin(angle)


def _line(edge: ToolEdge, angles: dict[str, float], colour: str) -> str:
    (x1, y1), (x2, y2) = _at(angles[edge.first], _RADIUS - 8), _at(angles[edge.second], _RADIUS - 12)
    flows = sum(bool(one.parameter) for one in edge.evidence)
    pull = 0.25
    way = f"M{x1:.1f} {y1:.1f} C{x1 * pull:.1f} {y1 * pull:.1f} {x2 * pull:.1f} {y2 * pull:.1f} {x2:.1f} {y2:.1f}"
    title = html.escape(f"{edge.first} → {edge.second}: " + "; ".join(_told(edge)))
    width = 0.7 + 0.35 * min(flows, 4)
    look = f'fill="none" stroke="{colour}" stroke-opacity="0.45" stroke-width="{width:.2f}"'
    return f'<path d="{way}" {look}><title>{title}</title></path>'


def _node(node: ToolNode, angle: float, colour: str) -> str:
    x, y = _at(angle, _RADIUS)
    tx, ty = _at(angle, _RADIUS + 16)
    turn = math.degrees(angle)
    left = math.cos(angle) < 0
    if node.writes:
        shape = f'<rect x="{x - 5:.1f}" y="{y - 5:.1f}" width="10" height="10" fill="{colour}"/>'
    else:
        shape = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>'
    ring = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="9" fill="none" stroke="{colour}"/>' if node.source else ""
    anchor = "end" if left else "start"
    spin = f"rotate({turn + 180 if left else turn:.1f} {tx:.1f} {ty:.1f})"
    text = (
        f'<text x="{tx:.1f}" y="{ty:.1f}" transform="{spin}" text-anchor="{anchor}" dominant-baseline="middle" '
        f'font-size="{_LABEL}" {_FONT}>{html.escape(node.tool)}</text>'
    )
    return f"{shape}{ring}{text}"


def _arc(entity: str, angles: list[float], colour: str) -> str:
    """The group: an arc outside the names, with the entity's name along it."""
    radius = _RADIUS + 215
    middle = (angles[0] + angles[-1]) / 2
    (x1, y1), (x2, y2) = _at(angles[0] - 0.05, radius - 14), _at(angles[-1] + 0.05, radius - 14)
    large = int(angles[-1] - angles[0] + 0.1 > math.pi)
    tx, ty = _at(middle, radius)
    turn = math.degrees(middle) + 90
    turn += 180 if math.sin(middle) > 0 else 0
    way = f"M{x1:.1f} {y1:.1f} A{radius - 14} {radius - 14} 0 {large} 1 {x2:.1f} {y2:.1f}"
    arc = f'<path d="{way}" fill="none" stroke="{colour}" stroke-width="3"/>'
    return (
        f'{arc}<text x="{tx:.1f}" y="{ty:.1f}" transform="rotate({turn:.1f} {tx:.1f} {ty:.1f})" text-anchor="middle" '
        f'dominant-baseline="middle" font-size="16" font-weight="bold" fill="{colour}" {_FONT}>'
        f"{html.escape(entity.replace('_', ' '))}</text>"
    )


def _legend(graph: ToolGraph) -> str:
    found = graph.statistics
    lines = [
        f"{graph.environment_id}: {found.tools} tools",
        f"{found.strong} strong, {found.weak} weak, {found.independent} independent pairs",
        "ring: needs nothing · square: writes",
    ]
    top = -_SIZE / 2 + 28
    return "".join(
        f'<text x="{-_SIZE / 2 + 20:g}" y="{top + 20 * number:g}" font-size="14" fill="#444444" {_FONT}>'
        f"{html.escape(line)}</text>"
        for number, line in enumerate(lines)
    )

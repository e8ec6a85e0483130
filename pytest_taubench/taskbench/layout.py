"""Where the tools of a picture stand, and which way its edges run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean

from pytest_taubench.taskbench.graph import Edge

NODE_HEIGHT = 26
MARGIN = 40
_CHARACTER = 6.6
_ROW = NODE_HEIGHT + 28
_GAP = 70

Point = tuple[float, float]


@dataclass
class Layout:
    """A picture's geometry.

    Attributes:
        width: The picture's width.
        height: Its height, without a legend.
        places: The middle of each tool's box.
        paths: The path of each edge in SVG's language, by (source, target).
    """

    width: float
    height: float
    places: dict[str, Point]
    paths: dict[tuple[str, str], str] = field(default_factory=dict)


def node_width(tool: str) -> float:
    """Return the width of a tool's box."""
    return _CHARACTER * len(tool) + 16


def lay_out(tools: Sequence[str], edges: Sequence[Edge]) -> Layout:
    """Lay out in layers from left to right what has no cycle, anything else on an ellipse."""
    import networkx as nx

    digraph: nx.DiGraph[str] = nx.DiGraph()
    digraph.add_nodes_from(tools)
    digraph.add_edges_from((edge.source, edge.target) for edge in edges)
    if nx.is_directed_acyclic_graph(digraph):
        layers = [list(layer) for layer in nx.topological_generations(digraph)]
        return _layered(layers, edges)
    return _circular(tools, edges)


def _circular(tools: Sequence[str], edges: Sequence[Edge]) -> Layout:
    widest = max(map(node_width, tools), default=0.0)
    # Wider than high: at the top and the bottom, labels lie side by side.
    across = max(200.0, len(tools) * (widest + 12) / math.tau)
    down = max(160.0, len(tools) * (NODE_HEIGHT + 8) / math.pi)
    middle = (across + widest / 2 + MARGIN, down + MARGIN)
    angles = [math.tau * number / len(tools) for number in range(len(tools))]
    places = {
        tool: (middle[0] + across * math.cos(angle), middle[1] + down * math.sin(angle))
        for tool, angle in zip(tools, angles, strict=True)
    }
    layout = Layout(2 * middle[0], 2 * middle[1], places)
    for edge in edges:
        layout.paths[edge.source, edge.target] = _bent(edge, places)
    return layout


def _bent(edge: Edge, places: dict[str, Point]) -> str:
    """Return a path bent to one side, so that an edge and its opposite lie apart."""
    start, end = places[edge.source], places[edge.target]
    start, end = (
        _border(end, start, node_width(edge.source)),
        _border(start, end, node_width(edge.target)),
    )
    bend_x = (start[0] + end[0]) / 2 - (end[1] - start[1]) * 0.08
    bend_y = (start[1] + end[1]) / 2 + (end[0] - start[0]) * 0.08
    return f"M{_at(start)} Q{_at((bend_x, bend_y))} {_at(end)}"


def _border(outside: Point, centre: Point, width: float) -> Point:
    """Return where the line from outside to a box's centre meets the box."""
    dx, dy = outside[0] - centre[0], outside[1] - centre[1]
    if not dx and not dy:
        return centre
    reach = min(
        width / 2 / abs(dx) if dx else math.inf,
        NODE_HEIGHT / 2 / abs(dy) if dy else math.inf,
    )
    return centre[0] + dx * reach, centre[1] + dy * reach


_Slot = tuple[str, ...]
"""A tool, or in a layer that an edge passes, the (source, target) of that edge."""


def _layered(layers: Sequence[Sequence[str]], edges: Sequence[Edge]) -> Layout:
    """Give each layer a column; an edge that passes a layer gets a free slot in it."""
    rank = {tool: number for number, layer in enumerate(layers) for tool in layer}
    slots: list[list[_Slot]] = [[(tool,) for tool in layer] for layer in layers]
    for edge in edges:
        for number in range(rank[edge.source] + 1, rank[edge.target]):
            slots[number].append((edge.source, edge.target))
    _untangle(slots, edges)
    widest = max((node_width(tool) for tool in rank), default=0.0)
    column = widest + _GAP
    height = max(map(len, slots), default=1) * _ROW + MARGIN
    points = {
        (number, slot): (
            MARGIN + widest / 2 + column * number,
            height / 2 + _ROW * (index - (len(layer) - 1) / 2),
        )
        for number, layer in enumerate(slots)
        for index, slot in enumerate(layer)
    }
    places = {tool: points[number, (tool,)] for tool, number in rank.items()}
    layout = Layout(2 * MARGIN + widest + column * max(len(layers) - 1, 0), height, places)
    for edge in edges:
        passed = range(rank[edge.source] + 1, rank[edge.target])
        way = [points[number, (edge.source, edge.target)] for number in passed]
        layout.paths[edge.source, edge.target] = _through(edge, places, way, widest)
    return layout


def _untangle(slots: list[list[_Slot]], edges: Sequence[Edge]) -> None:
    """Order each layer by where its edges come from, so that few of them cross."""
    for number in range(1, len(slots)):
        before = {slot: index for index, slot in enumerate(slots[number - 1])}
        height: dict[_Slot, float] = {}
        for slot in slots[number]:
            pairs = (
                [slot]
                if len(slot) == 2
                else [(edge.source, edge.target) for edge in edges if edge.target == slot[0]]
            )
            origins = [before.get((s,), before.get((s, t), 0)) for s, t in pairs]
            height[slot] = fmean(origins) if origins else 0.0
        slots[number].sort(key=height.__getitem__)


def _through(edge: Edge, places: dict[str, Point], way: Sequence[Point], widest: float) -> str:
    """Return a path from box to box, level where it passes a layer."""
    start, end = places[edge.source], places[edge.target]
    here = (start[0] + node_width(edge.source) / 2, start[1])
    path = f"M{_at(here)}"
    for x, y in way:
        path += f" {_curve(here, (x - widest / 2, y))} L{_at((x + widest / 2, y))}"
        here = (x + widest / 2, y)
    return f"{path} {_curve(here, (end[0] - node_width(edge.target) / 2, end[1]))}"


def _curve(start: Point, end: Point) -> str:
    middle = (start[0] + end[0]) / 2
    return f"C{_at((middle, start[1]))} {_at((middle, end[1]))} {_at(end)}"


def _at(point: Point) -> str:
    return f"{point[0]:.1f},{point[1]:.1f}"

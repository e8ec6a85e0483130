"""Draw a tool graph or a subgraph of it: Graphviz DOT, and an SVG of our own."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from pytest_taubench.taskbench.graph import Edge, ToolGraph
from pytest_taubench.taskbench.subgraph import Subgraph

# Okabe and Ito's palette, told apart by colour-blind readers too.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555")
_CHARACTER = 6.6
_NODE_HEIGHT = 26
_MARGIN = 40

Point = tuple[float, float]


def to_dot(graph: ToolGraph, subgraph: Subgraph | None = None) -> str:
    """Return the graph, or a subgraph of it, in Graphviz's language."""
    tools, edges = _parts(graph, subgraph)
    colours = edge_colours(edges)
    lines = [f"digraph {_quoted(graph.name)} {{", "  rankdir=LR;", "  node [shape=box];"]
    lines += [f"  {_quoted(tool)};" for tool in tools]
    lines += [
        f"  {_quoted(edge.source)} -> {_quoted(edge.target)} "
        f"[label={_quoted(edge.type)}, color={_quoted(colours[edge.type])}];"
        for edge in edges
    ]
    return "\n".join([*lines, "}", ""])


def to_svg(graph: ToolGraph, subgraph: Subgraph | None = None) -> str:
    """Return the graph, or a subgraph of it, as an SVG picture.

    What has no cycle is laid out in layers from left to right, anything else on a circle. Each
    edge type has a colour, named in the legend.
    """
    tools, edges = _parts(graph, subgraph)
    places, width, height = _layout(tools, edges)
    colours = edge_colours(edges)
    body = [_arrow_head(type_, colour) for type_, colour in colours.items()]
    body += [_edge(edge, places, colours[edge.type]) for edge in edges]
    body += [_node(tool, places[tool], graph.tools[tool].description) for tool in tools]
    body += _legend(colours, height)
    total = height + (24 * len(colours) if colours else 0)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{total:.0f}" '
            f'viewBox="0 0 {width:.0f} {total:.0f}" font-family="sans-serif" font-size="11">',
            f"<title>{escape(graph.name)}</title>",
            f'<rect width="{width:.0f}" height="{total:.0f}" fill="#ffffff"/>',
            *body,
            "</svg>",
            "",
        ]
    )


def edge_colours(edges: Sequence[Edge]) -> dict[str, str]:
    """Return a colour for each edge type, in order of appearance."""
    types = dict.fromkeys(edge.type for edge in edges)
    return {type_: _COLOURS[index % len(_COLOURS)] for index, type_ in enumerate(types)}


def _parts(graph: ToolGraph, subgraph: Subgraph | None) -> tuple[list[str], list[Edge]]:
    if subgraph is None:
        return list(graph.tools), list(graph.edges)
    return list(subgraph.tools), list(subgraph.edges)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _layout(tools: Sequence[str], edges: Sequence[Edge]) -> tuple[dict[str, Point], float, float]:
    """Return each tool's place, and the picture's width and height."""
    import networkx as nx

    digraph: nx.DiGraph[str] = nx.DiGraph()
    digraph.add_nodes_from(tools)
    digraph.add_edges_from((edge.source, edge.target) for edge in edges)
    widest = max((_width(tool) for tool in tools), default=0.0)
    if nx.is_directed_acyclic_graph(digraph):
        layers = [list(layer) for layer in nx.topological_generations(digraph)]
        return _layered(layers, widest)
    radius = max(160.0, len(tools) * (_NODE_HEIGHT + 8) / math.pi)
    middle = (radius + widest / 2 + _MARGIN, radius + _MARGIN)
    unit = nx.circular_layout(digraph)
    places = {
        tool: (middle[0] + radius * float(x), middle[1] + radius * float(y))
        for tool, (x, y) in unit.items()
    }
    return places, 2 * middle[0], 2 * middle[1]


def _layered(
    layers: Sequence[Sequence[str]], widest: float
) -> tuple[dict[str, Point], float, float]:
    tallest = max((len(layer) for layer in layers), default=1)
    column, row = widest + 70, _NODE_HEIGHT + 34
    height = tallest * row + _MARGIN
    places = {
        tool: (
            _MARGIN + widest / 2 + column * rank,
            height / 2 + row * (index - (len(layer) - 1) / 2),
        )
        for rank, layer in enumerate(layers)
        for index, tool in enumerate(layer)
    }
    return places, 2 * _MARGIN + widest + column * max(len(layers) - 1, 0), height


def _width(tool: str) -> float:
    return _CHARACTER * len(tool) + 16


def _node(tool: str, place: Point, description: str) -> str:
    width = _width(tool)
    return (
        f"<g><title>{escape(description or tool)}</title>"
        f'<rect x="{place[0] - width / 2:.1f}" y="{place[1] - _NODE_HEIGHT / 2:.1f}" '
        f'width="{width:.1f}" height="{_NODE_HEIGHT}" rx="4" fill="#f4f6f8" stroke="#444444"/>'
        f'<text x="{place[0]:.1f}" y="{place[1] + 4:.1f}" text-anchor="middle">'
        f"{escape(tool)}</text></g>"
    )


def _edge(edge: Edge, places: Mapping[str, Point], colour: str) -> str:
    start, end = places[edge.source], places[edge.target]
    start, end = _border(end, start, _width(edge.source)), _border(start, end, _width(edge.target))
    # Bent to one side, so that an edge and its opposite do not lie on each other.
    bend = (
        (start[0] + end[0]) / 2 - (end[1] - start[1]) * 0.08,
        (start[1] + end[1]) / 2 + (end[0] - start[0]) * 0.08,
    )
    label = f"{edge.source} → {edge.target} ({edge.type})"
    return (
        f'<path d="M{start[0]:.1f},{start[1]:.1f} Q{bend[0]:.1f},{bend[1]:.1f} '
        f'{end[0]:.1f},{end[1]:.1f}" fill="none" stroke="{colour}" stroke-opacity="0.55" '
        f'marker-end="url(#{_marker(edge.type)})"><title>{escape(label)}</title></path>'
    )


def _border(outside: Point, centre: Point, width: float) -> Point:
    """Return where the line from outside to a node's centre meets the node's border."""
    dx, dy = outside[0] - centre[0], outside[1] - centre[1]
    if not dx and not dy:
        return centre
    reach = min(
        width / 2 / abs(dx) if dx else math.inf,
        _NODE_HEIGHT / 2 / abs(dy) if dy else math.inf,
    )
    return centre[0] + dx * reach, centre[1] + dy * reach


def _marker(type_: str) -> str:
    return "arrow-" + "".join(f"{ord(sign):x}" for sign in type_)


def _arrow_head(type_: str, colour: str) -> str:
    return (
        f'<defs><marker id="{_marker(type_)}" viewBox="0 0 8 8" refX="7" refY="4" '
        'markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0,0 L8,4 L0,8 z" fill="{colour}"/></marker></defs>'
    )


def _legend(colours: Mapping[str, str], top: float) -> list[str]:
    return [
        f'<line x1="{_MARGIN}" y1="{y:.0f}" x2="{_MARGIN + 30}" y2="{y:.0f}" stroke="{colour}" '
        f'stroke-width="2"/><text x="{_MARGIN + 38}" y="{y + 4:.0f}">{escape(type_)}</text>'
        for y, (type_, colour) in zip(
            (top + 10 + 24 * index for index in range(len(colours))), colours.items(), strict=True
        )
    ]

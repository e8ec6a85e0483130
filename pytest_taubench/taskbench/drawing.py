"""Draw a tool graph or a subgraph of it: Graphviz DOT, and an SVG of our own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from pytest_taubench.taskbench.graph import Edge, ToolGraph
from pytest_taubench.taskbench.layout import MARGIN, NODE_HEIGHT, Point, lay_out, node_width
from pytest_taubench.taskbench.sampling import Subgraph

# Okabe and Ito's palette, told apart by colour-blind readers too.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555")


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

    What has no cycle is laid out in layers from left to right, anything else on an ellipse. Each
    edge type has a colour, named in the legend.
    """
    tools, edges = _parts(graph, subgraph)
    layout = lay_out(tools, edges)
    width, height = layout.width, layout.height
    colours = edge_colours(edges)
    body = [_arrow_head(type_, colour) for type_, colour in colours.items()]
    body += [
        _edge(edge, layout.paths[edge.source, edge.target], colours[edge.type]) for edge in edges
    ]
    body += [_node(tool, layout.places[tool], graph.tools[tool].description) for tool in tools]
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


def _node(tool: str, place: Point, description: str) -> str:
    width = node_width(tool)
    return (
        f"<g><title>{escape(description or tool)}</title>"
        f'<rect x="{place[0] - width / 2:.1f}" y="{place[1] - NODE_HEIGHT / 2:.1f}" '
        f'width="{width:.1f}" height="{NODE_HEIGHT}" rx="4" fill="#f4f6f8" stroke="#444444"/>'
        f'<text x="{place[0]:.1f}" y="{place[1] + 4:.1f}" text-anchor="middle">'
        f"{escape(tool)}</text></g>"
    )


def _edge(edge: Edge, path: str, colour: str) -> str:
    label = f"{edge.source} → {edge.target} ({edge.type})"
    return (
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-opacity="0.55" '
        f'marker-end="url(#{_marker(edge.type)})"><title>{escape(label)}</title></path>'
    )


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
        f'<line x1="{MARGIN}" y1="{y:.0f}" x2="{MARGIN + 30}" y2="{y:.0f}" stroke="{colour}" '
        f'stroke-width="2"/><text x="{MARGIN + 38}" y="{y + 4:.0f}">{escape(type_)}</text>'
        for y, (type_, colour) in zip(
            (top + 10 + 24 * index for index in range(len(colours))), colours.items(), strict=True
        )
    ]

"""Draw a tool graph or a subgraph of it in Graphviz's language, which lays it out too."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_taubench.taskbench.graph import Edge, ToolGraph
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

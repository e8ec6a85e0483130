"""Figures about a tool graph."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from pytest_taubench.taskbench.graph import ToolGraph


@dataclass(frozen=True)
class GraphStatistics:
    """What a tool graph amounts to.

    Attributes:
        name: The graph's name.
        dependency: ``resource`` or ``temporal``.
        tools: How many tools.
        edges: How many edges.
        edges_by_type: How many of each type, most frequent first.
        density: Edges in relation to all ordered pairs of tools.
        mean_degree: Mean number of edges in or out of a tool.
        sources: Tools that no edge leads to.
        sinks: Tools that no edge leads from.
        components: Parts that no edge ties together, whatever its direction.
        largest_cycle_component: Tools in the largest set that can reach one another.
    """

    name: str
    dependency: str
    tools: int
    edges: int
    edges_by_type: dict[str, int]
    density: float
    mean_degree: float
    sources: list[str]
    sinks: list[str]
    components: int
    largest_cycle_component: int

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON-able data."""
        return asdict(self)


def graph_statistics(graph: ToolGraph) -> GraphStatistics:
    """Return figures about a graph."""
    import networkx as nx

    digraph = graph.digraph
    number = len(graph.tools)
    return GraphStatistics(
        name=graph.name,
        dependency=graph.dependency,
        tools=number,
        edges=len(graph.edges),
        edges_by_type=dict(Counter(edge.type for edge in graph.edges).most_common()),
        density=nx.density(digraph),
        mean_degree=2 * len(graph.edges) / number if number else 0.0,
        sources=[tool for tool in graph.tools if not digraph.in_degree(tool)],
        sinks=[tool for tool in graph.tools if not digraph.out_degree(tool)],
        components=nx.number_weakly_connected_components(digraph),
        largest_cycle_component=max(map(len, nx.strongly_connected_components(digraph)), default=0),
    )

"""Tool graphs: tools as nodes, and an edge where one tool's work can go before another's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import networkx as nx

Dependency = Literal["resource", "temporal"]

TEMPORAL_EDGE_TYPE = "complete"
"""The type of every edge of a temporal graph, in which any tool may follow any other."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a temporal graph's tool."""

    name: str
    type: str = "string"
    description: str = ""


@dataclass(frozen=True)
class GraphTool:
    """One tool of a tool graph.

    Attributes:
        id: The name the annotation uses.
        description: One sentence for the model.
        inputs: Of a resource graph, the types taken, repeated where several are.
        outputs: Of a resource graph, the types given.
        parameters: Of a temporal graph, the named parameters.
    """

    id: str
    description: str = ""
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()

    def capacity(self, type_: str) -> int:
        """Return how many inputs of a type the tool takes."""
        return self.inputs.count(type_)


@dataclass(frozen=True)
class Edge:
    """An edge from the tool that goes first to the one that may follow."""

    source: str
    target: str
    type: str


@dataclass(frozen=True)
class ToolGraph:
    """A tool graph (arXiv 2311.18760, section 3.1).

    Attributes:
        name: The graph's name.
        dependency: ``resource``: outputs feed inputs; ``temporal``: tools follow one another.
        tools: The tools by id, in the file's order.
        edges: The edges, at most one an ordered pair.
    """

    name: str
    dependency: Dependency
    tools: Mapping[str, GraphTool]
    edges: tuple[Edge, ...] = field(repr=False)

    @cached_property
    def edge_types(self) -> Mapping[tuple[str, str], str]:
        """The edges' types by (source, target)."""
        return {(edge.source, edge.target): edge.type for edge in self.edges}

    @cached_property
    def output_types(self) -> Mapping[str, str]:
        """The first output type of each tool, ``none`` where it gives nothing."""
        return {t.id: t.outputs[0] if t.outputs else "none" for t in self.tools.values()}

    @cached_property
    def _by_spoken_name(self) -> Mapping[str, str]:
        return {spoken_name(id_): id_ for id_ in self.tools}

    def tool_id(self, name: str) -> str:
        """Return the id that a plan's name of a tool means, or the name where it means none.

        In a resource graph ``_`` stands for a space, on both sides, as in the published code.
        """
        if self.dependency == "temporal":
            return name
        spoken = spoken_name(name)
        return self._by_spoken_name.get(spoken, spoken)

    @cached_property
    def digraph(self) -> nx.DiGraph[str]:
        """The graph for networkx; edges carry their ``type``."""
        import networkx as nx

        digraph: nx.DiGraph[str] = nx.DiGraph(name=self.name)
        digraph.add_nodes_from(self.tools)
        digraph.add_edges_from((e.source, e.target, {"type": e.type}) for e in self.edges)
        return digraph


def spoken_name(name: str) -> str:
    """Return a resource graph's tool name as it is compared: with spaces for ``_``."""
    return name.replace("_", " ")


def build_graph(
    name: str,
    dependency: Dependency,
    tools: Iterable[GraphTool],
    edges: Sequence[Edge] | None = None,
) -> ToolGraph:
    """Build a graph from tools, its edges by the dependency's rule unless they are given."""
    by_id = {tool.id: tool for tool in tools}
    if edges is None:
        rule = resource_edges if dependency == "resource" else temporal_edges
        edges = rule(list(by_id.values()))
    return ToolGraph(name, dependency, by_id, tuple(edges))


def resource_edges(tools: Sequence[GraphTool]) -> list[Edge]:
    """Return an edge wherever some output type of one tool is an input type of another."""
    edges = []
    for producer in tools:
        for consumer in tools:
            shared = [t for t in producer.outputs if t in consumer.inputs]
            if shared and producer.id != consumer.id:
                edges.append(Edge(producer.id, consumer.id, shared[0]))
    return edges


def temporal_edges(tools: Sequence[GraphTool]) -> list[Edge]:
    """Return an edge for every ordered pair of tools."""
    return [
        Edge(first.id, second.id, TEMPORAL_EDGE_TYPE)
        for first in tools
        for second in tools
        if first.id != second.id
    ]


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

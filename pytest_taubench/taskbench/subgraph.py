"""A sampled subgraph, and what makes one valid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from pytest_taubench.errors import TauBenchError
from pytest_taubench.taskbench.graph import Edge, GraphTool, ToolGraph

SampleMode = Literal["node", "chain", "dag"]
SAMPLE_MODES: tuple[SampleMode, ...] = ("node", "chain", "dag")

SAMPLE_TYPE = {"node": "single", "chain": "chain", "dag": "dag"}
"""The ``type`` that a sample of each mode has in TaskBench's data."""


class NoSuchSubgraph(TauBenchError):
    """A graph has no subgraph of the mode and size asked for."""


@dataclass(frozen=True)
class Subgraph:
    """A subgraph of a tool graph.

    Attributes:
        mode: ``node``, ``chain`` or ``dag``.
        tools: The tools' ids, producers before consumers.
        edges: The edges.
    """

    mode: SampleMode
    tools: tuple[str, ...]
    edges: tuple[Edge, ...]

    @property
    def branches(self) -> bool:
        """True when some tool has several producers or several consumers: a real DAG."""
        ends = Counter(("from", edge.source) for edge in self.edges)
        ends.update(("to", edge.target) for edge in self.edges)
        return any(times > 1 for times in ends.values())

    def as_sample(self, graph: ToolGraph, id_: str, seed: int) -> dict[str, Any]:
        """Return the fields of a TaskBench sample that sampling decides."""
        return {
            "id": id_,
            "seed": seed,
            "n_tools": len(self.tools),
            "type": SAMPLE_TYPE[self.mode],
            "sampled_nodes": [_node(graph.tools[tool], graph) for tool in self.tools],
            "sampled_links": [{"source": e.source, "target": e.target} for e in self.edges],
        }


def _node(tool: GraphTool, graph: ToolGraph) -> dict[str, Any]:
    if graph.dependency == "resource":
        return {
            "task": tool.id,
            "input-type": list(tool.inputs),
            "output-type": list(tool.outputs),
        }
    arguments = [{"name": p.name, "type": p.type, "desc": p.description} for p in tool.parameters]
    return {"task": tool.id, "arguments": arguments}


def subgraph_problems(graph: ToolGraph, subgraph: Subgraph, size: int) -> list[str]:
    """Say why a subgraph is not a valid one of its mode and size; empty when it is.

    Written from the definition alone and knowing nothing of how subgraphs are drawn.
    """
    problems = list(_tool_problems(graph, subgraph, size))
    problems += _edge_problems(graph, subgraph)
    if problems:
        return problems
    if subgraph.mode == "dag":
        return list(_dag_problems(graph, subgraph))
    path = list(pairwise(subgraph.tools)) if subgraph.mode == "chain" else []
    if [(edge.source, edge.target) for edge in subgraph.edges] != path:
        return [f"the edges are not those of a {subgraph.mode}"]
    return []


def _tool_problems(graph: ToolGraph, subgraph: Subgraph, size: int) -> Iterator[str]:
    if len(subgraph.tools) != size:
        yield f"{len(subgraph.tools)} tools instead of {size}"
    if len(set(subgraph.tools)) < len(subgraph.tools):
        yield "a tool is there twice"
    yield from (f"no such tool: {tool}" for tool in subgraph.tools if tool not in graph.tools)


def _edge_problems(graph: ToolGraph, subgraph: Subgraph) -> Iterator[str]:
    pairs = Counter((edge.source, edge.target) for edge in subgraph.edges)
    yield from (f"the edge {pair} is there twice" for pair, times in pairs.items() if times > 1)
    for edge in subgraph.edges:
        if graph.edge_types.get((edge.source, edge.target)) != edge.type:
            yield f"the graph has no such edge: {edge}"
        if edge.source not in subgraph.tools or edge.target not in subgraph.tools:
            yield f"the edge leaves the subgraph: {edge}"


def _dag_problems(graph: ToolGraph, subgraph: Subgraph) -> Iterator[str]:
    import networkx as nx

    digraph: nx.DiGraph[str] = nx.DiGraph()
    digraph.add_nodes_from(subgraph.tools)
    digraph.add_edges_from((edge.source, edge.target) for edge in subgraph.edges)
    if not nx.is_directed_acyclic_graph(digraph):
        yield "there is a cycle"
    if not nx.is_weakly_connected(digraph):
        yield "it falls apart"
    if graph.dependency == "temporal":
        return
    in_edges = Counter((edge.target, edge.type) for edge in subgraph.edges)
    for (tool, type_), times in in_edges.items():
        if times > graph.tools[tool].inputs.count(type_):
            yield f"{tool} takes {type_} from {times} tools and has fewer such inputs"

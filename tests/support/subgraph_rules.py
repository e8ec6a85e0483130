"""What makes a sampled subgraph a valid one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import networkx as nx

from pytest_taubench.taskbench.graph import ToolGraph
from pytest_taubench.taskbench.sampling import Subgraph


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

"""Node-set, edge-set and graph accuracy: whether a plan has exactly gold's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from pytest_taubench.taskbench.graph import ToolGraph
from pytest_taubench.taskbench.taskeval.plan import Plan


def same_graph(gold: Plan, prediction: Plan, graph: ToolGraph, *, arguments: bool = False) -> bool:
    """Return whether two plans are one graph, whatever order their nodes are listed in.

    Args:
        gold: The gold plan.
        prediction: The predicted one.
        graph: The tool graph.
        arguments: Compare parameters and values too.
    """
    mine, its = _labels(gold, arguments), _labels(prediction, arguments)
    if Counter(gold.links) != Counter(prediction.links) or Counter(mine) != Counter(its):
        return False
    if graph.dependency == "temporal":
        return True  # its links name tools, not nodes: there is nothing finer to compare
    if len(set(mine)) < len(mine):
        return _isomorphic(mine, gold.node_links, its, prediction.node_links)
    place = {label: node for node, label in enumerate(mine)}
    moved = [(place[its[s]], place[its[t]]) for s, t in prediction.node_links]
    return Counter(moved) == Counter(gold.node_links)


def _labels(plan: Plan, arguments: bool) -> list[Hashable]:
    if not arguments:
        return list(plan.tools)
    return [
        (tool, tuple(sorted((a.name, a.value) for a in own)))
        for tool, own in zip(plan.tools, plan.arguments, strict=True)
    ]


def _isomorphic(
    gold: Sequence[Hashable],
    gold_links: Sequence[tuple[int, int]],
    predicted: Sequence[Hashable],
    predicted_links: Sequence[tuple[int, int]],
) -> bool:
    """Match nodes of equal labels so that the links agree; needed only where labels repeat."""
    import networkx as nx
    from networkx.algorithms.isomorphism import categorical_edge_match, categorical_node_match

    graphs = []
    for labels, links in ((gold, gold_links), (predicted, predicted_links)):
        digraph: nx.DiGraph[int] = nx.DiGraph()
        digraph.add_nodes_from((node, {"label": label}) for node, label in enumerate(labels))
        for (source, target), times in Counter(links).items():
            digraph.add_edge(source, target, times=times)
        graphs.append(digraph)
    same_label, same_times = (
        categorical_node_match("label", None),
        categorical_edge_match("times", 1),
    )
    return nx.is_isomorphic(graphs[0], graphs[1], node_match=same_label, edge_match=same_times)

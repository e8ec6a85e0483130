"""Whether an annotation was made for the tool graph it is scored with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from pytest_taubench.errors import TaskFileError
from pytest_taubench.taskbench.graph import ToolGraph
from pytest_taubench.taskbench.graph_file import load_tool_graph, tool_graph_names


def check_graph_fits(gold: Iterable[Mapping[str, Any]], graph: ToolGraph, where: str) -> None:
    """Refuse annotations most of whose tools the graph does not have.

    Raises:
        TaskFileError: It names the bundled graph that does have them, where one does.
    """
    # By use: an annotation made by a model invents many names, each of them seldom.
    tools = Counter(tool for row in gold for tool in _tools(row))
    total = tools.total()
    missing = total - _known(tools, graph)
    if missing * 2 <= total:
        return
    better = _best_bundled(tools)
    hint = f"; the graph {better!r} has most of them" if better else ""
    raise TaskFileError(
        f"{where}: {missing} of its {total} nodes name no tool of the graph {graph.name!r}{hint}"
    )


def _tools(row: Mapping[str, Any]) -> Iterable[str]:
    nodes = row.get("task_nodes")
    for node in nodes if isinstance(nodes, list) else ():
        if isinstance(node, Mapping) and isinstance(node.get("task"), str):
            yield node["task"]


def _known(tools: Counter[str], graph: ToolGraph) -> int:
    return sum(times for tool, times in tools.items() if graph.tool_id(tool) in graph.tools)


def _best_bundled(tools: Counter[str]) -> str | None:
    known = {name: _known(tools, load_tool_graph(name)) for name in tool_graph_names()}
    best = max(known, key=lambda name: known[name], default=None)
    return best if best is not None and known[best] * 2 > tools.total() else None

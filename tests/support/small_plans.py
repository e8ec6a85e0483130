"""Plans written in a line, and the figures of a few of them."""

from __future__ import annotations

from typing import Any

from pytest_taubench.taskbench.graph_file import load_tool_graph
from pytest_taubench.taskbench.taskeval import GroupScore, evaluate


def node(task: str, *arguments: Any) -> dict[str, Any]:
    return {"task": task, "arguments": list(arguments)}


def named(task: str, **values: Any) -> dict[str, Any]:
    return node(task, *({"name": name, "value": value} for name, value in values.items()))


def plan(*nodes: dict[str, Any], links: Any = (), steps: Any = ("do it",)) -> dict[str, Any]:
    return {
        "task_steps": list(steps),
        "task_nodes": list(nodes),
        "task_links": [{"source": source, "target": target} for source, target in links],
    }


def score(
    gold: dict[str, Any],
    predicted: dict[str, Any] | None,
    mode: str = "strict",
    graph: str = "multimedia",
    group: str = "overall",
) -> GroupScore:
    rows = [] if predicted is None else [{"id": "1", "result": predicted}]
    result = evaluate([{"id": "1", "type": "chain", **gold}], rows, load_tool_graph(graph), mode)
    return result.groups[group]

"""Bring an annotation into an order in which its tools can run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pytest_taubench.taskbench.graph import ToolGraph
from pytest_taubench.taskbench.taskeval.modes import STRICT
from pytest_taubench.taskbench.taskeval.plan import read_gold_plan

_REFERENCE = re.compile(r"<node-(\d+)>")


def in_execution_order(plan: dict[str, Any], graph: ToolGraph) -> dict[str, Any]:
    """Return the plan with its nodes listed in order of execution and references renumbered.

    Published annotations list their tools as sampling left them, often by the alphabet.
    """
    read = read_gold_plan(plan, graph, STRICT.arguments)
    order = _earliest_first(len(read.tools), read.order)
    if order == sorted(order):
        return plan
    new_place = {old: new for new, old in enumerate(order)}
    nodes = [_renumbered(plan["task_nodes"][old], new_place) for old in order]
    return {**plan, "task_nodes": nodes}


def _earliest_first(size: int, before: Sequence[tuple[int, int]]) -> list[int]:
    """Return the topological order that keeps closest to the listed one."""
    remaining = list(range(size))
    order: list[int] = []
    while remaining:
        waiting = {later for earlier, later in before if earlier in remaining}
        ready = next((node for node in remaining if node not in waiting), remaining[0])
        remaining.remove(ready)
        order.append(ready)
    return order


def _renumbered(value: Any, new_place: dict[int, int]) -> Any:
    if isinstance(value, str):
        return _REFERENCE.sub(
            lambda found: f"<node-{new_place.get(int(found[1]), int(found[1]))}>", value
        )
    if isinstance(value, list):
        return [_renumbered(item, new_place) for item in value]
    if isinstance(value, dict):
        return {key: _renumbered(item, new_place) for key, item in value.items()}
    return value

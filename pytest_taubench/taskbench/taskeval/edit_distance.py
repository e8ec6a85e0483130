"""NED: how far a plan's order of tools is from gold's, as an indel similarity."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz.distance import Indel

from pytest_taubench.taskbench.graph import ToolGraph
from pytest_taubench.taskbench.taskeval.orders import longest_match
from pytest_taubench.taskbench.taskeval.plan import Plan


def listed_similarity(gold: Plan, prediction: Plan, graph: ToolGraph) -> float:
    """Compare the tools in listed order; unknown names are all one symbol."""
    numbers = {tool: number for number, tool in enumerate(graph.tools, start=1)}
    return indel_similarity(
        [numbers.get(tool, 0) for tool in gold.tools],
        [numbers.get(tool, 0) for tool in prediction.tools],
    )


def indel_similarity(gold: Sequence[int], prediction: Sequence[int]) -> float:
    """Return 1 − d/(|a|+|b|), d counting insertions and deletions; 1 for two empty ones."""
    return Indel.normalized_similarity(gold, prediction)


def execution_similarity(gold: Plan, prediction: Plan, graph: ToolGraph) -> float:
    """Compare with the order of execution that is closest: any in which gold's graph can run.

    With insertions and deletions alone d = |a| + |b| − 2·LCS, so the closest order is the one
    with the longest common subsequence.
    """
    size = len(gold.tools) + len(prediction.tools)
    if not size:
        return 1.0
    return 2 * longest_match(gold.tools, gold.order, prediction.tools) / size

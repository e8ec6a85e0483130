"""n-F1: which tools a plan uses."""

from __future__ import annotations

from pytest_taubench.taskbench.graph import ToolGraph
from pytest_taubench.taskbench.taskeval.counts import Counting, Counts
from pytest_taubench.taskbench.taskeval.plan import Plan


def count_nodes(
    gold: Plan, prediction: Plan, graph: ToolGraph, counting: Counting, known_only: bool
) -> Counts:
    """Compare the tools of two plans.

    Args:
        gold: The gold plan.
        prediction: The predicted one.
        graph: The tool graph.
        counting: Sets or multisets.
        known_only: Pass over tools that the graph does not have, hallucinated ones too.
    """
    if not known_only:
        return counting(gold.tools, prediction.tools)
    known = graph.tools.keys()
    return counting(
        [tool for tool in gold.tools if tool in known],
        [tool for tool in prediction.tools if tool in known],
    )

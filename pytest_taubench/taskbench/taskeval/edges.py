"""e-F1: which tools a plan links."""

from __future__ import annotations

from pytest_taubench.taskbench.taskeval.counts import Counting, Counts
from pytest_taubench.taskbench.taskeval.plan import Plan


def count_edges(gold: Plan, prediction: Plan, counting: Counting) -> Counts:
    """Compare the (source, target) links of two plans."""
    return counting(gold.links, prediction.links)

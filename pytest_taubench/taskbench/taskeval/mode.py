"""What the two modes of TaskEval decide; the metrics themselves are the same code for both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pytest_taubench.taskbench.graph import ToolGraph
from pytest_taubench.taskbench.taskeval.arguments import ArgumentRules
from pytest_taubench.taskbench.taskeval.counts import Counting
from pytest_taubench.taskbench.taskeval.faults import FaultKind
from pytest_taubench.taskbench.taskeval.plan import Plan


@dataclass(frozen=True)
class Mode:
    """A mode of TaskEval.

    Attributes:
        name: ``reference`` or ``strict``.
        arguments: How arguments are read.
        counting: Sets or multisets.
        known_tools_only: Pass over tools outside the graph in n-F1.
        nothing: The F1 of nothing against nothing.
        similarity: The similarity under NED.
        unreadable: Kinds of fault that leave a prediction without a graph to score.
        unreadable_gold: The same for an annotation, which is then left out.
        unreadable_scores_zero: Count a missing or unreadable prediction as 0 everywhere, instead
            of leaving it out.
    """

    name: str
    arguments: ArgumentRules
    counting: Counting
    known_tools_only: bool
    nothing: float
    similarity: Callable[[Plan, Plan, ToolGraph], float]
    unreadable: frozenset[FaultKind]
    unreadable_gold: frozenset[FaultKind]
    unreadable_scores_zero: bool

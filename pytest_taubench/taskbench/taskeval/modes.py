"""The two modes of TaskEval: comparable with published numbers, and what a user should trust."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pytest_taubench.taskbench.graph import ToolGraph
from pytest_taubench.taskbench.taskeval.arguments import ArgumentRules
from pytest_taubench.taskbench.taskeval.faults import PlanFaultKind
from pytest_taubench.taskbench.taskeval.metrics import (
    Counting,
    count_multisets,
    count_sets,
    execution_similarity,
    listed_similarity,
)
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
    unreadable: frozenset[PlanFaultKind]
    unreadable_gold: frozenset[PlanFaultKind]
    unreadable_scores_zero: bool


_DROPPED = frozenset(
    {
        PlanFaultKind.RESULT_MISSING,
        PlanFaultKind.RESULT_NOT_OBJECT,
        PlanFaultKind.NODES_MISSING,
        PlanFaultKind.NODES_NOT_LIST,
        PlanFaultKind.NODE_NOT_OBJECT,
        PlanFaultKind.TASK_MISSING,
        PlanFaultKind.TASK_NOT_TEXT,
        PlanFaultKind.ARGUMENTS_NOT_LIST,
        PlanFaultKind.ARGUMENT_NOT_OBJECT,
        PlanFaultKind.ARGUMENT_NAME_MISSING,
        PlanFaultKind.ARGUMENT_VALUE_MISSING,
        PlanFaultKind.LINKS_MISSING,
    }
)
"""Faults for which the published code leaves the whole sample out, though its steps still count."""

REFERENCE = Mode(
    name="reference",
    arguments=ArgumentRules(as_published=True),
    counting=count_sets,
    known_tools_only=True,
    nothing=0.0,
    similarity=listed_similarity,
    unreadable=_DROPPED,
    unreadable_gold=_DROPPED | {PlanFaultKind.ARGUMENTS_MISSING},
    unreadable_scores_zero=False,
)


_UNREADABLE = frozenset(
    {
        PlanFaultKind.RESULT_MISSING,
        PlanFaultKind.RESULT_NOT_OBJECT,
        PlanFaultKind.NODES_MISSING,
        PlanFaultKind.NODES_NOT_LIST,
    }
)

STRICT = Mode(
    name="strict",
    arguments=ArgumentRules(as_published=False),
    counting=count_multisets,
    known_tools_only=False,
    # Two empty sets agree, as edge-set accuracy has it: a perfect single-tool plan scores 1.
    nothing=1.0,
    similarity=execution_similarity,
    unreadable=_UNREADABLE,
    unreadable_gold=_UNREADABLE,
    unreadable_scores_zero=True,
)

"""Reference mode: comparable with published numbers."""

from __future__ import annotations

from pytest_taubench.taskbench.taskeval.arguments import ArgumentRules
from pytest_taubench.taskbench.taskeval.counts import count_sets
from pytest_taubench.taskbench.taskeval.edit_distance import listed_similarity
from pytest_taubench.taskbench.taskeval.faults import FaultKind
from pytest_taubench.taskbench.taskeval.mode import Mode

_DROPPED = frozenset(
    {
        FaultKind.RESULT_MISSING,
        FaultKind.RESULT_NOT_OBJECT,
        FaultKind.NODES_MISSING,
        FaultKind.NODES_NOT_LIST,
        FaultKind.NODE_NOT_OBJECT,
        FaultKind.TASK_MISSING,
        FaultKind.TASK_NOT_TEXT,
        FaultKind.ARGUMENTS_NOT_LIST,
        FaultKind.ARGUMENT_NOT_OBJECT,
        FaultKind.ARGUMENT_NAME_MISSING,
        FaultKind.ARGUMENT_VALUE_MISSING,
        FaultKind.LINKS_MISSING,
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
    unreadable_gold=_DROPPED | {FaultKind.ARGUMENTS_MISSING},
    unreadable_scores_zero=False,
)

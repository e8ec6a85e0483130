"""Strict mode: what a user should trust."""

from __future__ import annotations

from pytest_taubench.taskbench.taskeval.arguments import ArgumentRules
from pytest_taubench.taskbench.taskeval.counts import count_multisets
from pytest_taubench.taskbench.taskeval.edit_distance import execution_similarity
from pytest_taubench.taskbench.taskeval.faults import FaultKind
from pytest_taubench.taskbench.taskeval.mode import Mode

_UNREADABLE = frozenset(
    {
        FaultKind.RESULT_MISSING,
        FaultKind.RESULT_NOT_OBJECT,
        FaultKind.NODES_MISSING,
        FaultKind.NODES_NOT_LIST,
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

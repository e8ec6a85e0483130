"""The paper's four classes of failure (arXiv 2406.12045, section 5), read off the faults.

The paper's authors sorted failed trials by hand; these rules stand in for that. The first that
applies gives the class:

1. *wrong decision*: another tool than the right one, a write where none was to be, a hand-over
   where none was to be, the right calls in an order that matters.
2. *wrong argument*: the right tool with an argument that leads to another database.
3. *wrong decision*: a write too many.
4. *partly resolved*: something that was asked for is left undone, though a part was done right.
5. *wrong decision*: an annotated action is left undone, and nothing else was done right.
6. *wrong information*: the database is right, and the user was not told what was asked for.

What is undone when a trial is broken off, at the step cap say, or because the user left, shows no
decision of the agent. Such a trial has a class only where it holds another fault besides.
"""

from __future__ import annotations

from collections.abc import Set

from pytest_taubench.schema import FaultKind, PaperClass

BREAKS_OFF = frozenset(
    {
        FaultKind.UNFINISHED,
        FaultKind.AGENT_ERROR,
        FaultKind.AGENT_TIMEOUT,
        FaultKind.CONTEXT_LENGTH,
        FaultKind.EARLY_STOP,
    }
)
_DECISIONS = frozenset(
    {
        FaultKind.WRONG_TOOL,
        FaultKind.FORBIDDEN_WRITE,
        FaultKind.WRONG_TRANSFER,
        FaultKind.WRONG_ORDER,
    }
)
_UNDONE = frozenset({FaultKind.MISSING_ACTION, FaultKind.MISSING_INFORMATION})


def paper_class(kinds: Set[FaultKind], *, part_done: bool) -> PaperClass | None:
    """Return the class of a failed trial, or None where none of the four shows.

    Args:
        kinds: The kinds of its faults.
        part_done: Whether a part of what was asked for was done right.
    """
    if kinds & BREAKS_OFF:
        kinds = kinds - _UNDONE
    if kinds & _DECISIONS:
        return PaperClass.WRONG_DECISION
    if FaultKind.WRONG_ARGUMENT in kinds:
        return PaperClass.WRONG_ARGUMENT
    if FaultKind.EXTRA_ACTION in kinds:
        return PaperClass.WRONG_DECISION
    if FaultKind.MISSING_ACTION in kinds:
        return PaperClass.PARTLY_RESOLVED if part_done else PaperClass.WRONG_DECISION
    if FaultKind.MISSING_INFORMATION in kinds:
        return PaperClass.WRONG_INFORMATION
    return None

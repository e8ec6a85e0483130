"""The actions component: the agent made each annotated call."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_taubench.environment.compare import same, short
from pytest_taubench.schema import Action, ActionRecord, Component


def grade_actions(gold_actions: Sequence[Action], executed: Sequence[ActionRecord]) -> Component:
    """Grade which of the annotated calls the agent made, in whatever order.

    A call counts when name and arguments are the same by meaning and the tool did not refuse
    it. Calls beyond the annotated ones do not matter.

    Args:
        gold_actions: The annotated actions.
        executed: The calls of the trial.

    Returns:
        The component, with the ``made`` and ``missing`` calls; vacuous when none is annotated.
    """
    made = [action for action in gold_actions if _was_made(action, executed)]
    missing = [action for action in gold_actions if not _was_made(action, executed)]
    return Component(
        name="actions",
        value=float(not missing),
        detail={
            "made": [_call(each) for each in made],
            "missing": [_call(each) for each in missing],
        },
        vacuous=not gold_actions,
    )


def _was_made(action: Action, executed: Sequence[ActionRecord]) -> bool:
    return any(
        each.ok and each.name == action.name and same(each.arguments, action.arguments)
        for each in executed
    )


def _call(action: Action) -> str:
    return f"{action.name}({short(action.arguments, 200)})"

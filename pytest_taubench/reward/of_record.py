"""The reward of a trial whose calls and changes its record holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_taubench.reward.gold import Gold
from pytest_taubench.reward.reward import grade
from pytest_taubench.schema import Component, RewardComponent, Task, TrialRecord


def grade_record(
    record: TrialRecord,
    task: Task,
    gold: Gold,
    texts: Iterable[str | None],
    *,
    basis: Sequence[RewardComponent] = (),
    nl_assertions: Component | None = None,
) -> None:
    """Set a record's components and reward.

    Args:
        record: The trial's record, with its actions, its changes and how it ended.
        task: Its task.
        gold: The task's gold end state.
        texts: What the agent said to the user.
        basis: The components that make the reward, in place of the task's own.
        nl_assertions: That component, where a judge model has graded it.

    Raises:
        ValueError: The basis names a component that was not graded.
    """
    reward, record.components = grade(
        list(basis) or task.reward_basis,
        gold=gold,
        actual=record.actual_changes,
        outputs=task.outputs,
        texts=texts,
        match=task.output_match,
        gold_actions=task.actions,
        executed=record.actions,
        nl_assertions=nl_assertions,
    )
    # A task that did not come to its end is not solved, whatever the database holds.
    record.reward = reward if record.ending.terminated else 0.0

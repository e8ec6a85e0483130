"""The reward: the product of its components (arXiv 2406.12045, section 3.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_taubench.reward.actions import grade_actions
from pytest_taubench.reward.database import Gold, grade_database
from pytest_taubench.reward.outputs import grade_outputs
from pytest_taubench.schema import (
    Action,
    ActionRecord,
    Changes,
    Component,
    OutputMatch,
    RewardComponent,
    Task,
    TrialRecord,
)


def grade(
    basis: Sequence[RewardComponent],
    *,
    gold: Gold,
    actual: Changes,
    outputs: Sequence[str],
    texts: Iterable[str | None],
    match: OutputMatch = "value",
    heard: Iterable[str | None] = (),
    gold_actions: Sequence[Action] = (),
    executed: Sequence[ActionRecord] = (),
    nl_assertions: Component | None = None,
) -> tuple[float, list[Component]]:
    """Grade a trial.

    Every component that can be is computed and recorded, so that a reader sees them all; the
    reward is the product of those in the basis, and each says in its detail whether it
    ``counted``.

    Args:
        basis: The components that make the reward.
        gold: The gold end state.
        actual: The records the trial changed.
        outputs: The annotated outputs.
        texts: What the agent said to the user.
        match: How outputs are compared.
        heard: What tools and user said to the agent.
        gold_actions: The annotated actions.
        executed: The calls of the trial.
        nl_assertions: That component, where a judge model has graded it.

    Returns:
        The reward, and the components in a fixed order.

    Raises:
        ValueError: The basis names a component that was not graded.
    """
    graded = [
        grade_database(gold, actual),
        grade_outputs(outputs, texts, match, heard=heard),
        grade_actions(gold_actions, executed),
    ]
    if nl_assertions is not None:
        graded.append(nl_assertions)
    ungraded = set(basis) - {component.name for component in graded}
    if ungraded:
        raise ValueError(f"the reward basis names what was not graded: {', '.join(ungraded)}")
    components = [_counted(component, component.name in basis) for component in graded]
    reward = 1.0
    for component in counted(components):
        reward *= component.value
    return reward, components


def counted(components: Iterable[Component]) -> list[Component]:
    """Return the components the reward is the product of."""
    return [each for each in components if each.detail.get("counted", True)]


def proves_nothing(components: Iterable[Component]) -> bool:
    """Tell whether a reward of 1 rests on nothing: no counted component had aught to grade.

    An agent that does nothing would have it as well, so whoever shows the reward should say so.
    """
    return all(component.vacuous for component in counted(components))


def _counted(component: Component, in_basis: bool) -> Component:
    return component.model_copy(update={"detail": {**component.detail, "counted": in_basis}})


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
        heard=(m.content for m in record.trajectory if m.role in ("tool", "user")),
        gold_actions=task.actions,
        executed=record.actions,
        nl_assertions=nl_assertions,
    )
    # A task that did not come to its end is not solved, whatever the database holds.
    record.reward = reward if record.ending.terminated else 0.0

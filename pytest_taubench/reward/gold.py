"""The gold end state of a task: what its annotated actions leave behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pytest_taubench.environment.environment import Environment, ToolResult
from pytest_taubench.schema import Action, Changes


@dataclass(frozen=True)
class Gold:
    """What the annotated actions of a task lead to.

    Attributes:
        changes: The records they change.
        failures: One line for each action that fails, e.g. ``3. cancel_order: Error: ...``;
            a fault of the task, since nobody can have meant a state it does not reach.
        results: What each action answered, in order.
    """

    changes: Changes
    failures: list[str] = field(default_factory=list)
    results: tuple[ToolResult, ...] = ()


def gold_state(domain_environment: Environment, actions: Sequence[Action]) -> Gold:
    """Run the annotated actions, reads too, and return where they lead.

    They run on an environment of their own, so that grading can never touch the trial's.

    Args:
        domain_environment: Any environment of the task's domain; left as it is.
        actions: The annotated actions.

    Raises:
        InfrastructureError: A tool is broken.
    """
    environment = domain_environment.fresh()
    results = tuple(environment.call(each.name, each.arguments) for each in actions)
    failures = [
        f"{number}. {action.name}: {result.content}"
        for number, (action, result) in enumerate(zip(actions, results, strict=True), start=1)
        if not result.ok
    ]
    return Gold(environment.changes(), failures, results)

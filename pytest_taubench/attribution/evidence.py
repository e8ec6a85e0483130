"""What the rules read: a failed trial beside its annotation, its calls matched with gold's."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_taubench.attribution.calls import Call, Place, different_places, successful_writes
from pytest_taubench.attribution.matching import Matching, match_calls
from pytest_taubench.environment.environment import Environment
from pytest_taubench.schema import ActionRecord, Component, Task, TrialRecord


@dataclass(frozen=True)
class Evidence:
    """A failed trial and its annotation.

    Attributes:
        record: The trial's record, graded.
        task: The annotation.
        environment: Any environment of the domain.
        gold: The annotated write calls that change anything.
        made: The trial's write calls, those too that wrote what was there already.
        writes: These, matched.
        wrong: The records that end otherwise than in gold.
    """

    record: TrialRecord
    task: Task
    environment: Environment
    gold: list[Call]
    made: list[Call]
    writes: Matching
    wrong: frozenset[Place]

    @property
    def gold_transfers(self) -> bool:
        """True where the annotation ends the episode by a tool, as a transfer to a human does."""
        tools = [self.environment.tools.get(action.name) for action in self.task.actions]
        return any(tool is not None and tool.ends_episode for tool in tools)

    @property
    def refused(self) -> list[ActionRecord]:
        """The trial's calls that were answered with an error."""
        return [call for call in self.record.actions if not call.ok]

    def failing(self, name: str) -> Component | None:
        """Return the component of that name where it is why the reward is 0."""
        component = self.record.component(name)
        if component is None or component.value == 1 or not component.detail.get("counted", True):
            return None
        return component

    def concerns(self, *calls: Call) -> bool:
        """Tell whether any of the calls changed a record that ends wrong.

        Several ways may lead to one database, so a call is looked at only for where it led.
        """
        return any(call.changed & self.wrong for call in calls)


def gather(record: TrialRecord, task: Task, environment: Environment) -> Evidence:
    """Return the evidence on a failed trial.

    Args:
        record: The graded record.
        task: The annotation.
        environment: Any environment of the domain; left as it is.
    """
    gold = [call for call in successful_writes(environment, task.actions) if call.changed]
    made = successful_writes(environment, record.actions)
    return Evidence(
        record=record,
        task=task,
        environment=environment,
        gold=gold,
        made=made,
        writes=match_calls(gold, made),
        wrong=frozenset(different_places(record.expected_changes, record.actual_changes)),
    )

"""One task as the checks see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pytest_taubench.environment.domain import Domain
from pytest_taubench.environment.environment import ToolResult
from pytest_taubench.lint.floor_trials import Floor, play_floor
from pytest_taubench.lint.knowledge import Knowledge, Lookups
from pytest_taubench.lint.leaves import leaves
from pytest_taubench.lint.words import Words, date_phrases
from pytest_taubench.reward import Gold, gold_state
from pytest_taubench.schema import Action, Changes, Task


@dataclass(frozen=True)
class Reached:
    """Where a sequence of actions leads.

    Attributes:
        results: What each action answered.
        changes: The records that differ from the start.
    """

    results: tuple[ToolResult, ...]
    changes: Changes


@dataclass(frozen=True)
class Write:
    """A gold action that changes the database.

    Attributes:
        index: Its place among the gold actions, from 0.
        action: The action.
    """

    index: int
    action: Action

    @property
    def label(self) -> str:
        """The action as findings name it, e.g. ``2. cancel_order``."""
        return f"{self.index + 1}. {self.action.name}"


class Case:
    """A task, its domain, and what follows from both; each part is worked out once, when asked.

    Args:
        task: The task.
        domain: Its domain.
        lookups: What reading tools answer, kept over the tasks of a domain.
    """

    def __init__(self, task: Task, domain: Domain, lookups: Lookups | None = None) -> None:
        self.task = task
        self.domain = domain
        self.lookups = lookups or Lookups(domain)

    @cached_property
    def gold(self) -> Gold:
        """Where the gold actions lead."""
        return gold_state(self.domain.environment(), self.task.actions)

    @cached_property
    def writes(self) -> list[Write]:
        """The gold actions whose tool writes."""
        tools = self.domain.tools
        return [
            Write(index, action)
            for index, action in enumerate(self.task.actions)
            if action.name in tools and tools[action.name].kind == "write"
        ]

    @cached_property
    def text(self) -> Words:
        """The words of the instruction."""
        return Words(self.task.instruction)

    @cached_property
    def knowledge(self) -> Knowledge:
        """What an agent can look up, starting from what instruction and gold actions name."""
        named = list(self.lookups.ids_in(self.task.instruction))
        named += [self.task.user_id] if self.task.user_id else []
        named += [
            value
            for action in self.task.actions
            for _, value in leaves(action.arguments)
            if isinstance(value, str)
        ]
        return Knowledge.of(self.lookups, named, [r.value for r in self.gold.results if r.ok])

    @cached_property
    def floor(self) -> Floor:
        """The rewards of agents that should fail, and of the one that plays the annotation."""
        asks = "database" in self.task.reward_basis and bool(self.gold.changes)
        return play_floor(self.task, self.domain, asks_for_change=asks)

    def phrases(self, value: Any) -> list[list[str]]:
        """Return the ways a text may name a value: as it is, as a date, or by its other name."""
        texts = [value, *self.lookups.other_names.get(str(value), ())]
        return [p for text in texts for p in (Words.of(text), *date_phrases(text)) if p]

    def run(self, actions: Sequence[Action]) -> Reached:
        """Run other actions than the gold ones, on a fresh environment."""
        environment = self.domain.environment()
        results = tuple(environment.call(each.name, each.arguments) for each in actions)
        return Reached(results, environment.changes())

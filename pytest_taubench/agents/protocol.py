"""What the episode asks of an agent, and what an agent is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pytest_taubench.schema import Message, ModelSettings, Usage


@dataclass(frozen=True)
class AgentContext:
    """All an agent may know before the conversation starts. No gold, no instruction, no database.

    Attributes:
        policy: The domain's policy; empty under ``--tau-no-policy``.
        tools: Python callables with signatures and docstrings, bound to this trial's
            database; every call is recorded as an action of the trial.
        tool_schemas: The same tools as OpenAI function descriptions.
        model: The model settings of the agent's role.
        seed: A seed of this trial's own.
        options: Further settings from the command line.
    """

    policy: str
    tools: Sequence[Callable[..., Any]]
    tool_schemas: Sequence[dict[str, Any]]
    model: ModelSettings
    seed: int
    options: Mapping[str, Any] = field(default_factory=dict)


class Agent(Protocol):
    """One agent in one trial, as the episode drives it."""

    async def step(self, messages: list[dict[str, Any]]) -> Message:
        """Return the next assistant message, text or tool calls.

        Args:
            messages: The conversation so far in OpenAI format, the policy first.

        Raises:
            AgentError: The agent's own fault; the trial is scored 0.
            InfrastructureError: Something outside failed; the trial is unscored.
        """
        ...

    def usage(self) -> Usage | None:
        """Return the model use so far, or None where the agent does not count it."""
        ...

    async def close(self) -> None:
        """Release what the agent holds; called once, whatever happened."""
        ...

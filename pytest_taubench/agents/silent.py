"""The agent that does nothing: what it passes is the floor of a benchmark."""

from __future__ import annotations

from typing import Any

from pytest_taubench.agents.protocol import AgentContext
from pytest_taubench.schema import Message, Usage


class SilentAgent:
    """Calls no tool and tells nothing, so that only the user can end the episode."""

    async def step(self, messages: list[dict[str, Any]]) -> Message:
        """Say that nothing will be done."""
        return Message(role="assistant", content="I have nothing to say to that.")

    def usage(self) -> Usage | None:
        """Return None: no model is used."""
        return None

    async def close(self) -> None:
        """Hold nothing."""


def make_silent(context: AgentContext) -> SilentAgent:
    """Return the agent that does nothing."""
    return SilentAgent()

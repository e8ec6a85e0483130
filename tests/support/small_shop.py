"""A domain of one table, small enough to read in a test of models."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from pytest_taubench import Database, Environment, Overlay, ToolError, tool
from pytest_taubench.agents.protocol import Agent, AgentContext
from pytest_taubench.llm.endpoint import Endpoint
from pytest_taubench.llm.provider import OpenAIModels
from pytest_taubench.llm.retry import Backoff
from pytest_taubench.schema import ModelSettings, Usage
from pytest_taubench.trial.episode import Episode
from pytest_taubench.users.protocol import User, UserTurn

POLICY = "Help with orders. Only pending orders can be cancelled."


@tool(kind="read")
def get_order(db: Overlay, order_id: str) -> dict[str, Any]:
    """Look an order up.

    Args:
        order_id: The order's id.
    """
    record = db.get("orders", order_id)
    if record is None:
        raise ToolError(f"no order {order_id}")
    return dict(record)


@tool(kind="write")
def cancel_order(db: Overlay, order_id: str) -> str:
    """Cancel an order.

    Args:
        order_id: The order's id.
    """
    db.edit("orders", order_id)["status"] = "cancelled"
    return "cancelled"


@tool(kind="generic")
def think(db: Overlay, thought: str) -> str:
    """Think.

    Args:
        thought: The thought.
    """
    return ""


TOOLS = {t.name: t for t in (get_order, cancel_order, think)}


def environment() -> Environment:
    """A shop with two pending orders."""
    return Environment(
        TOOLS, Database({"orders": {"#1": {"status": "pending"}, "#2": {"status": "pending"}}})
    )


async def at_once(seconds: float) -> None:
    """Stands in for sleep."""


def models(url: str, timeout: float = 5.0, attempts: int = 3) -> OpenAIModels:
    """Models at that address, which wait for nothing between attempts."""
    return OpenAIModels(
        backoff=Backoff(attempts=attempts, sleep=at_once),
        endpoint_of=lambda settings: Endpoint(settings.base_url or url, None, timeout),
    )


def agent_context(url: str, policy: str = POLICY, **options: Any) -> AgentContext:
    """What an agent of this shop is told; its model is at the address."""
    return AgentContext(
        policy=policy,
        tools=[],
        tool_schemas=environment().tool_schemas(),
        model=ModelSettings(name="test-model"),
        seed=1,
        options={"models": models(url), **options},
    )


class Lines:
    """A user that says its lines and stops after the last one."""

    def __init__(self, *lines: str) -> None:
        self._lines = list(lines)
        self.heard: list[str | None] = []

    async def respond(self, text: str | None) -> UserTurn:
        """Say the next line."""
        self.heard.append(text)
        return UserTurn(self._lines.pop(0)) if self._lines else UserTurn("", stop=True)

    def usage(self) -> Usage | None:
        """None."""
        return None

    def notes(self) -> list[str]:
        """None."""
        return []

    async def close(self) -> None:
        """Nothing to close."""


def play(
    make: Callable[[AgentContext], Agent],
    url: str,
    user: User | None = None,
    max_steps: int = 30,
    options: Mapping[str, Any] | None = None,
) -> tuple[Episode, Agent]:
    """Run one episode of an agent made in the running loop, and close it."""

    async def run() -> tuple[Episode, Agent]:
        episode = Episode(environment(), user or Lines("please cancel #1"), POLICY, max_steps)
        agent = make(agent_context(url, **(options or {})))
        try:
            await episode.run(agent)
        finally:
            await agent.close()
            await episode.user.close()
        return episode, agent

    return asyncio.run(run())

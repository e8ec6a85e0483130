"""An episode on a shop of one order, with a user and an agent who say their lines."""

import asyncio
import json

from pytest_taubench import Database, Environment, ToolError, UserTurn, tool
from pytest_taubench.agents.loading import adapt_agent
from pytest_taubench.agents.protocol import AgentContext, bind_tool
from pytest_taubench.schema import ModelSettings
from pytest_taubench.trial.episode import Episode


@tool(kind="read")
def look(db, order_id: str) -> dict:
    """Look an order up.

    Args:
        order_id: The order.
    """
    record = db.get("orders", order_id)
    if record is None:
        raise ToolError(f"there is no order {order_id}")
    return record


@tool(kind="write")
def cancel(db, order_id: str) -> str:
    """Cancel an order.

    Args:
        order_id: The order.
    """
    db.edit("orders", order_id)["status"] = "cancelled"
    return "cancelled"


@tool(kind="generic", ends_episode=True)
def transfer(db, summary: str) -> str:
    """Hand over to a person.

    Args:
        summary: What the person must know.
    """
    return "transferred"


TOOLS = {t.name: t for t in (look, cancel, transfer)}


class User:
    """Says its lines in turn; the last one stops unless it is told not to."""

    def __init__(self, *lines, stops=True):
        self.lines = list(lines) or ["cancel #1 please"]
        self.stops = stops
        self.heard = []

    async def respond(self, text):
        self.heard.append(text)
        line = self.lines.pop(0) if self.lines else ""
        return UserTurn(line or "go on", stop=self.stops and not line)

    def usage(self):
        return None

    def notes(self):
        return []

    async def close(self):
        pass


def call(name, arguments, call_id="c"):
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


def calls(*all_calls, text=None):
    return {"role": "assistant", "content": text, "tool_calls": list(all_calls)}


def play(*replies, user=None, max_steps=30, timeout=None):
    """Run an episode in which the agent gives the replies in turn, and then says "done"."""
    queue = list(replies)

    def agent(messages, tools):
        return queue.pop(0) if queue else "done"

    return run(agent, user=user, max_steps=max_steps, timeout=timeout)


def run(target, user=None, max_steps=30, timeout=None, tools=TOOLS):
    environment = Environment(tools, Database({"orders": {"#1": {"status": "pending"}}}))
    episode = Episode(environment, user or User(), "be kind", max_steps)
    context = AgentContext(
        policy="be kind",
        tools=[bind_tool(t, episode.call_tool) for t in tools.values()],
        tool_schemas=environment.tool_schemas(),
        model=ModelSettings(),
        seed=1,
    )

    async def go():
        made = adapt_agent(target).make(context)
        try:
            return await episode.run(made, timeout)
        finally:
            await made.close()

    assert asyncio.run(go()) == episode.ending
    return episode


def roles(episode):
    return [message.role for message in episode.trajectory]

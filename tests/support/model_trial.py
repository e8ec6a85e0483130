"""One trial in which agent and user are models, told by the test what to say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chat_server as wire
from chat_server import ChatServer

from pytest_taubench.schema import TrialRecord

if TYPE_CHECKING:
    from conftest import Shop

AGENT, USER = "model-of-the-agent", "model-of-the-user"
CANCEL = ("cancel_order", {"order_id": "A1"})
CANCELLING = """
domain: ../shop
tasks:
  - id: cancel
    instruction: You want order A1 cancelled.
    actions: [{name: cancel_order, arguments: {order_id: A1}}]
"""


def args_of(server: ChatServer, agent: str = "tool-calling", user: str = "llm") -> tuple[str, ...]:
    return (
        f"--tau-agent={agent}",
        f"--tau-agent-model={AGENT}",
        f"--tau-user={user}",
        f"--tau-user-model={USER}",
        f"--tau-base-url={server.url}",
    )


def play_one(
    shop: Shop, server: ChatServer, *more: str, agent: str = "tool-calling", user: str = "llm"
) -> TrialRecord:
    """Run the one task with both roles at the server, and return what was kept."""
    shop.tasks(CANCELLING)
    shop.run(*args_of(server, agent, user), *more)
    (record,) = shop.records()
    return record


def user_says(server: ChatServer, *texts: str) -> None:
    server.answer_with(*map(wire.text, texts), model=USER)


def agent_does(server: ChatServer, *responses: wire.Response) -> None:
    server.answer_with(*responses, model=AGENT)


def tool_answers(record: TrialRecord) -> list[str]:
    return [m.content or "" for m in record.trajectory if m.role == "tool"]

"""One question to the model of a loopback server, by the OpenAI client."""

from __future__ import annotations

import asyncio
import random
from typing import Any

from chat_server import ChatServer

from pytest_taubench.llm.chat import ChatReply
from pytest_taubench.llm.endpoint import Endpoint
from pytest_taubench.llm.openai_chat import OpenAIChatModel
from pytest_taubench.llm.retry import Backoff
from pytest_taubench.schema import ModelSettings

HELLO = [{"role": "user", "content": "hello"}]
TOOL = {
    "type": "function",
    "function": {"name": "get_order", "description": "Gets.", "parameters": {"type": "object"}},
}


class Waits:
    """Stands in for sleep: notes the seconds and goes on at once."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def ask(
    server: ChatServer,
    *,
    times: int = 1,
    tools: list[dict[str, Any]] | None = None,
    args: dict[str, Any] | None = None,
    timeout: float = 5.0,
    waits: Waits | None = None,
    attempts: int = 4,
    key: str | None = "sk-secret",
    **model_options: Any,
) -> ChatReply:
    """Ask the server's model for a reply, the given number of times, and return the last."""

    async def run() -> ChatReply:
        model = OpenAIChatModel(
            ModelSettings(name="test-model", args=args or {}),
            endpoint=Endpoint(server.url, key, timeout),
            backoff=Backoff(attempts=attempts, random=random.Random(1), sleep=waits or Waits()),
            **model_options,
        )
        try:
            for _ in range(times):
                reply = await model.complete(HELLO, tools)
            return reply
        finally:
            await model.close()

    return asyncio.run(run())

"""A short conversation to record, and a model that is asked it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from chat_server import ChatServer
from small_shop import models

from pytest_taubench.llm.chat import ChatReply
from pytest_taubench.llm.provider import ModelProvider
from pytest_taubench.llm.recording import RecordingModels
from pytest_taubench.schema import ModelSettings

SYSTEM = {"role": "system", "content": "The policy.\nIt has two lines."}
HELLO = {"role": "user", "content": "hello 東京"}
MORE = [{"role": "assistant", "content": "hi"}, {"role": "user", "content": "cancel #1"}]
TOOLS = [{"type": "function", "function": {"name": "get_order", "parameters": {}}}]
SETTINGS = ModelSettings(name="m")


def ask(provider: ModelProvider, *requests: list[dict[str, Any]], **named: Any) -> list[ChatReply]:
    """Make the calls of one role of one trial."""

    async def run() -> list[ChatReply]:
        trial = provider.for_trial(named.get("task", "shop/cancel"), named.get("trial", 1))
        model = trial.chat_model(named.get("role", "agent"), named.get("settings", SETTINGS))
        try:
            return [await model.complete(messages, TOOLS) for messages in requests]
        finally:
            await model.close()

    return asyncio.run(run())


def recording(server: ChatServer, folder: Path) -> RecordingModels:
    return RecordingModels(models(server.url), folder)

"""What the agents that are language models have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_taubench.agents.protocol import AgentContext
from pytest_taubench.errors import AgentError
from pytest_taubench.llm.chat import ChatModel, ChatReply
from pytest_taubench.llm.provider import models_in
from pytest_taubench.llm.usage import UsageTally
from pytest_taubench.schema import Usage

WITHHELD_IN_A_ROW = 3
"""Replies of which a content filter left nothing, after which it will go on so."""


class ModelAgent:
    """Holds an agent's model, counts its use and closes it."""

    def __init__(self, context: AgentContext) -> None:
        self._context = context
        # In the domain's order, the same in every turn and trial, so that the request's beginning
        # stays the same for an endpoint's prompt cache.
        self._tools = list(context.tool_schemas)
        self._tally = UsageTally()
        self._model: ChatModel | None = None
        self._withheld = 0

    def usage(self) -> Usage:
        """Return the model use so far."""
        return self._tally.total()

    async def close(self) -> None:
        """Close the model."""
        if self._model is not None:
            await self._model.close()

    async def _ask(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
    ) -> ChatReply:
        if self._model is None:
            self._model = models_in(self._context.options).chat_model("agent", self._context.model)
        reply = await self._model.complete(messages, tools)
        self._tally.add(reply)
        self._withheld = self._withheld + 1 if reply.withheld else 0
        if self._withheld >= WITHHELD_IN_A_ROW:
            raise AgentError(
                f"the agent's model gave nothing, {self._withheld} times in a row "
                f"(finish_reason: {reply.finish_reason})"
            )
        return reply

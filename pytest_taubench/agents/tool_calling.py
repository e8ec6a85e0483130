"""The function-calling agent of arXiv 2406.12045: the policy as system prompt, native tool calls."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_taubench.agents.protocol import Agent, AgentContext
from pytest_taubench.errors import AgentError
from pytest_taubench.llm.chat import ChatModel, ChatReply, UsageTally
from pytest_taubench.llm.provider import models_in
from pytest_taubench.schema import Message, Usage

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


_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST_NAME = 64


class ToolCallingAgent(ModelAgent):
    """Sends the conversation as it stands and returns what the model says, faults included.

    The episode answers what is wrong with a reply (broken arguments, an unknown tool, nothing at
    all), so the agent needs no rules of its own.
    """

    async def step(self, messages: list[dict[str, Any]]) -> Message:
        """Return the model's next message; see Agent.step."""
        reply = await self._ask(self._sent(messages), self._tools)
        return reply.said

    def _sent(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [sendable(message) for message in messages]


def make_tool_calling(context: AgentContext) -> Agent:
    """Return the agent of one trial."""
    return ToolCallingAgent(context)


def sendable(message: dict[str, Any]) -> dict[str, Any]:
    """Return the message in a form that strict endpoints take back.

    Several servers refuse a history with an assistant message that is empty, whose arguments are
    no JSON object, or with a tool name of other signs than theirs (models invent
    ``multi_tool_use.parallel``), and would so turn one slip of the model into the end of its trial.
    """
    if message["role"] == "tool" and "name" in message:
        return message | {"name": _sendable_name(message["name"])}
    if message["role"] != "assistant":
        return message
    calls = message.get("tool_calls")
    if not calls:
        return message | {"content": message.get("content") or ""}
    return message | {"tool_calls": [_sendable_call(call) for call in calls]}


def _sendable_call(call: dict[str, Any]) -> dict[str, Any]:
    function = call["function"]
    name, arguments = _sendable_name(function["name"]), function["arguments"]
    try:
        well_formed = isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        well_formed = False
    if not well_formed:
        arguments = json.dumps({"not_a_json_object": arguments}, ensure_ascii=False)
    return call | {"function": {"name": name, "arguments": arguments}}


def _sendable_name(name: str) -> str:
    return _NOT_IN_NAMES.sub("_", name)[:_LONGEST_NAME] or "unnamed"

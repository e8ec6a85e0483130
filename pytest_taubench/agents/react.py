"""The text agents of arXiv 2406.12045: ``react`` (thought, then action) and ``act`` (action only)."""

from __future__ import annotations

import json
from typing import Any

from pytest_taubench.agents.model_agent import ModelAgent
from pytest_taubench.agents.protocol import Agent, AgentContext
from pytest_taubench.agents.text_action import RESPOND, FormatError, TextAction, read_action
from pytest_taubench.schema import FunctionCall, Message, ToolCall

_ACTION = """\
Action: {"name": "<tool>", "arguments": {<the tool's arguments>}}

The action is one JSON object, with nothing after it. To say something to the user, use the
name "%s":

Action: {"name": "%s", "arguments": {"content": "<what the user reads>"}}

The next message shows you the tool's result or the user's answer."""

REACT_FORMAT = f"""\
# How to reply
Take one step in each reply. First think in a line or two about what you know and what comes next,
then act:

Thought: <your reasoning; the user never sees it>
{_ACTION % (RESPOND, RESPOND)}"""

ACT_FORMAT = f"""\
# How to reply
Take one step in each reply, written as:

{_ACTION % (RESPOND, RESPOND)}"""


class TextAgent(ModelAgent):
    """An agent that writes its act as text, for models without native tool calls.

    A reply that breaks the format is returned as a message with neither text nor tool call, its words
    kept as the thought. It counts as an action, as every reply of the model must, and the episode
    goes on. In place of the episode's general answer the model reads what was wrong with the format.

    Args:
        context: The trial's context.
        instructions: The format, as the model is told it.
    """

    def __init__(self, context: AgentContext, instructions: str) -> None:
        super().__init__(context)
        self._transcript = [{"role": "system", "content": self._system(instructions)}]
        self._seen = 0
        self._calls = 0
        self._complaint: str | None = None

    async def step(self, messages: list[dict[str, Any]]) -> Message:
        """Return the act that the model's next reply holds; see Agent.step."""
        self._hear(messages)
        reply = await self._ask(self._transcript)
        # A history with an empty message is refused by some servers.
        self._transcript.append({"role": "assistant", "content": reply.text or "(nothing)"})
        try:
            return self._message(read_action(reply.text), reply.said.thought)
        except FormatError as error:
            self._complaint = str(error)
            return Message(role="assistant", thought=_thought(reply.said.thought, reply.text))

    def _system(self, instructions: str) -> str:
        tools = "\n".join(json.dumps(tool["function"], ensure_ascii=False) for tool in self._tools)
        parts = (self._context.policy, f"# Tools\n{tools}", instructions)
        return "\n\n".join(part for part in parts if part)

    def _hear(self, messages: list[dict[str, Any]]) -> None:
        news = [m for m in messages[self._seen :] if m["role"] in ("user", "tool")]
        self._seen = len(messages)
        if self._complaint is not None:
            text = f"Format error: {self._complaint}. Nothing was done; reply again in the format."
            self._complaint = None
        else:
            text = "\n\n".join(_heard(message) for message in news)
        self._transcript.append({"role": "user", "content": text})

    def _message(self, action: TextAction, reasoning: str | None) -> Message:
        thought = _thought(reasoning, action.thought)
        if action.response is not None:
            return Message(role="assistant", content=action.response, thought=thought)
        self._calls += 1
        arguments = json.dumps(action.arguments, ensure_ascii=False)
        call = ToolCall(
            id=f"call_{self._calls}",
            function=FunctionCall(name=action.name, arguments=arguments),
        )
        return Message(role="assistant", tool_calls=[call], thought=thought)


def make_react(context: AgentContext) -> Agent:
    """Return the ReAct agent of one trial."""
    return TextAgent(context, REACT_FORMAT)


def make_act(context: AgentContext) -> Agent:
    """Return the Act agent of one trial."""
    return TextAgent(context, ACT_FORMAT)


def _thought(*parts: str | None) -> str | None:
    return "\n".join(part for part in parts if part) or None


def _heard(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    if message["role"] == "tool":
        return f"Result of {message.get('name') or 'the tool'}: {content}"
    return f"User: {content}"

"""The text agents of arXiv 2406.12045: ``react`` (thought, then action) and ``act`` (action only)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from pytest_taubench.agents.protocol import Agent, AgentContext
from pytest_taubench.agents.tool_calling import ModelAgent
from pytest_taubench.schema import FunctionCall, Message, ToolCall

RESPOND = "respond"

# Blanks of one line only: over all that follow, each line of a reply of newlines would look at
# every later one.
_THOUGHT = re.compile(r"^[^\S\n]*+Thought:", re.MULTILINE)
_ACTION = re.compile(r"^[^\S\n]*+Action:", re.MULTILINE)


class FormatError(Exception):
    """The text breaks the format; the message is what the model reads."""


@dataclass(frozen=True)
class TextAction:
    """One act read from text.

    Attributes:
        name: The tool, or ``respond``.
        arguments: Its arguments.
        thought: What stands before the action.
    """

    name: str
    arguments: dict[str, Any]
    thought: str = ""

    @property
    def response(self) -> str | None:
        """The text to the user, where the act is ``respond``."""
        return self.arguments["content"] if self.name == RESPOND else None


def read_action(text: str) -> TextAction:
    """Return the act that a text holds.

    The format is read strictly, but for a code fence around the JSON: a guess at what a model
    meant would be scored as if the model had said it.

    Raises:
        FormatError: The text breaks the format, with how.
    """
    if len(_THOUGHT.findall(text)) > 1:
        raise FormatError('"Thought:" stands in the reply more than once; write one step a reply')
    markers = list(_ACTION.finditer(text))
    if len(markers) != 1:
        found = "no" if not markers else "more than one"
        raise FormatError(f'the reply has {found} line that starts with "Action:"')
    before, after = text[: markers[0].start()], text[markers[0].end() :]
    data = _read_object(after.strip())
    thought = _THOUGHT.sub("", before, count=1).strip()
    return TextAction(_read_name(data), _read_arguments(data), thought)


def _read_object(text: str) -> dict[str, Any]:
    try:
        data = json.loads(_unfenced(text))
    except (ValueError, RecursionError) as error:
        raise FormatError(
            f'after "Action:" there must be one JSON object and nothing else ({error})'
        ) from error
    if not isinstance(data, dict):
        raise FormatError(f'after "Action:" stands a JSON {type(data).__name__}, not an object')
    return data


def _unfenced(text: str) -> str:
    """Return what stands between the lines of a code fence, or the text where it has none."""
    first, _, rest = text.partition("\n")
    if first.rstrip() not in ("```", "```json") or not rest.endswith("```"):
        return text
    inside = rest.removesuffix("```")
    body = inside.rstrip()
    return body if "\n" in inside[len(body) :] else text  # the last fence has a line of its own


def _read_name(data: dict[str, Any]) -> str:
    name = data.get("name")
    if not isinstance(name, str) or not name:
        raise FormatError('the action has no "name"')
    return name


def _read_arguments(data: dict[str, Any]) -> dict[str, Any]:
    arguments = data.get("arguments", {})
    if not isinstance(arguments, dict):
        raise FormatError('the action\'s "arguments" are no JSON object')
    content = arguments.get("content")
    if data["name"] == RESPOND and not (isinstance(content, str) and content.strip()):
        raise FormatError(f'"{RESPOND}" needs the text for the user as "content"')
    return arguments


_ACTION_FORMAT = """\
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
{_ACTION_FORMAT % (RESPOND, RESPOND)}"""

ACT_FORMAT = f"""\
# How to reply
Take one step in each reply, written as:

{_ACTION_FORMAT % (RESPOND, RESPOND)}"""


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

"""What the episode asks of an agent, what an agent is told, and how its answer is read."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from pytest_taubench.environment.tool import Tool
from pytest_taubench.errors import AgentError
from pytest_taubench.schema import FunctionCall, Message, ModelSettings, ToolCall, Usage


@dataclass(frozen=True)
class AgentContext:
    """All an agent may know before the conversation starts. No gold, no instruction, no database.

    Attributes:
        policy: The domain's policy; empty under ``--tau-no-policy``.
        tools: Python callables with signatures and docstrings, bound to this trial's
            database; every call is recorded as an action of the trial.
        tool_schemas: The same tools as OpenAI function descriptions.
        model: The model settings of the agent's role.
        seed: A seed of this trial's own.
        options: Further settings from the command line.
    """

    policy: str
    tools: Sequence[Callable[..., Any]]
    tool_schemas: Sequence[dict[str, Any]]
    model: ModelSettings
    seed: int
    options: Mapping[str, Any] = field(default_factory=dict)


class Agent(Protocol):
    """One agent in one trial, as the episode drives it."""

    async def step(self, messages: list[dict[str, Any]]) -> Message:
        """Return the next assistant message, text or tool calls.

        Args:
            messages: The conversation so far in OpenAI format, the policy first.

        Raises:
            AgentError: The agent's own fault; the trial is scored 0.
            InfrastructureError: Something outside failed; the trial is unscored.
        """
        ...

    def usage(self) -> Usage | None:
        """Return the model use so far, or None where the agent does not count it."""
        ...

    async def close(self) -> None:
        """Release what the agent holds; called once, whatever happened."""
        ...


CallTool = Callable[[str, dict[str, Any]], str]


def bind_tool(tool: Tool, call: CallTool) -> Callable[..., str]:
    """Return a function that calls the tool on this trial's database.

    It has the tool's name, docstring and signature without the database parameter, and
    returns what the agent would read, errors included, so that a framework's tool loop goes
    on as it would with an endpoint's tool calls.

    Args:
        tool: The domain's tool.
        call: Executes a call by name and arguments and records it.
    """
    signature = tool.signature().replace(return_annotation=str)

    def bound(*args: Any, **kwargs: Any) -> str:
        named = dict(zip(signature.parameters, args, strict=False))
        if len(args) > len(signature.parameters):
            # One the tool has not: the environment names it in its answer.
            named["*args"] = list(args[len(signature.parameters) :])
        return call(tool.name, to_jsonable_python({**named, **kwargs}))

    bound.__name__ = bound.__qualname__ = tool.name
    bound.__doc__ = inspect.getdoc(tool.function)
    # Resolved types, not strings: frameworks look names up in this module otherwise.
    bound.__annotations__ = {
        name: parameter.annotation for name, parameter in signature.parameters.items()
    } | {"return": str}
    bound.__signature__ = signature  # type: ignore[attr-defined]
    return bound


def read_reply(reply: object) -> Message:
    """Return the agent's reply as a message.

    Args:
        reply: Text, an OpenAI-format dict, a Message, an object of an SDK that has
            ``model_dump`` (a chat completion or its message), or None for an empty reply.

    Raises:
        AgentError: It is none of these; the message says what was found.
    """
    if reply is None:
        return Message(role="assistant")
    if isinstance(reply, str):
        return Message(role="assistant", content=reply)
    if isinstance(reply, Message):
        return reply
    dumped = reply.model_dump() if hasattr(reply, "model_dump") else reply
    if not isinstance(dumped, Mapping):
        raise AgentError(
            f"the agent returned a {type(reply).__name__}; "
            "expected text or an assistant message in OpenAI format"
        )
    return _read_mapping(_unwrap_completion(dumped))


def _unwrap_completion(data: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = data.get("choices")
    if not choices or "role" in data:
        return data
    message = choices[0].get("message") if isinstance(choices[0], Mapping) else None
    return message if isinstance(message, Mapping) else data


def _read_mapping(data: Mapping[str, Any]) -> Message:
    role = data.get("role", "assistant")
    if role != "assistant":
        raise AgentError(f"the agent returned a message of role {role!r}; expected 'assistant'")
    if not {"content", "tool_calls"} & data.keys():
        raise AgentError(
            "the agent returned a dict with neither 'content' nor 'tool_calls'; "
            f"it has {', '.join(map(repr, data)) or 'no keys'}"
        )
    calls = data.get("tool_calls") or []
    if not isinstance(calls, list):
        raise AgentError(f"tool_calls is a {type(calls).__name__}; expected a list")
    try:
        return Message(
            role="assistant",
            content=_read_content(data.get("content") or data.get("refusal")),
            tool_calls=[_read_call(call, index) for index, call in enumerate(calls)] or None,
        )
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise AgentError(f"the agent's message is malformed at {where}: {first['msg']}") from error


def _read_content(content: object) -> str | None:
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, list):  # OpenAI's list of typed parts
        texts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "".join(text for text in texts if isinstance(text, str)) or None
    raise AgentError(f"content is a {type(content).__name__}; expected text")


def _read_call(call: object, index: int) -> ToolCall:
    if isinstance(call, ToolCall):
        return call
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(call, Mapping) or not isinstance(function, Mapping):
        raise AgentError(
            f"tool_calls[{index}] is malformed; expected "
            "{'id': ..., 'type': 'function', 'function': {'name': ..., 'arguments': ...}}"
        )
    arguments = function.get("arguments")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, default=str)
    return ToolCall(
        id=str(call.get("id") or f"call_{index}"),
        function=FunctionCall(name=str(function.get("name") or ""), arguments=text),
    )

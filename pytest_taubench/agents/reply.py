"""Reads what an agent returned as an assistant message."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from pytest_taubench.errors import AgentError
from pytest_taubench.schema import FunctionCall, Message, ToolCall


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

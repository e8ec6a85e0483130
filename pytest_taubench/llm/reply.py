"""Reading an endpoint's answer, whatever dialect of the OpenAI format it speaks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pytest_taubench.llm.chat import ChatReply
from pytest_taubench.schema import FunctionCall, Message, ToolCall, Usage
from pytest_taubench.surrogates import whole_text

_EVENT_STREAM = ("data:", "event:", "id:", "retry:", ": ")
_HTML = ("<!doctype html", "<html")


class MalformedReplyError(Exception):
    """The endpoint answered with something that is no chat completion."""


def read_reply(body: str, asked_model: str) -> ChatReply:
    """Return the reply in a response body.

    Raises:
        MalformedReplyError: The body is no JSON, has no choice, or holds an error in its place.
    """
    payload = _payload(body)
    choice = _first_choice(payload)
    usage = read_usage(payload.get("usage"))
    return ChatReply(
        message=_message(choice, whole_text(str(payload.get("id") or "call"))),
        usage=usage,
        model=whole_text(str(payload.get("model") or asked_model)),
        finish_reason=_text_or_none(choice.get("finish_reason")),
    )


def read_usage(data: Any) -> Usage | None:
    """Return the usage part of a completion, or None where it is missing or no counts stand in it."""
    if not isinstance(data, Mapping):
        return None
    details = data.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
    counts = [_count(data.get("prompt_tokens")), _count(data.get("completion_tokens"))]
    counts.append(0 if cached is None else _count(cached))
    known = [count for count in counts if count is not None]
    if len(known) < len(counts):
        return None
    sent, received, from_cache = known
    return Usage(calls=1, input_tokens=sent, output_tokens=received, cached_tokens=from_cache)


def _payload(body: str) -> dict[str, Any]:
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError) as error:
        what = _other_format(body) or f"the response is no JSON ({error})"
        raise MalformedReplyError(f"{what}: {_start(body)}") from error
    if not isinstance(payload, dict):
        raise MalformedReplyError(f"the response is no JSON object: {_start(body)}")
    if payload.get("error"):
        # Gateways put the provider's fault into a response with status 200.
        raise MalformedReplyError(f"the response holds an error: {_start(str(payload['error']))}")
    return payload


def _other_format(body: str) -> str | None:
    """Return what is answered in place of JSON by a server that is set otherwise, or is another."""
    start = body.lstrip().lower()
    if start.startswith(_EVENT_STREAM):
        return (
            "the server answers with an event stream, which was not asked for: does it only stream?"
        )
    if start.startswith(_HTML):
        return "the server answers with an HTML page: is the base URL right (most end in /v1)?"
    return None


def _first_choice(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = payload.get("choices")
    if not isinstance(choices, list) or not choices:
        raise MalformedReplyError("the response has no choices")
    choice = choices[0]
    if not isinstance(choice, Mapping) or not isinstance(choice.get("message"), Mapping):
        raise MalformedReplyError("the response's first choice has no message")
    return choice


def _message(choice: Mapping[str, Any], reply_id: str) -> Message:
    data = choice["message"]
    return Message(
        role="assistant",
        content=_content(data.get("content")) or _text_or_none(data.get("refusal")),
        tool_calls=_tool_calls(data, reply_id) or None,
        thought=_text_or_none(data.get("reasoning_content") or data.get("reasoning")),
    )


def _content(content: Any) -> str | None:
    if isinstance(content, list):
        content = "".join(_part(part) for part in content if isinstance(part, Mapping))
    return _text_or_none(content)


def _part(part: Mapping[str, Any]) -> str:
    text = part.get("text") or part.get("refusal")
    return text if isinstance(text, str) else ""


def _tool_calls(message: Mapping[str, Any], reply_id: str) -> list[ToolCall]:
    calls = message.get("tool_calls")
    listed = (
        [call for call in calls if isinstance(call, Mapping)] if isinstance(calls, list) else []
    )
    taken: set[str] = set()
    return [_tool_call(call, f"{reply_id}_{index}", taken) for index, call in enumerate(listed)]


def _tool_call(call: Mapping[str, Any], own_id: str, taken: set[str]) -> ToolCall:
    function = call.get("function")
    function = function if isinstance(function, Mapping) else {}
    call_id = whole_text(str(call.get("id") or ""))
    if not call_id or call_id in taken:
        # Some servers give no id, or one id to all; the answers must still find their calls.
        call_id = own_id
    taken.add(call_id)
    name = whole_text(str(function.get("name") or ""))
    return ToolCall(
        id=call_id,
        function=FunctionCall(name=name, arguments=_arguments(function.get("arguments"))),
    )


def _arguments(arguments: Any) -> str:
    if isinstance(arguments, str):
        # A call of a tool without parameters comes as empty text from some servers.
        return whole_text(arguments) if arguments.strip() else "{}"
    return "{}" if arguments is None else json.dumps(arguments, ensure_ascii=False)


def _text_or_none(value: Any) -> str | None:
    return whole_text(value) if isinstance(value, str) and value else None


def _count(value: Any) -> int | None:
    if isinstance(value, float) and value.is_integer():  # JSON has one kind of number
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _start(text: str) -> str:
    return text if len(text) <= 200 else text[:200] + "…"

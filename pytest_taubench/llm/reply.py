"""Reading an endpoint's answer, whatever dialect of the OpenAI format it speaks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from pytest_taubench.llm.chat import ChatReply
from pytest_taubench.schema import FunctionCall, Message, ToolCall, Usage
from pytest_taubench.text.foreign import whole_text

_EVENT_STREAM = ("data:", "event:", "id:", "retry:", ": ")
_HTML = ("<!doctype html", "<html")


_MOST_TOKENS = 10**12


class MalformedReplyError(Exception):
    """The endpoint answered with something that is no chat completion."""


class ErrorInReplyError(MalformedReplyError):
    """An error stands where a chat completion should, in a response of status 200.

    Attributes:
        status: The HTTP status that the error names as its code; None where it names none.
        text: The error as JSON.
    """

    def __init__(self, error: Any) -> None:
        self.text = json.dumps(error, ensure_ascii=False)
        self.status = _status(error)
        super().__init__(f"the response holds an error: {_start(self.text)}")


def read_reply(body: str, asked_model: str) -> ChatReply:
    """Return the reply in a response body.

    Raises:
        MalformedReplyError: The body is no JSON, has no choice, holds an error in its place, or
            says something in a format that is none of the known ones.
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
        payload = json.loads(body.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        what = _other_format(body) or f"the response is no JSON ({error})"
        raise MalformedReplyError(f"{what}: {_start(body)}") from error
    if isinstance(payload, list) and payload and isinstance(payload[0], dict):
        # Google sends an error in a list.
        payload = payload[0] if "error" in payload[0] else payload
    if not isinstance(payload, dict):
        raise MalformedReplyError(f"the response is no JSON object: {_start(body)}")
    # Gateways put the provider's fault into a response with status 200; vLLM leaves out the key.
    if fault := payload.get("error") or (payload.get("object") == "error" and payload):
        raise ErrorInReplyError(fault)
    return payload


def _status(error: Any) -> int | None:
    code = error.get("code") if isinstance(error, Mapping) else None
    found = re.fullmatch(r"[45]\d\d", str(code))
    return int(found[0]) if found else None


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
        raise MalformedReplyError(f"the response has no choices: {_start(json.dumps(payload))}")
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
        content = "".join(map(_part, content))
    if content is not None and not isinstance(content, str):
        raise _unknown_format("content", content)
    return _text_or_none(content)


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        raise _unknown_format("content", part)
    text = part.get("text") or part.get("refusal") or ""
    if isinstance(text, Mapping):
        text = text.get("value")
    if not isinstance(text, str):
        raise _unknown_format("content", part)
    return text


def _tool_calls(message: Mapping[str, Any], reply_id: str) -> list[ToolCall]:
    calls = message.get("tool_calls") or []
    if isinstance(calls, Mapping):
        calls = [calls]
    if not calls and message.get("function_call"):
        # What calls were before there could be several; some servers still speak so.
        calls = [{"function": message["function_call"]}]
    if not isinstance(calls, list) or not all(isinstance(call, Mapping) for call in calls):
        raise _unknown_format("tool_calls", calls)
    taken: set[str] = set()
    return [_tool_call(call, f"{reply_id}_{index}", taken) for index, call in enumerate(calls)]


def _unknown_format(what: str, value: Any) -> MalformedReplyError:
    # To drop it would lay to the model that it said nothing.
    return MalformedReplyError(f"the reply's {what} has no known format: {_start(repr(value))}")


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
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= _MOST_TOKENS else None


def _start(text: str) -> str:
    return text if len(text) <= 200 else text[:200] + "…"


PARTS = frozenset({"model", "messages", "tools", "stream", "stream_options"})


def parts_in(names: Iterable[str]) -> str | None:
    """Return what is wrong with settings of these names, if any would replace a part of a request."""
    wrong = [name for name in names if name in PARTS]
    return f"{', '.join(wrong)} cannot be set: each request has its own" if wrong else None

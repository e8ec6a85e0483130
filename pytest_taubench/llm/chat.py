"""What every role that is a language model asks of its model, and a model that needs no network."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pytest_taubench.schema import FunctionCall, Message, ToolCall, Usage

_TAG = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)\s*>", re.IGNORECASE)


def part_reasoning(text: str) -> tuple[str, str]:
    """Return the reasoning and the rest of a text.

    A block that is never closed, as in a reply cut short, goes on to the end. An end without a
    beginning, which the prompts of some models already hold, makes reasoning of all before it.
    """
    thoughts: list[str] = []
    said: list[str] = []
    at, inside = 0, False
    for tag in _TAG.finditer(text):
        part, closes = text[at : tag.start()], bool(tag[1])
        if closes and not inside:
            thoughts += [*said, part]
            said = []
        else:
            (thoughts if inside else said).append(part)
        inside, at = not closes, tag.end()
    if at == 0:
        return "", text
    (thoughts if inside else said).append(text[at:])
    return _joined(thoughts), _joined(said)


def _joined(parts: list[str]) -> str:
    return "\n".join(part.strip() for part in parts if part.strip())


def with_thought_apart(message: Message) -> Message:
    """Return a message with the reasoning moved from its text to its thought."""
    reasoning, text = part_reasoning(message.content or "")
    if not reasoning and text == (message.content or ""):
        return message
    thought = "\n".join(part for part in (message.thought, reasoning) if part)
    return message.model_copy(update={"content": text or None, "thought": thought or None})


@dataclass(frozen=True)
class ChatReply:
    """One reply of a model.

    Attributes:
        message: The assistant message as the model sent it, reasoning in its text included.
        usage: Tokens and cost of this one call; None where the endpoint did not say.
        model: The model's name as the endpoint reports it.
        finish_reason: Why the model stopped, as the endpoint reports it.
    """

    message: Message
    usage: Usage | None
    model: str
    finish_reason: str | None = None

    @property
    def withheld(self) -> bool:
        """True where a content filter of the endpoint left nothing of the reply."""
        nothing = not (self.text.strip() or self.message.tool_calls)
        return nothing and self.finish_reason == "content_filter"

    @property
    def text(self) -> str:
        """The reply's text without reasoning; empty where it has none."""
        return part_reasoning(self.message.content or "")[1]

    @property
    def said(self) -> Message:
        """The message with the reasoning moved from its text to its thought."""
        return with_thought_apart(self.message)


class ChatModel(Protocol):
    """One model as one role of one trial talks to it."""

    async def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
    ) -> ChatReply:
        """Return the model's reply to OpenAI-format messages.

        Raises:
            ContextLengthError: The conversation no longer fits the model.
            InfrastructureError: The endpoint failed and went on failing (source ``model``).
            FatalError: No call to this endpoint can succeed.
        """
        ...

    async def close(self) -> None:
        """Release the connections; called once, in the event loop that made the calls."""
        ...


class UsageTally:
    """The model use of one role over one trial.

    A sum with an unknown part is no sum: once a call came without usage or without a price, the
    costs are None and, for missing usage, ``complete`` is False.
    """

    def __init__(self) -> None:
        self._calls: list[Usage] = []

    def add(self, reply: ChatReply) -> None:
        """Count one reply."""
        used = reply.usage or Usage(calls=1, complete=False)
        self._calls.append(used.model_copy(update={"cut": int(reply.finish_reason == "length")}))

    def total(self) -> Usage:
        """Return the sum of all calls so far."""
        return add_usage(self._calls)


def add_usage(calls: Iterable[Usage | None]) -> Usage:
    """Return the sum; a None stands for one call of unknown use."""
    parts = [Usage(calls=1, complete=False) if part is None else part for part in calls]
    counted = [part for part in parts if part.calls]
    return Usage(
        calls=sum(part.calls for part in parts),
        input_tokens=sum(part.input_tokens for part in parts),
        output_tokens=sum(part.output_tokens for part in parts),
        cached_tokens=sum(part.cached_tokens for part in parts),
        cost=_whole_sum([part.cost for part in counted]),
        input_cost=_whole_sum([part.input_cost for part in counted]),
        output_cost=_whole_sum([part.output_cost for part in counted]),
        complete=all(part.complete for part in parts),
        cut=sum(part.cut for part in parts),
    )


def _whole_sum(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known and len(known) == len(costs) else None


Answer = str | Message | Exception
Behaviour = Callable[[list[dict[str, Any]], list[dict[str, Any]]], Answer]


class ScriptedModel:
    """Gives the listed answers in order, or what a function of the request gives.

    Args:
        answers: Texts, assistant messages, or exceptions to raise; or a function that gets
            messages and tools and returns one of these.

    Attributes:
        requests: What was asked, as ``{"messages": ..., "tools": ...}``.
        closed: True after close.
    """

    name = "scripted-model"

    def __init__(self, answers: Iterable[Answer] | Behaviour) -> None:
        self._behave = answers if callable(answers) else _in_order(iter(answers))
        self.requests: list[dict[str, Any]] = []
        self.closed = False

    async def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
    ) -> ChatReply:
        """Return the next answer; see ChatModel."""
        request = {"messages": [dict(m) for m in messages], "tools": [dict(t) for t in tools or ()]}
        self.requests.append(copy.deepcopy(request))
        answer = self._behave(request["messages"], request["tools"])
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, str):
            answer = Message(role="assistant", content=answer)
        finish = "tool_calls" if answer.tool_calls else "stop"
        return ChatReply(answer, Usage(calls=1), self.name, finish)

    async def close(self) -> None:
        """Note that it was closed."""
        self.closed = True


def calls(*named: tuple[str, Mapping[str, Any] | str], text: str | None = None) -> Message:
    """Return an assistant message that calls tools, given as pairs of name and arguments."""
    return Message(
        role="assistant",
        content=text,
        tool_calls=[
            ToolCall(
                id=f"call_{index}",
                function=FunctionCall(
                    name=name,
                    arguments=arguments if isinstance(arguments, str) else json.dumps(arguments),
                ),
            )
            for index, (name, arguments) in enumerate(named, 1)
        ],
    )


def _in_order(answers: Iterable[Answer]) -> Behaviour:
    remaining = iter(answers)

    def next_answer(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Answer:
        try:
            return next(remaining)
        except StopIteration:
            raise AssertionError(
                "the scripted model was asked once more than it has answers"
            ) from None

    return next_answer

"""A model that answers from a list or a function, for tests and examples: no network, no key."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pytest_taubench.llm.chat import ChatReply
from pytest_taubench.schema import FunctionCall, Message, ToolCall, Usage

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

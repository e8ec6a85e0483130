"""The function-calling agent with example conversations in its system prompt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_taubench.agents.protocol import Agent, AgentContext
from pytest_taubench.agents.tool_calling import ToolCallingAgent
from pytest_taubench.errors import FatalError, InfrastructureError, TauBenchError

NO_EXAMPLES = "the few-shot agent needs --tau-examples=FILE, a file of example conversations"

_EXPECTED = (
    "expected a list of examples, each with 'user_id' and either 'messages' (OpenAI format) "
    "or 'messages_display' (text)"
)


class ExampleError(TauBenchError):
    """Data holds something else than example conversations; says what was expected."""


@dataclass(frozen=True)
class Example:
    """One example conversation.

    Attributes:
        user_id: Whose conversation it is.
        text: The conversation as the model reads it.
    """

    user_id: str
    text: str


class FewShotAgent(ToolCallingAgent):
    """A tool-calling agent whose policy is followed by examples.

    Args:
        context: The trial's context.
        examples: The examples, the same ones in every turn.
    """

    def __init__(self, context: AgentContext, examples: Sequence[Example]) -> None:
        super().__init__(context)
        shown = (f"## Example {n}\n{example.text}" for n, example in enumerate(examples, 1))
        parts = (context.policy, "# Examples of good conversations", *shown)
        self._system = {"role": "system", "content": "\n\n".join(part for part in parts if part)}

    def _sent(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        rest = [message for message in messages if message["role"] != "system"]
        return [self._system, *super()._sent(rest)]


def make_few_shot(context: AgentContext) -> Agent:
    """Return the agent of one trial.

    The option ``examples`` holds the examples, those of the task's own user left out already by
    ``examples_without``: an agent is not told whose task it works on.

    Raises:
        FatalError: The run has no examples.
        InfrastructureError: None is left for this task.
    """
    examples: Sequence[Example] | None = context.options.get("examples")
    if examples is None:
        raise FatalError(NO_EXAMPLES)
    if not examples:
        raise InfrastructureError(
            "no example conversation is left for this task: each is of the task's own user",
            source="task",
        )
    return FewShotAgent(context, examples)


def read_examples(data: Any) -> list[Example]:
    """Return the examples that JSON-able data holds.

    Raises:
        ExampleError: It holds something else.
    """
    if not isinstance(data, list):
        raise ExampleError(_EXPECTED)
    return [_example(entry, f"example {n}: {_EXPECTED}") for n, entry in enumerate(data, 1)]


def examples_without(
    examples: Iterable[Example], user_id: str | None, limit: int = 5
) -> list[Example]:
    """Return the first examples that are not of that user.

    Always the first ones of the file, so that the prompt's beginning is the same in most trials.
    An example in which the user appears in another's conversation is left out as well.
    """
    kept = [
        example
        for example in examples
        if user_id is None or (example.user_id != user_id and not speaks_of(example.text, user_id))
    ]
    return kept[:limit]


def speaks_of(text: str, key: str) -> bool:
    """Return whether a key of the database stands in a text, and not as a part of another's."""
    return re.search(rf"(?<!\w){re.escape(key)}(?!\w)", text) is not None


def _example(entry: Any, expected: str) -> Example:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("user_id"), str):
        raise ExampleError(expected)
    display, messages = entry.get("messages_display"), entry.get("messages")
    if isinstance(display, str):
        return Example(entry["user_id"], display.strip())
    if not isinstance(messages, list) or not messages:
        raise ExampleError(expected)
    try:
        return Example(entry["user_id"], "\n".join(_shown(message) for message in messages))
    except (TypeError, KeyError, AttributeError):
        raise ExampleError(expected) from None


def _shown(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    if not isinstance(content, str):
        raise TypeError
    if message.get("role") != "assistant":
        return f"{str(message['role']).capitalize()}: {content}"
    calls = "\n".join(
        f"Assistant calls {call['function']['name']}: {call['function']['arguments']}"
        for call in message.get("tool_calls") or ()
    )
    spoken = f"Assistant: {content}" if content else ""
    return "\n".join(part for part in (spoken, calls) if part)

"""What every role that is a language model asks of its model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pytest_taubench.llm.reasoning import part_reasoning
from pytest_taubench.schema import Message, Usage


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
        reasoning, text = part_reasoning(self.message.content or "")
        if not reasoning and text == (self.message.content or ""):
            return self.message
        thought = "\n".join(part for part in (self.message.thought, reasoning) if part)
        return self.message.model_copy(update={"content": text or None, "thought": thought or None})


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

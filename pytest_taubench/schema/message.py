"""Messages of a trajectory, in the shape of the OpenAI chat format."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict


class FunctionCall(BaseModel):
    """What a tool call asks for.

    Attributes:
        name: The tool's name as the agent wrote it, known or not.
        arguments: The arguments as JSON text, kept as sent because it may not parse.
    """

    name: str
    arguments: str


class ToolCall(BaseModel):
    """One tool call of an assistant message."""

    id: str
    type: Literal["function"] = "function"
    function: FunctionCall


class Message(BaseModel):
    """One message of a trajectory.

    Attributes:
        role: Who speaks.
        content: The text, or None where there is none.
        tool_calls: The calls of an assistant message, in order.
        tool_call_id: Of a tool message, the call it answers.
        name: Of a tool message, the tool's name.
        thought: What the agent wrote or reasoned beside its act. Kept for the reader; no user and
            no model ever gets it.
    """

    model_config = ConfigDict(extra="ignore")

    role: Literal["system", "user", "assistant", "tool"]
    content: str | None = None
    tool_calls: list[ToolCall] | None = None
    tool_call_id: str | None = None
    name: str | None = None
    thought: str | None = None

    def as_openai(self) -> dict[str, Any]:
        """Return the message as an OpenAI-format dict, without the fields that are unset."""
        data = self.model_dump(exclude_none=True, exclude={"thought"})
        if self.role in ("assistant", "user", "system"):
            data["content"] = self.content
        return data

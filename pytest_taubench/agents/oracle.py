"""The agent that plays the annotation: what it fails is a fault of the task."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_taubench.schema import FunctionCall, Message, ToolCall, Usage

Call = tuple[str, Mapping[str, Any]]


class OracleAgent:
    """Plays the gold actions one a step, says the outputs, then asks until the user stops.

    The one agent that is given gold, by the trial itself and never through the context that
    other agents get.

    Args:
        calls: Name and arguments of each gold action.
        outputs: What the user must be told.
        ending_tools: Tools that end the episode; the outputs are told before one is called.
    """

    def __init__(
        self, calls: Sequence[Call], outputs: Sequence[str], ending_tools: frozenset[str]
    ) -> None:
        self._before = [call for call in calls if call[0] not in ending_tools]
        self._ending = [call for call in calls if call[0] in ending_tools]
        self._outputs = list(outputs)
        self._played = 0

    async def step(self, messages: list[dict[str, Any]]) -> Message:
        """Return the next gold action, then the outputs, then the closing question."""
        if self._before:
            return self._play(self._before.pop(0))
        if self._outputs:
            told, self._outputs = self._outputs, []
            return _say("\n".join(["That is done. Here is what you asked about:", *told]))
        if self._ending:
            return self._play(self._ending.pop(0))
        return _say("That is done. Is there anything else I can help you with?")

    def usage(self) -> Usage | None:
        """Return None: no model is used."""
        return None

    async def close(self) -> None:
        """Hold nothing."""

    def _play(self, call: Call) -> Message:
        self._played += 1
        function = FunctionCall(name=call[0], arguments=json.dumps(call[1], ensure_ascii=False))
        return Message(
            role="assistant", tool_calls=[ToolCall(id=f"gold_{self._played}", function=function)]
        )


def _say(text: str) -> Message:
    return Message(role="assistant", content=text)

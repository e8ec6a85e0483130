"""A record in the words of its domain, for tests and scripts that ask about one trial."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_taubench.schema import Message, TrialRecord
from pytest_taubench.trial.episode import HARNESS


@dataclass(frozen=True)
class Call:
    """One tool call of a trial.

    Attributes:
        name: The tool's name.
        arguments: The parsed arguments; empty where they did not parse.
        ok: False when the agent was answered with an error.
        message_before: The last message the user sent before the call; empty where none.
    """

    name: str
    arguments: dict[str, Any]
    ok: bool
    message_before: str = field(repr=False)

    def follows_user_message(self, text: str) -> bool:
        """Return whether the user's last message before the call contains the text.

        Capital letters do not matter.
        """
        return text.casefold() in self.message_before.casefold()


class RecordView:
    """One trial's record, to be asked what happened.

    Attributes:
        record: The whole record.
    """

    def __init__(self, record: TrialRecord) -> None:
        self.record = record

    def __repr__(self) -> str:
        shown = "unscored" if self.reward is None else f"reward {self.reward:g}"
        calls = ", ".join(call.name for call in self.calls())
        return f"<{self.record.nodeid}: {shown}, {self.record.ending}, calls: {calls or 'none'}>"

    @property
    def reward(self) -> float | None:
        """The reward, 0 or 1; None when the trial is unscored."""
        return self.record.reward

    @property
    def ending(self) -> str:
        """How the trial ended, e.g. ``user_stop``."""
        return str(self.record.ending)

    @property
    def trajectory(self) -> Sequence[Message]:
        """The messages in order."""
        return self.record.trajectory

    @property
    def agent_texts(self) -> list[str]:
        """What the agent told the user, in order; text beside a tool call is not told."""
        return [
            message.content
            for message in self.record.trajectory
            if message.role == "assistant" and message.content and not message.tool_calls
        ]

    @property
    def user_texts(self) -> list[str]:
        """What the user said, in order."""
        return [m.content for m in self.record.trajectory if _by_user(m) and m.content]

    def calls(self, name: str | None = None) -> list[Call]:
        """Return the tool calls in order, of one tool where a name is given."""
        return [call for call in self._all_calls() if name in (None, call.name)]

    def first_call(self, name: str) -> Call:
        """Return the first call of a tool.

        Raises:
            LookupError: The tool was never called; the message lists what was.
        """
        found = self.calls(name)
        if not found:
            called = ", ".join(dict.fromkeys(call.name for call in self.calls()))
            raise LookupError(f"{name!r} was never called; calls were: {called or 'none'}")
        return found[0]

    def _all_calls(self) -> list[Call]:
        return [
            Call(action.name, action.arguments or {}, action.ok, self._before(action.message_index))
            for action in self.record.actions
        ]

    def _before(self, index: int | None) -> str:
        said = self.record.trajectory[: index or 0]
        return next((m.content or "" for m in reversed(said) if _by_user(m)), "")


def _by_user(message: Message) -> bool:
    return message.role == "user" and message.name != HARNESS

"""What the episode asks of a user simulator, what a user is told, and how it stops."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from pytest_taubench.schema import ModelSettings, Script, Usage

STOP_TOKEN = "###STOP###"


@dataclass(frozen=True)
class UserContext:
    """All a user may know: its task's instruction and script, never the annotation.

    Attributes:
        instruction: What the user wants and knows.
        script: The task's script, where it has one.
        random: The generator of this trial and role.
        model: The model settings of the user's role.
        user_id: The user's key in the database, where the annotation gives it.
        options: Further settings from the command line.
    """

    instruction: str
    script: Script | None
    random: random.Random
    model: ModelSettings
    user_id: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class UserTurn:
    """One turn of the user: its text, and whether the user ends the conversation with it."""

    text: str
    stop: bool = False


class User(Protocol):
    """One simulated user in one trial."""

    async def respond(self, text: str | None) -> UserTurn:
        """Answer the agent's text; None asks for the opening message.

        Raises:
            InfrastructureError: The simulator broke (source ``user``); the trial is unscored.
        """
        ...

    def usage(self) -> Usage | None:
        """Return the model use so far, or None where the user does not count it."""
        ...

    def notes(self) -> list[str]:
        """Return what the record must say of this user, e.g. that its script was derived."""
        ...

    async def close(self) -> None:
        """Release what the user holds; called once, whatever happened."""
        ...


def split_stop(text: str) -> UserTurn:
    """Return the turn a text stands for: the token stops wherever it stands, the rest is kept."""
    if STOP_TOKEN not in text:
        return UserTurn(text.strip())
    parts = (part.strip() for part in text.split(STOP_TOKEN))
    return UserTurn(" ".join(part for part in parts if part), stop=True)

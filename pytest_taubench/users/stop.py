"""The stop token, read in one place for every user."""

from __future__ import annotations

from pytest_taubench.users.protocol import STOP_TOKEN, UserTurn


def split_stop(text: str) -> UserTurn:
    """Return the turn a text stands for: the token stops wherever it stands, the rest is kept."""
    if STOP_TOKEN not in text:
        return UserTurn(text.strip())
    parts = (part.strip() for part in text.split(STOP_TOKEN))
    return UserTurn(" ".join(part for part in parts if part), stop=True)

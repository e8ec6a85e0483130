"""The stop token: how a user's text says that the conversation is over."""

from __future__ import annotations

from pytest_taubench.users.protocol import STOP_TOKEN, UserTurn


def split_stop(text: str) -> UserTurn:
    """Take the stop token out of a user's text, wherever it stands.

    Args:
        text: What the user simulator wrote.

    Returns:
        The rest of the text, and whether the token was there.
    """
    if STOP_TOKEN not in text:
        return UserTurn(text.strip())
    before_after = [part.strip() for part in text.split(STOP_TOKEN)]
    return UserTurn(" ".join(part for part in before_after if part), stop=True)

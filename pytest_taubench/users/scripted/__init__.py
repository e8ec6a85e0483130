"""The scripted user: an agenda-based simulator that needs no model."""

from __future__ import annotations

from pytest_taubench.users.protocol import User, UserContext
from pytest_taubench.users.scripted.user import ScriptedUser

__all__ = ["make_scripted_user"]


def make_scripted_user(context: UserContext) -> User:
    """Return the scripted user of one trial."""
    return ScriptedUser(context)

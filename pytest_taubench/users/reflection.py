"""A user who reflects: a refused message is rewritten with the reason in view."""

from __future__ import annotations

from pytest_taubench.users.judged import JudgedUser
from pytest_taubench.users.protocol import User, UserContext


def make_reflection_user(context: UserContext) -> User:
    """Return the user of one trial."""
    return JudgedUser(context, rewrites=True)

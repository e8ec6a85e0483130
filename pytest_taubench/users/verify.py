"""A user whose messages a second call verifies; a refused one is asked for again."""

from __future__ import annotations

from pytest_taubench.users.judged import JudgedUser
from pytest_taubench.users.protocol import User, UserContext


def make_verify_user(context: UserContext) -> User:
    """Return the user of one trial."""
    return JudgedUser(context, rewrites=False)

"""The user of arXiv 2406.12045: a model that is given the instruction and plays the customer."""

from __future__ import annotations

from pytest_taubench.users.model_user import ModelUser
from pytest_taubench.users.prompts import user_prompt
from pytest_taubench.users.protocol import User, UserContext


def make_llm_user(context: UserContext) -> User:
    """Return the user of one trial. No call is made before its first turn."""
    return ModelUser(context, user_prompt(context.instruction))

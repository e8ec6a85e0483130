"""A user that thinks before it speaks; only what it says reaches the agent."""

from __future__ import annotations

import re

from pytest_taubench.users.llm import ModelUser, react_user_prompt
from pytest_taubench.users.protocol import User, UserContext, UserTurn, split_stop

# Numbered, quoted, bold, as a heading, as a JSON key: models put the marks in many dresses.
_MARK = r"^[\W\d_]{0,20}%s[^\w\n]{0,10}?(?:[:：][^\w\s<(\"'#]*|$)"
_FLAGS = re.IGNORECASE | re.MULTILINE
# Words before it ("My thought:") make it no less a thought; what is in doubt must not be spoken.
_THOUGHT = re.compile(_MARK % "thoughts?" + r"|^[^\n:]{0,30}\bthoughts?[^\w\n]{0,10}[:：]", _FLAGS)
_REPLY = re.compile(_MARK % "reply", _FLAGS)


class ReactUser(ModelUser):
    """A user whose messages are written as ``Thought: ... Reply: ...``."""

    def __init__(self, context: UserContext) -> None:
        super().__init__(context, react_user_prompt(context.instruction))

    def _read(self, reply: str) -> UserTurn:
        return split_stop(spoken_part(reply))


def make_react_user(context: UserContext) -> User:
    """Return the user of one trial."""
    return ReactUser(context)


def spoken_part(text: str) -> str:
    """Return what the agent may read of a reply; empty where that cannot be told for sure.

    A thought without a reply, or two replies of which one may belong to a thought, say nothing,
    so the user is asked again. A text with neither mark is taken as spoken: it holds no thought.
    """
    replies = list(_REPLY.finditer(text))
    if len(replies) > 1 or (not replies and _THOUGHT.search(text)):
        return ""
    said = text[replies[0].end() :] if replies else text
    following_thought = _THOUGHT.search(said)
    return said[: following_thought.start()] if following_thought else said

"""The users ``verify`` and ``reflection``: a second call judges a message before it is sent."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_taubench.text.json_values import json_values
from pytest_taubench.users.llm import (
    JUDGE_QUESTION,
    ModelUser,
    judge_prompt,
    rewrite_prompt,
    user_prompt,
)
from pytest_taubench.users.protocol import User, UserContext

ATTEMPTS = 3
"""Messages judged at most for one turn; the last one is sent whatever the judge says."""


@dataclass(frozen=True)
class ReplyVerdict:
    """What a judge said of a message."""

    ok: bool
    reason: str = ""


class JudgedUser(ModelUser):
    """A user whose message is judged by a second call, and made anew where it is refused.

    Args:
        context: The user's context.
        rewrites: True to tell the user what was wrong and have the message rewritten; False
            to just ask for another one.
    """

    def __init__(self, context: UserContext, *, rewrites: bool) -> None:
        super().__init__(context, user_prompt(context.instruction))
        self._rewrites = rewrites

    async def _turn(self) -> str:
        reply = await self._reply()
        for attempt in range(1, ATTEMPTS + 1):
            verdict = await self._judge(reply)
            if verdict.ok:
                break
            if attempt == ATTEMPTS:
                self._notes.append(
                    f"the user's judge refused {ATTEMPTS} messages in a row; the last was sent "
                    f"({verdict.reason or 'no reason given'})"
                )
                break
            reply = await self._another(reply, verdict)
        return reply

    async def _another(self, reply: str, verdict: ReplyVerdict) -> str:
        if not self._rewrites:
            return await self._reply()
        return await self._reply(
            {"role": "assistant", "content": reply},
            {"role": "user", "content": rewrite_prompt(verdict.reason)},
        )

    async def _judge(self, reply: str) -> ReplyVerdict:
        # As messages that only grow, under a role of its own: the beginning of each request is the
        # one before, which a prompt cache and a recording keep once.
        asked = [
            {"role": "system", "content": judge_prompt(self._context.instruction)},
            *self._history[1:],
            {"role": "assistant", "content": reply},
            {"role": "user", "content": JUDGE_QUESTION},
        ]
        verdict = read_verdict(await self._ask(asked, "user-judge"))
        if verdict is None:
            self._notes.append("the user's judge gave no readable verdict; the message was sent")
            return ReplyVerdict(ok=True)
        return verdict


def read_verdict(text: str) -> ReplyVerdict | None:
    """Return the last verdict in a judge's answer, or None where there is none."""
    found = [each for each in json_values(text, "{") if isinstance(each.get("ok"), bool)]
    return ReplyVerdict(found[-1]["ok"], str(found[-1].get("reason") or "")) if found else None


def make_verify_user(context: UserContext) -> User:
    """Return the user of one trial."""
    return JudgedUser(context, rewrites=False)


def make_reflection_user(context: UserContext) -> User:
    """Return the user of one trial."""
    return JudgedUser(context, rewrites=True)

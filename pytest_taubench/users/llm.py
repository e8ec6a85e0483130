"""The user of arXiv 2406.12045: a model that is given the instruction and plays the customer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_taubench.errors import AgentError, InfrastructureError
from pytest_taubench.llm.chat import ChatModel, UsageTally
from pytest_taubench.llm.provider import Role, models_in
from pytest_taubench.schema import Usage
from pytest_taubench.users.protocol import STOP_TOKEN, User, UserContext, UserTurn, split_stop

GREETING = "Hello! What can I do for you today?"
"""What the user answers with its opening message; no part of the trajectory."""

_RULES = f"""\
- Write only what this customer types, one message at a time, in the customer's own words.
- Do not tell everything at once. Bring up what the next step needs, and answer what you are asked.
- State no fact that is not written above. Asked for something you were not given, say that you do
  not know it or do not have it at hand.
- Want what is written above and nothing more; agree to nothing that goes against it.
- Keep to the manner of the person described.
- Once all you came for is done or finally refused, end your message with {STOP_TOKEN}. Write that
  nowhere else."""

_ROLE = """\
You play a customer who writes to a company's support agent. This is who you are and what you want:

{instruction}

Rules:
{rules}"""

_REACT_FORM = f"""\
Write each message in this form:

Thought: <a line or two about where things stand and what to say; nobody else reads it>
Reply: <the message to the agent>

{STOP_TOKEN} counts only in the Reply."""

_JUDGE = """\
A customer writes to a company's support agent. The customer is played after this description:

{instruction}

Below is their conversation: what the agent wrote stands as the user's messages, what the customer
wrote as yours. You judge whether a message of the customer keeps to the description. It does not if
it states a fact that the description does not hold, asks for what the description does not want,
agrees to what the description rules out, speaks as the agent, or ends the conversation ("{stop}")
before the customer's business is done or refused."""

JUDGE_QUESTION = """\
Step out of the conversation. Does the customer's last message keep to the description?
Answer with one JSON object: {"ok": true or false, "reason": "<one sentence>"}"""
"""Asked behind the message that is judged."""

_REWRITE = """\
Your last message does not keep to who you are: {reason}
Write that message again, and only the message."""


def user_prompt(instruction: str) -> str:
    """Return the system prompt of a user that just speaks."""
    return _ROLE.format(instruction=instruction, rules=_RULES)


def react_user_prompt(instruction: str) -> str:
    """Return the system prompt of a user that thinks before it speaks."""
    return f"{user_prompt(instruction)}\n\n{_REACT_FORM}"


def judge_prompt(instruction: str) -> str:
    """Return the system prompt of the judge of a user's messages, the same in all its calls."""
    return _JUDGE.format(instruction=instruction, stop=STOP_TOKEN)


def rewrite_prompt(reason: str) -> str:
    """Return what a user is told whose message the judge refused."""
    return _REWRITE.format(reason=reason)


TRIES = 3
"""How often a user is asked for one turn that says something."""


class ModelUser:
    """A user played by a model: keeps its side of the conversation and asks for each turn.

    The model plays the user, so its own words are the assistant's in its history, and the agent's
    are the user's. It sees nothing else of the agent: no tool call, no result.

    Args:
        context: The user's context.
        system: The system prompt.
    """

    def __init__(self, context: UserContext, system: str) -> None:
        self._context = context
        self._history: list[dict[str, Any]] = [{"role": "system", "content": system}]
        self._tally = UsageTally()
        self._notes: list[str] = []
        self._models: dict[Role, ChatModel] = {}
        self._finished: str | None = None

    async def respond(self, text: str | None) -> UserTurn:
        """Answer the agent's text; see User.respond."""
        self._history.append({"role": "user", "content": GREETING if text is None else text})
        reply = await self._turn()
        self._history.append({"role": "assistant", "content": reply})
        return self._read(reply)

    def usage(self) -> Usage:
        """Return the model use so far."""
        return self._tally.total()

    def notes(self) -> list[str]:
        """Return what the record must say of this user."""
        return list(self._notes)

    async def close(self) -> None:
        """Close the models."""
        for model in self._models.values():
            await model.close()

    async def _turn(self) -> str:
        """Return the raw reply of this turn; strategies that check a reply override this."""
        return await self._reply()

    def _read(self, reply: str) -> UserTurn:
        """Return the turn a raw reply stands for; empty where it says nothing."""
        return split_stop(reply)

    async def _reply(self, *more: dict[str, Any]) -> str:
        """Return a raw reply that says something, asking a bounded number of times.

        The first turn must not stop: nothing has been done yet that the user could be content with.
        """
        opens = len(self._history) == 2
        for _ in range(TRIES):
            reply = await self._ask([*self._history, *more])
            turn = self._read(reply)
            if (turn.text or turn.stop) and not (opens and turn.stop):
                return reply
        did = "stopped in its first turn" if turn.stop else "gave nothing to say"
        says = f"the user's model {did}, {TRIES} times in a row"
        if self._finished not in (None, "stop"):
            says += f" (finish_reason: {self._finished})"
        raise InfrastructureError(says, source="user")

    async def _ask(self, messages: Sequence[dict[str, Any]], role: Role = "user") -> str:
        if role not in self._models:
            models = models_in(self._context.options)
            self._models[role] = models.chat_model(role, self._context.model)
        try:
            reply = await self._models[role].complete(messages)
        except AgentError as error:
            # Whatever the simulator's model does wrong, the agent under test has not done.
            raise InfrastructureError(str(error), source="user") from error
        self._tally.add(reply)
        self._finished = reply.finish_reason
        return reply.text


def make_llm_user(context: UserContext) -> User:
    """Return the user of one trial. No call is made before its first turn."""
    return ModelUser(context, user_prompt(context.instruction))

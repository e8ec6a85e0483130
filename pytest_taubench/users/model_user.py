"""What the users that are language models have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_taubench.errors import AgentError, InfrastructureError
from pytest_taubench.llm.chat import ChatModel
from pytest_taubench.llm.provider import Role, models_in
from pytest_taubench.llm.usage import UsageTally
from pytest_taubench.schema import Usage
from pytest_taubench.users.prompts import GREETING
from pytest_taubench.users.protocol import UserContext, UserTurn
from pytest_taubench.users.stop import split_stop

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

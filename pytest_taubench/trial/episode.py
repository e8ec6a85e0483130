"""The one loop: a user and an agent talk, and the agent's tool calls run on the environment."""

from __future__ import annotations

import asyncio
import json
import threading
import traceback
from dataclasses import dataclass, field
from typing import Any

from pytest_taubench.agents.protocol import Agent
from pytest_taubench.environment.environment import Environment, ToolResult
from pytest_taubench.errors import (
    AgentError,
    ContextLengthError,
    EpisodeOver,
    FatalError,
    InfrastructureError,
    text_of,
)
from pytest_taubench.schema import (
    ActionRecord,
    Ending,
    ErrorInfo,
    FunctionCall,
    Message,
    ToolCall,
)
from pytest_taubench.text.foreign import whole_text, whole_texts
from pytest_taubench.trial_clock import time_limit
from pytest_taubench.users.protocol import STOP_TOKEN, User, UserTurn

EMPTY_REPLY = (
    "Your last reply held neither text nor a tool call, so nothing reached the user. "
    "Write to the user or call a tool."
)
HARNESS = "harness"
"""The ``name`` of messages that the harness itself put into a trajectory."""

_REFUSALS_BEFORE_BREAK = 3
_USER_ATTEMPTS = 3
_FAULT_ENDINGS = {
    "model": Ending.MODEL_ERROR,
    "user": Ending.USER_ERROR,
    "environment": Ending.ENVIRONMENT_ERROR,
    "task": Ending.TASK_ERROR,
    "worker": Ending.WORKER_CRASH,
}


@dataclass
class Episode:
    """One conversation, at most ``max_steps`` agent actions long.

    An action is a text to the user, a tool call, or a reply with neither. The user speaks
    first (arXiv 2406.12045, section 3). What the episode leaves is in its attributes.

    Attributes:
        environment: The trial's own environment.
        user: The simulated user.
        policy: The system message; left out of the trajectory.
        max_steps: The step cap.
        trajectory: All messages so far.
        actions: The tool calls so far, failed ones included.
        told: The agent's texts that reached the user.
        notes: What a reader of the trial should know.
        steps: Agent actions so far.
        ending: How the episode ended; None while it runs.
        error: The fault that ended it.
    """

    environment: Environment
    user: User
    policy: str
    max_steps: int
    trajectory: list[Message] = field(default_factory=list)
    actions: list[ActionRecord] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    steps: int = 0
    ending: Ending | None = None
    error: ErrorInfo | None = None
    _agents_turn: bool = False
    _refusals: int = 0
    # An agent's own tool loop may call from several threads at once.
    _lock: threading.RLock = field(default_factory=threading.RLock)

    async def run(self, agent: Agent, timeout: float | None = None) -> Ending:
        """Run to an end and return it.

        Args:
            agent: The agent of this trial.
            timeout: Seconds; what holds the turn when they are over is named by the ending.

        Raises:
            FatalError: No trial of this run can succeed.
        """
        try:
            async with time_limit(timeout):
                await self._converse(agent)
        except FatalError:
            raise
        except (AgentError, InfrastructureError, TimeoutError) as error:
            self._end_by_fault(error, timeout)
        except EpisodeOver:
            self._end(self.ending or Ending.MAX_STEPS)
        except Exception as error:
            # A defect of this package or of a plugin: no figure of the agent may rest on it.
            self.error = describe_error(error)
            self._end(Ending.ENVIRONMENT_ERROR)
        assert self.ending is not None
        return self.ending

    def call_tool(self, name: str, arguments: dict[str, Any]) -> str:
        """Execute a call of an agent that runs its own tool loop, and return what it reads.

        Raises:
            EpisodeOver: The agent goes on calling after it was told that the episode is over.
        """
        with self._lock:
            if self._over() or self.steps >= self.max_steps:
                return self._refuse_call()
            text = whole_text(json.dumps(arguments, ensure_ascii=False, default=str))
            call = ToolCall(
                id=f"call_{len(self.actions) + 1}",
                function=FunctionCall(name=name, arguments=text),
            )
            self.trajectory.append(Message(role="assistant", tool_calls=[call]))
            try:
                return whole_text(self._execute(call, len(self.trajectory) - 1).content)
            except InfrastructureError as error:
                # The agent's loop might show it to its model and go on; nothing can be graded.
                self._end_by_fault(error, None)
                raise EpisodeOver from error

    def messages(self) -> list[dict[str, Any]]:
        """Return the conversation as the agent sees it, the policy first."""
        system = [{"role": "system", "content": self.policy}] if self.policy else []
        return system + [message.as_openai() for message in self.trajectory]

    async def _converse(self, agent: Agent) -> None:
        await self._user_turn(None)
        while not self._over():
            if self.steps >= self.max_steps:
                self._end(Ending.MAX_STEPS)
                return
            self._agents_turn = True
            reply = _whole(await agent.step(self.messages()))
            with self._lock:
                speaks = self._take(reply)
            if speaks is not None:
                await self._user_turn(speaks)

    def _take(self, reply: Message) -> str | None:
        """Take the agent's reply in; return the text that goes to the user, if any."""
        self.trajectory.append(reply)
        if self._over():
            return None
        if self.steps >= self.max_steps:
            self._end(Ending.MAX_STEPS)
            return None
        if reply.tool_calls:
            self._execute_all(reply.tool_calls)
            return None
        self.steps += 1
        if reply.content and reply.content.strip():
            self.told.append(reply.content)
            return self._without_stop(reply.content)
        self.trajectory.append(Message(role="user", name=HARNESS, content=EMPTY_REPLY))
        return None

    def _without_stop(self, text: str) -> str:
        """Return the agent's text as the user gets it: the stop word is the user's alone to say."""
        if STOP_TOKEN not in text:
            return text
        note = f"the agent wrote the user's stop word {STOP_TOKEN}, which the user did not get"
        if note not in self.notes:
            self.notes.append(note)
        return text.replace(STOP_TOKEN, "(stop)")

    def _execute_all(self, calls: list[ToolCall]) -> None:
        index = len(self.trajectory) - 1
        for call in calls:
            if self._over():
                return
            if self.steps >= self.max_steps:
                self._end(Ending.MAX_STEPS)
                return
            self._execute(call, index)

    def _execute(self, call: ToolCall, message_index: int) -> ToolResult:
        self.steps += 1
        name = call.function.name
        result = self.environment.call(name, call.function.arguments)
        self.actions.append(
            ActionRecord(
                name=name,
                arguments=whole_texts(result.arguments),
                kind=result.kind,
                ok=result.ok,
                message_index=message_index,
            )
        )
        self.trajectory.append(
            _whole(Message(role="tool", tool_call_id=call.id, name=name, content=result.content))
        )
        if result.ends_episode:
            self._end(Ending.TRANSFER)
        return result

    def _refuse_call(self) -> str:
        if not self._over():
            self._end(Ending.MAX_STEPS)
        self._refusals += 1
        if self._refusals >= _REFUSALS_BEFORE_BREAK:
            raise EpisodeOver
        return "Error: the conversation is over; no further call is executed."

    async def _user_turn(self, agent_text: str | None) -> None:
        self._agents_turn = False
        turn = await self._user_reply(agent_text)
        # A user that computes lets no timer run. Time that ran out meanwhile is noticed in two
        # rounds of the loop, and is the user's while the turn still is.
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        if turn.text:
            self.trajectory.append(_whole(Message(role="user", content=turn.text)))
        if turn.stop:
            self._end(Ending.USER_STOP)

    async def _user_reply(self, agent_text: str | None) -> UserTurn:
        """Return the user's turn, asked for again where it is empty."""
        for _ in range(_USER_ATTEMPTS):
            turn = await self.user.respond(agent_text)
            if turn.stop and agent_text is None:
                # The agent cannot be graded for it: it had no turn.
                raise InfrastructureError(
                    "the user ended the conversation before the agent had a turn", source="user"
                )
            if turn.stop or turn.text.strip():
                return turn
        raise InfrastructureError(
            f"the user said nothing, asked {_USER_ATTEMPTS} times", source="user"
        )

    def _over(self) -> bool:
        return self.ending is not None

    def _end(self, ending: Ending) -> None:
        self.ending = ending

    def _end_by_fault(
        self, error: AgentError | InfrastructureError | TimeoutError, timeout: float | None
    ) -> None:
        self.error = describe_error(error)
        if isinstance(error, ContextLengthError):
            self._end(Ending.CONTEXT_LENGTH)
        elif isinstance(error, AgentError):
            self._end(Ending.AGENT_ERROR)
        elif isinstance(error, InfrastructureError):
            self._end(_FAULT_ENDINGS[error.source])
        else:
            self._end(Ending.AGENT_TIMEOUT if self._agents_turn else Ending.USER_ERROR)
            who = "agent" if self._agents_turn else "user"
            self.error.message = (
                f"the {who} had the turn when the {timeout} s of the trial were over"
            )


def _whole(message: Message) -> Message:
    """Return a message that can be sent to any model and written to any file."""
    return Message.model_validate(whole_texts(message.model_dump()))


def describe_error(error: BaseException) -> ErrorInfo:
    """Return what a record keeps of an exception, the agent's own traceback included."""
    notes = getattr(error, "__notes__", [])
    trace = "".join(notes) or "".join(traceback.format_exception(error))
    message = whole_text(_message_of(error))
    return ErrorInfo(type=type(error).__name__, message=message, traceback=whole_text(trace))


def _message_of(error: BaseException) -> str:
    return text_of(error).removeprefix(f"{type(error).__name__}: ")

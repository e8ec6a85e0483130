"""The three shapes an agent may have, told apart by their parameters."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pytest_taubench.agents.protocol import Agent, AgentContext, read_reply
from pytest_taubench.errors import AgentError, FatalError, TauBenchError, text_of
from pytest_taubench.foreign_code import ForeignCode
from pytest_taubench.llm.chat import with_thought_apart
from pytest_taubench.llm.faults import endpoint_fault
from pytest_taubench.schema import Message, Usage

EXPECTED = (
    "expected agent(messages, tools), or a class or factory of one argument (context) "
    "that gives an object with step(messages) or respond(text)"
)


class AgentShapeError(TauBenchError):
    """The object given as agent has none of the three shapes."""


def required_parameters(function: Callable[..., Any]) -> int:
    """Return how many positional arguments the callable cannot do without."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(
        parameter.kind in kinds and parameter.default is parameter.empty
        for parameter in inspect.signature(function).parameters.values()
    )


def is_planner(target: object) -> bool:
    """Return whether the object plans TaskBench samples and nothing else.

    ``plan(request, tools)`` and ``plan(request, tools, answer_format)`` are told from
    ``agent(messages, tools)`` by the names of their parameters.
    """
    if not callable(target) or inspect.isclass(target):
        return False
    try:
        names = list(inspect.signature(target).parameters)
        count = required_parameters(target)
    except ValueError:
        return False
    return names[2:3] == ["answer_format"] or (count in (2, 3) and names[0] == "request")


def maker_of(target: object, name: str) -> Callable[[AgentContext], Agent]:
    """Return what makes the agent of one trial from the object the user gave.

    Raises:
        AgentShapeError: The object has none of the three shapes; the message says what it is.
    """
    if not callable(target):
        hint = " (give the class, not an instance: each trial needs its own)"
        lived = hasattr(target, "step") or hasattr(target, "respond")
        raise AgentShapeError(
            f"agent {name!r} is a {type(target).__name__}{hint if lived else ''}; {EXPECTED}"
        )
    try:
        count = required_parameters(target)
    except ValueError as error:
        raise AgentShapeError(f"agent {name!r} has no readable signature; {EXPECTED}") from error
    if count == 2 and not inspect.isclass(target):
        return lambda context: UserAgent(name, context, function=target)
    if count == 1:
        shape = FactoryShape()
        return lambda context: UserAgent(name, context, factory=target, shape=shape)
    raise AgentShapeError(f"agent {name!r} takes {count} required arguments; {EXPECTED}")


@dataclass
class FactoryShape:
    """What is known of a factory.

    Attributes:
        right: Whether any trial had an agent of it.
    """

    right: bool = False


class UserAgent:
    """An agent of any of the three shapes, in one trial.

    Synchronous code runs in a thread of the trial's own; the first call is made there too, so
    that an agent is built and used in one thread.
    """

    def __init__(
        self,
        name: str,
        context: AgentContext,
        *,
        function: Callable[..., Any] | None = None,
        factory: Callable[..., Any] | None = None,
        shape: FactoryShape | None = None,
    ) -> None:
        self._name = name
        self._context = context
        self._function = function
        self._factory = factory
        self._shape = shape or FactoryShape()
        self._object: Any = None
        self._code = ForeignCode(f"agent {name}")

    async def step(self, messages: list[dict[str, Any]]) -> Message:
        """Return the agent's next message; see Agent.step."""
        try:
            return with_thought_apart(read_reply(await self._reply(messages)))
        except TauBenchError:
            raise
        except Exception as error:
            raise _attributed(error) from error

    def usage(self) -> Usage | None:
        """Return the use that the agent reports by a ``usage`` method or attribute, if any."""
        reported = getattr(self._object, "usage", None)
        value = reported() if callable(reported) else reported
        if value is None or isinstance(value, Usage):
            return value
        return Usage.model_validate(value, from_attributes=True)

    async def close(self) -> None:
        """Close the agent's own object where it has a ``close``, and end its thread."""
        try:
            if callable(close := getattr(self._object, "close", None)):
                await self._code.call(close)
        finally:
            self._code.close()

    async def _reply(self, messages: list[dict[str, Any]]) -> object:
        if self._function is not None:
            return await self._code.call(self._function, messages, list(self._context.tool_schemas))
        agent = await self._made()
        if callable(step := getattr(agent, "step", None)):
            call = self._code.call(step, messages)
        elif callable(respond := getattr(agent, "respond", None)):
            call = self._code.call(respond, messages[-1]["content"] or "")
        elif callable(agent) and required_parameters(agent) == 2:
            call = self._code.call(agent, messages, list(self._context.tool_schemas))
        else:
            raise self._misshapen(agent)
        self._shape.right = True
        return await call

    def _misshapen(self, agent: object) -> TauBenchError:
        """Return the end of the run, or of this trial alone where others had an agent."""
        gave = f"{self._name}(context) gave a {type(agent).__name__}"
        if self._shape.right:
            return AgentError(f"{gave} with neither step(messages) nor respond(text)")
        return FatalError(f"{gave}; {EXPECTED}")

    async def _made(self) -> Any:
        if self._object is None and self._factory is not None:
            self._object = await self._code.call(self._factory, self._context)
        return self._object


def _attributed(error: Exception) -> TauBenchError:
    if endpoint := endpoint_fault(error, "the agent's model"):
        return endpoint
    fault = AgentError(f"the agent raised {text_of(error)}")
    fault.add_note("".join(traceback.format_exception(error)))
    return fault

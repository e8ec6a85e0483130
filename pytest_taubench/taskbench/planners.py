"""Planners: from a request and tools to a task plan."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from pytest_taubench.agents.loading import AgentSpecError
from pytest_taubench.agents.shapes import required_parameters
from pytest_taubench.errors import AgentError, TauBenchError, text_of
from pytest_taubench.foreign_code import ForeignCode
from pytest_taubench.llm.chat import ChatModel, UsageTally
from pytest_taubench.llm.faults import endpoint_fault
from pytest_taubench.llm.provider import models_in
from pytest_taubench.schema import ModelSettings, Sample, Usage
from pytest_taubench.taskbench.prompt import plan_messages

Answer = str | Mapping[str, Any] | None


@dataclass(frozen=True)
class PlanContext:
    """All a planner may know but the request.

    Attributes:
        tools: The tools: name, description, and inputs and outputs or parameters.
        answer_format: The description of the answer's JSON.
        model: The model settings of the agent's role.
        seed: A seed of this trial's own.
        demonstrations: Samples with their answers to learn from, none of them scored.
        options: Further settings from the command line.
    """

    tools: Sequence[dict[str, Any]]
    answer_format: str
    model: ModelSettings = field(default_factory=ModelSettings)
    seed: int = 0
    demonstrations: Sequence[Sample] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


class Planner(Protocol):
    """One planner in one trial."""

    async def plan(self, request: str) -> Answer:
        """Return the plan, as an object or as text that holds one.

        Raises:
            AgentError: The planner's own fault; the trial is scored 0.
            InfrastructureError: Something outside failed; the trial is unscored.
        """
        ...

    def usage(self) -> Usage | None:
        """Return the model use so far, or None where the planner does not count it."""
        ...

    async def close(self) -> None:
        """Release what the planner holds; called once, whatever happened."""
        ...


class FixedPlanner:
    """Gives one answer whatever is asked: the oracle's, or the silent planner's empty plan."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    async def plan(self, request: str) -> Answer:
        """Return the answer."""
        return self._answer

    def usage(self) -> Usage | None:
        """Return None: no model is used."""
        return None

    async def close(self) -> None:
        """Hold nothing."""


class ModelPlanner:
    """Asks a language model, zero- to n-shot.

    Args:
        context: The trial's context; its demonstrations are the shots.
        model: The model; the one the context's settings name by default.
    """

    def __init__(self, context: PlanContext, model: ChatModel | None = None) -> None:
        self._context = context
        self._model = model
        self._tally = UsageTally()

    async def plan(self, request: str) -> Answer:
        """Return the model's reply."""
        context = self._context
        messages = plan_messages(
            request, context.tools, context.answer_format, context.demonstrations
        )
        if self._model is None:
            self._model = models_in(context.options).chat_model("agent", context.model)
        reply = await self._model.complete(messages)
        self._tally.add(reply)
        return reply.text

    def usage(self) -> Usage:
        """Return the model use so far."""
        return self._tally.total()

    async def close(self) -> None:
        """Close the model."""
        if self._model is not None:
            await self._model.close()


class FunctionPlanner:
    """A user's ``plan(request, tools)``, sync or async, with the answer's format if it takes it.

    A function whose first parameter is called ``messages`` gets the conversation that a model
    would get, so that an agent written for conversations can plan as well.
    """

    def __init__(self, function: Callable[..., Any], context: PlanContext, name: str) -> None:
        self._function = function
        self._context = context
        self._name = name
        self._code = ForeignCode(f"planner {name}")

    async def plan(self, request: str) -> Answer:
        """Return what the function returns."""
        arguments = self._arguments(request)
        try:
            answer = await self._code.call(self._function, *arguments)
        except TauBenchError:
            raise
        except Exception as error:
            raise _attributed(error) from error
        return self._checked(answer)

    def usage(self) -> Usage | None:
        """Return None: the function's model use is its own."""
        return None

    async def close(self) -> None:
        """End thread and task."""
        self._code.close()

    def _arguments(self, request: str) -> list[Any]:
        context = self._context
        names = _positional(self._function)
        if names[0] == "messages":
            return [plan_messages(request, context.tools, context.answer_format), []]
        arguments: list[Any] = [request, list(context.tools)]
        wants_format = "answer_format" in names or required_parameters(self._function) > 2
        return [*arguments, context.answer_format] if wants_format else arguments

    def _checked(self, answer: Any) -> Answer:
        if isinstance(answer, Mapping) and "role" in answer and "content" in answer:
            answer = answer["content"]
        if answer is None or isinstance(answer, str | Mapping):
            return answer
        raise AgentError(
            f"{self._name} gave a {type(answer).__name__}; expected a dict with task_nodes, or text"
        )


PlannerMaker = Callable[[PlanContext], Planner]


@dataclass(frozen=True)
class PlannerSource:
    """Makes the planner of each trial.

    Attributes:
        name: The name for records.
        make: Makes one trial's planner.
        oracle: True for the oracle, which is made with gold instead.
    """

    name: str
    make: PlannerMaker
    oracle: bool = False


SILENT_PLAN: Mapping[str, Any] = {"task_steps": [], "task_nodes": [], "task_links": []}


def planner_source(name: str, target: object = None) -> PlannerSource:
    """Return the planner that an agent's name or object stands for.

    Args:
        name: ``oracle``, ``silent``, or whatever the agent is called.
        target: The user's function; without one, and but for those names, a model plans.

    Raises:
        AgentSpecError: The object is no function of request and tools.
    """
    if target is not None:
        if not callable(target) or inspect.isclass(target) or not _takes_two(target):
            raise AgentSpecError(
                f"agent {name!r} cannot plan TaskBench samples; expected plan(request, tools), or "
                "plan(request, tools, answer_format), or agent(messages, tools)"
            )
        return PlannerSource(name, lambda context: FunctionPlanner(target, context, name))
    if name == "oracle":
        return PlannerSource(name, lambda context: FixedPlanner(SILENT_PLAN), oracle=True)
    if name == "silent":
        return PlannerSource(name, lambda context: FixedPlanner(SILENT_PLAN))
    if name.startswith(("http://", "https://")):
        return PlannerSource(name, lambda context: ModelPlanner(_at(context, name)))
    return PlannerSource(name, ModelPlanner)


def _at(context: PlanContext, url: str) -> PlanContext:
    return replace(context, model=context.model.model_copy(update={"base_url": url}))


def _takes_two(function: Callable[..., Any]) -> bool:
    return len(_positional(function)) >= 2


def _positional(function: Callable[..., Any]) -> list[str]:
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(function).parameters.values()
    return [parameter.name for parameter in parameters if parameter.kind in kinds]


def _attributed(error: Exception) -> TauBenchError:
    if endpoint := endpoint_fault(error, "the planner's model"):
        return endpoint
    fault = AgentError(f"the planner raised {text_of(error)}")
    fault.add_note("".join(traceback.format_exception(error)))
    return fault


def pick_demonstrations(
    pool: Sequence[Sample], scored: Sequence[Sample], number: int
) -> list[Sample]:
    """Return demonstrations from a pool, none of them a scored sample, types taking turns.

    Raises:
        TauBenchError: The pool has too few that are not scored.
    """
    ids = {(sample.domain, sample.id) for sample in scored}
    requests = {sample.user_request.strip() for sample in scored}
    free = [
        sample
        for sample in pool
        if (sample.domain, sample.id) not in ids and sample.user_request.strip() not in requests
    ]
    if len(free) < number:
        raise TauBenchError(
            f"{number} demonstrations asked for, and only {len(free)} of {len(pool)} samples in "
            "the pool are not scored themselves"
        )
    turns: dict[str | None, list[Sample]] = {}
    for sample in free:
        turns.setdefault(sample.type, []).append(sample)
    longest = max(map(len, turns.values()), default=0)
    in_turn = [
        group[place] for place in range(longest) for group in turns.values() if place < len(group)
    ]
    return in_turn[:number]

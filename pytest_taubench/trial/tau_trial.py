"""One trial of a τ-bench task, from its annotation to its record."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from pytest_taubench.agents.loading import AgentSource
from pytest_taubench.agents.oracle import OracleAgent
from pytest_taubench.agents.protocol import Agent, AgentContext, bind_tool
from pytest_taubench.environment.domain import Domain
from pytest_taubench.errors import FatalError, InfrastructureError, text_of
from pytest_taubench.llm.chat import UsageTally
from pytest_taubench.llm.provider import models_in
from pytest_taubench.randomness import stable_seed, trial_random
from pytest_taubench.reward.attribution import attribute
from pytest_taubench.reward.database import Gold, gold_state
from pytest_taubench.reward.fault_judge import ask_whose_fault
from pytest_taubench.reward.nl_assertions import judge_assertions, not_judged, nothing_to_judge
from pytest_taubench.reward.reward import grade_record, proves_nothing
from pytest_taubench.schema import (
    Component,
    Ending,
    ModelSettings,
    RunSettings,
    Task,
    TrialRecord,
    Usage,
)
from pytest_taubench.taskbench.records import tau_taskeval
from pytest_taubench.text.foreign import whole_texts
from pytest_taubench.trial.episode import Episode, describe_error
from pytest_taubench.users.loading import UserSource
from pytest_taubench.users.protocol import User, UserContext

THINK = "think"
"""The tool that does nothing but let an agent think (arXiv 2406.12045, section 4.1)."""


@dataclass(frozen=True)
class TrialSpec:
    """What one trial is.

    Attributes:
        task: The annotation.
        domain: The domain with the database the trial starts from.
        nodeid: The pytest node id of the item.
        suite: The suite the task was collected under.
        trial: 1-based number.
        settings: The run's settings.
        options: Further settings that agents and users may read.
        fault_model: The model that says whose fault a failed trial was, where one is asked.
    """

    task: Task
    domain: Domain
    nodeid: str
    suite: str
    trial: int
    settings: RunSettings
    options: Mapping[str, Any] = field(default_factory=dict)
    fault_model: ModelSettings | None = None


class GoldStates:
    """The gold end state of each task, computed once; one object serves a process."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Task, Gold]] = {}

    def get(self, task: Task, domain: Domain) -> Gold:
        """Return the task's gold state, running its actions on a fresh environment if needed."""
        known = self._known.get(id(task))
        if known is None:
            # The task is kept beside its state, so that its id cannot come to mean another.
            known = (task, gold_state(domain.environment(), task.actions))
            self._known[id(task)] = known
        return known[1]


async def run_trial(
    spec: TrialSpec,
    agent: AgentSource,
    user: UserSource,
    gold_states: GoldStates,
    clock: Callable[[], float] = time.time,
    stopwatch: Callable[[], float] = time.monotonic,
) -> TrialRecord:
    """Run one trial and grade it.

    Args:
        spec: The trial.
        agent: Makes its agent.
        user: Makes its user.
        gold_states: Where gold states are kept over the trials of a process.
        clock: Seconds since the epoch.
        stopwatch: Seconds that no one who sets the clock can change.

    Returns:
        The record, whatever happened.

    Raises:
        FatalError: No trial of this run can succeed; carries the record.
    """
    began = stopwatch()
    record = TrialRecord(
        nodeid=spec.nodeid,
        suite=spec.suite,
        domain=spec.domain.name,
        task_id=spec.task.id,
        task_hash=task_hash(spec.task),
        trial=spec.trial,
        seed=spec.settings.seed,
        agent=agent.name,
        user=user.name,
        outcome="unscored",
        ending=Ending.TASK_ERROR,
        started=clock(),
    )
    try:
        gold = gold_states.get(spec.task, spec.domain)
        record.expected_changes = gold.changes
        record.gold_writes = sum(result.kind == "write" for result in gold.results)
        record.notes = [f"gold action {failure}" for failure in gold.failures]
        _refuse_failing_gold(spec.task, gold)
        await _play(spec, agent, user, gold, record)
    except InfrastructureError as error:
        record.error = describe_error(error)
    except FatalError as error:
        record.ending, record.error = Ending.MODEL_ERROR, describe_error(error)
        error.record = record
        raise
    finally:
        record.duration = stopwatch() - began
    return record


def _refuse_failing_gold(task: Task, gold: Gold) -> None:
    if gold.failures and not task.ignore_failing_gold:
        raise InfrastructureError(
            "the task has no known right end state, since a gold action fails: "
            + "; ".join(gold.failures),
            source="task",
        )


def task_hash(task: Task) -> str:
    """Return a short stable hash of what the task asks and how it is graded."""
    graded = task.model_dump(mode="json", exclude={"notes", "marks", "source"})
    return hashlib.sha256(json.dumps(graded, sort_keys=True).encode()).hexdigest()[:16]


async def _play(
    spec: TrialSpec, agent: AgentSource, user: UserSource, gold: Gold, record: TrialRecord
) -> None:
    made_user = user.make(_user_context(spec))
    episode = Episode(
        environment=spec.domain.environment(),
        user=made_user,
        policy=spec.domain.policy if spec.settings.policy else "",
        max_steps=spec.task.max_steps or spec.settings.max_steps,
    )
    made_agent = _make_agent(spec, agent, episode)
    try:
        record.ending = await episode.run(made_agent, spec.settings.timeout)
    finally:
        await _close(made_agent, made_user, record)
        _keep(episode, record)
    if record.ending.scored:
        try:
            judged = await _judged(spec, record)
        except InfrastructureError as error:
            record.ending = Ending(f"{error.source}_error")
            raise
        _grade(spec.task, gold, episode, record, judged)
        record.metrics = _distance(spec, record)
    await _attribute(spec, episode.policy, record)


def _keep(episode: Episode, record: TrialRecord) -> None:
    record.steps = episode.steps
    record.error = episode.error
    record.trajectory = episode.trajectory
    record.actions = episode.actions
    record.actual_changes = episode.environment.changes()
    record.notes += episode.notes


async def _judged(spec: TrialSpec, record: TrialRecord) -> Component | None:
    """Return what a judge model says of the task's assertions, where they make its reward."""
    assertions, settings = spec.task.nl_assertions, spec.settings.judge_model
    if "nl_assertions" not in spec.task.reward_basis:
        return None
    if not assertions:
        return nothing_to_judge()
    if not record.ending.terminated:
        return not_judged(assertions, f"the trial ended by {record.ending}, so its reward is 0")
    if settings.name is None:
        raise InfrastructureError("no judge model grades the task's assertions", source="task")
    model = models_in(spec.options).chat_model("judge", settings)
    tally = UsageTally()
    try:
        return await judge_assertions(model, record.trajectory, assertions, tally)
    finally:
        record.usage["judge"] = tally.total()
        await model.close()


async def _attribute(spec: TrialSpec, policy: str, record: TrialRecord) -> None:
    record.attribution = attribute(record, spec.task, spec.domain.environment())
    if spec.fault_model is not None:
        models = models_in(spec.options)
        await ask_whose_fault(models, spec.fault_model, record, spec.task.instruction, policy)


def _grade(
    task: Task, gold: Gold, episode: Episode, record: TrialRecord, judged: Component | None
) -> None:
    grade_record(record, task, gold, episode.told, nl_assertions=judged)
    record.outcome = "scored"
    if proves_nothing(record.components):
        record.notes.append(
            "doing nothing passes this task: nothing in its reward basis asks for anything"
        )


def _distance(spec: TrialSpec, record: TrialRecord) -> dict[str, float]:
    """Return how far the trial's write actions were from the annotated ones."""
    writes = [name for name, tool in spec.domain.tools.items() if tool.kind == "write"]
    return tau_taskeval(spec.task.actions, record.actions, writes)


def _make_agent(spec: TrialSpec, source: AgentSource, episode: Episode) -> Agent:
    tools = spec.domain.tools
    offered = [name for name in tools if spec.settings.think or name != THINK]
    if source.oracle:
        ending = frozenset(name for name, tool in tools.items() if tool.ends_episode)
        calls = [(action.name, action.arguments) for action in spec.task.actions]
        return OracleAgent(calls, spec.task.outputs, ending)
    return source.make(
        AgentContext(
            policy=episode.policy,
            tools=[bind_tool(tools[name], episode.call_tool) for name in offered],
            tool_schemas=[tools[name].schema() for name in offered],
            model=spec.settings.agent_model.model_copy(deep=True),
            seed=stable_seed(spec.settings.seed, spec.task.id, spec.trial, "agent"),
            options=spec.options,
        )
    )


def _user_context(spec: TrialSpec) -> UserContext:
    return UserContext(
        instruction=spec.task.instruction,
        script=deepcopy(spec.task.script),
        random=trial_random(spec.settings.seed, spec.task.id, spec.trial, "user"),
        model=spec.settings.user_model.model_copy(deep=True),
        user_id=spec.task.user_id,
        options=spec.options,
    )


def _cut(role: str, used: Usage) -> list[str]:
    """Return what to say of replies that end in the middle, of a tool's arguments maybe."""
    if not used.cut:
        return []
    cut = f"{used.cut} of {used.calls} replies of the {role}'s model were cut"
    return [f"{cut} at its length limit (finish_reason: length)"]


async def _close(agent: Agent, user: User, record: TrialRecord) -> None:
    for role, part in (("agent", agent), ("user", user)):
        try:
            if (used := part.usage()) is not None:
                record.usage[role] = used
                record.notes += _cut(role, used)
        except Exception as error:
            record.notes.append(f"the {role}'s model use is not known: {text_of(error)}")
        try:
            await part.close()
        except Exception as error:
            record.notes.append(f"closing the {role} raised {text_of(error)}")
    record.notes = whole_texts([*record.notes, *user.notes()])

"""Run one trial of a TaskBench sample: the request to the planner, its answer to a record."""

from __future__ import annotations

import hashlib
import json
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from pytest_taubench.errors import (
    AgentError,
    ContextLengthError,
    FatalError,
    InfrastructureError,
)
from pytest_taubench.randomness import stable_seed
from pytest_taubench.schema import (
    Component,
    Ending,
    ErrorInfo,
    Message,
    RunSettings,
    Sample,
    TrialRecord,
)
from pytest_taubench.taskbench.execution_order import in_execution_order
from pytest_taubench.taskbench.graph import ToolGraph
from pytest_taubench.taskbench.planners import (
    Answer,
    FixedPlanner,
    PlanContext,
    Planner,
    PlannerSource,
)
from pytest_taubench.taskbench.prompt import answer_format, gold_plan, tool_descriptions
from pytest_taubench.taskbench.score import read_answer, score_prediction
from pytest_taubench.taskbench.taskeval.faults import bounded_repr
from pytest_taubench.trial_clock import time_limit

_LONGEST_REPR = 2_000
"""Characters a record keeps of an answer that is neither text nor JSON."""

ANNOTATION_NOTE = "annotation: "
"""How a record's note on its sample begins."""

_FAULT_ENDINGS = {
    "model": Ending.MODEL_ERROR,
    "user": Ending.USER_ERROR,
    "environment": Ending.ENVIRONMENT_ERROR,
    "task": Ending.TASK_ERROR,
    "worker": Ending.WORKER_CRASH,
}


@dataclass(frozen=True)
class SampleSpec:
    """What one trial of a sample is.

    Attributes:
        sample: The annotation.
        graph: The tool graph.
        nodeid: The pytest node id of the item.
        suite: The suite the sample was collected under.
        trial: 1-based number.
        settings: The run's settings.
        demonstrations: What a model planner is shown.
        options: Further settings that planners may read.
    """

    sample: Sample
    graph: ToolGraph
    nodeid: str
    suite: str
    trial: int
    settings: RunSettings
    demonstrations: Sequence[Sample] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


async def run_sample(
    spec: SampleSpec,
    source: PlannerSource,
    clock: Callable[[], float] = time.time,
    stopwatch: Callable[[], float] = time.monotonic,
) -> TrialRecord:
    """Run one trial of a sample and grade it.

    Args:
        spec: The trial.
        source: Makes its planner.
        clock: Seconds since the epoch.
        stopwatch: Seconds that no one who sets the clock can change.

    Returns:
        The record, whatever happened.

    Raises:
        FatalError: No trial of this run can succeed; carries the record.
    """
    began = stopwatch()
    record = new_record(spec, source.name, clock())
    try:
        planner = _make_planner(spec, source)
        try:
            async with time_limit(spec.settings.timeout):
                answer = await planner.plan(spec.sample.user_request)
        finally:
            await _close(planner, record)
        record.ending = Ending.ANSWERED
        record.steps = 1
        _keep_answer(answer, record)
    except (AgentError, InfrastructureError, TimeoutError) as error:
        record.ending, record.error = _ending(error), _described(error, spec.settings.timeout)
    except FatalError as error:
        record.ending, record.error = Ending.MODEL_ERROR, _described(error, None)
        record.duration = stopwatch() - began
        error.record = record
        raise
    if record.ending.scored:
        grade_plan(record, spec.sample, spec.graph)
    record.duration = stopwatch() - began
    return record


def sample_hash(sample: Sample) -> str:
    """Return a short stable hash of what the sample asks and how it is graded."""
    graded = sample.model_dump(mode="json", exclude={"notes", "marks", "source", "seed"})
    return hashlib.sha256(json.dumps(graded, sort_keys=True).encode()).hexdigest()[:16]


def new_record(spec: SampleSpec, agent: str, started: float = 0.0) -> TrialRecord:
    """Return the record of a trial that has not ended."""
    sample = spec.sample
    return TrialRecord(
        kind="graph",
        nodeid=spec.nodeid,
        suite=spec.suite,
        domain=spec.graph.name,
        task_id=sample.id,
        task_hash=sample_hash(sample),
        trial=spec.trial,
        seed=spec.settings.seed,
        agent=agent,
        outcome="unscored",
        ending=Ending.TASK_ERROR,
        trajectory=[Message(role="user", content=sample.user_request)],
        graph={
            "request": sample.user_request,
            "type": sample.type,
            "dependency": spec.graph.dependency,
            "gold": gold_plan(sample),
            "prediction": None,
            "faults": [],
            "demonstrations": [shown.id for shown in spec.demonstrations],
        },
        started=started,
    )


def _make_planner(spec: SampleSpec, source: PlannerSource) -> Planner:
    if source.oracle:
        return FixedPlanner(in_execution_order(gold_plan(spec.sample), spec.graph))
    settings = spec.settings
    return source.make(
        PlanContext(
            tools=tool_descriptions(spec.graph),
            answer_format=answer_format(spec.graph),
            model=settings.agent_model.model_copy(deep=True),
            seed=stable_seed(settings.seed, spec.sample.id, spec.trial, "agent"),
            demonstrations=deepcopy(spec.demonstrations),
            options=spec.options,
        )
    )


async def _close(planner: Planner, record: TrialRecord) -> None:
    used = planner.usage()
    if used is not None:
        record.usage["agent"] = used
    try:
        await planner.close()
    except Exception as error:
        record.notes.append(f"closing the planner raised {type(error).__name__}: {error}")


def _keep_answer(answer: Answer, record: TrialRecord) -> None:
    assert record.graph is not None
    prediction, faults = read_answer(answer)
    if isinstance(answer, str):
        text = _writable(answer)
    elif answer is not None and prediction is None:
        text = _writable(
            bounded_repr(answer, _LONGEST_REPR)
        )  # no JSON; what it was helps to mend it
    else:
        text = json.dumps(prediction, ensure_ascii=False)
    record.trajectory.append(Message(role="assistant", content=text))
    record.graph["prediction"] = prediction
    record.graph["faults"] = [str(fault) for fault in faults]


def grade_plan(record: TrialRecord, sample: Sample, graph: ToolGraph) -> None:
    """Grade the plan that a record holds, and put what it comes to into the record."""
    assert record.graph is not None
    score = score_prediction(sample, graph, record.graph["prediction"])
    record.graph["faults"] += score.faults
    record.graph["counts"] = score.counts
    record.metrics = score.metrics
    record.outcome = "scored"
    # An answer that broke off is no answer, even where an empty plan would do.
    passed = score.passed and record.ending is Ending.ANSWERED
    record.reward = float(passed)
    record.components = [Component(name="graph", value=record.reward, detail=score.detail)]
    record.notes += [f"{ANNOTATION_NOTE}{fault}" for fault in score.gold_faults]


def _ending(error: Exception) -> Ending:
    if isinstance(error, ContextLengthError):
        return Ending.CONTEXT_LENGTH
    if isinstance(error, InfrastructureError):
        return _FAULT_ENDINGS[error.source]
    return Ending.AGENT_ERROR if isinstance(error, AgentError) else Ending.AGENT_TIMEOUT


def _described(error: Exception, timeout: float | None) -> ErrorInfo:
    message = str(error)
    if isinstance(error, TimeoutError):
        message = f"the planner gave no answer within the {timeout} s of the trial"
    notes = getattr(error, "__notes__", [])
    trace = "".join(notes) or "".join(traceback.format_exception(error))
    return ErrorInfo(
        type=type(error).__name__, message=_writable(message), traceback=_writable(trace)
    )


def _writable(text: str) -> str:
    """Return a text with lone surrogates, which no file can hold, as escapes."""
    return text.encode("utf-8", "backslashreplace").decode()

"""One gate decided: by what was scored, or before the first trial by the plan alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_taubench.gates.metric import Decision, Gate, PlannedTasks
from pytest_taubench.gates.selection import PlannedTask, names_of, scope_of, unknown
from pytest_taubench.metrics.summary import task_key
from pytest_taubench.schema import TrialRecord


@dataclass(frozen=True)
class GateResult:
    """What the data say of a gate.

    Attributes:
        gate: The gate.
        decision: ``holds``, ``fails`` or ``cannot tell``.
        value: The figure, where there is one.
        reason: For a person, in one line.
    """

    gate: Gate
    decision: Decision
    value: float | None
    reason: str


def decide(
    gate: Gate,
    records: Sequence[TrialRecord],
    planned: Mapping[str, int],
    baseline: Sequence[TrialRecord] | None = None,
) -> GateResult:
    """Decide a gate on what was scored, for whatever the trials that are missing would bring.

    Args:
        gate: The gate.
        records: The records it is about are picked by its selector.
        planned: Trials planned a task, by task key, over the whole run; a trial that is
            unscored or has not run is taken once as passed and once as failed, and where that
            matters the gate cannot be told.
        baseline: Records of the run to compare with, where there is one.

    Returns:
        The decision and its reason.
    """
    scope = scope_of(gate.selector, records, planned, baseline)
    if gate.selector is not None and not scope.records:
        names = {task_key(record): names_of(record.suite, record.domain) for record in records}
        return GateResult(gate, "cannot tell", None, unknown(gate.selector, names, "trial"))
    return GateResult(gate, *gate.figure.finding(gate, scope))


def why_undecidable(
    gate: Gate, plan: PlannedTasks, *, deselected: Collection[str] = ()
) -> str | None:
    """Return why no outcome of the plan decides a gate, or None where some may.

    Args:
        gate: The gate.
        plan: The whole plan.
        deselected: What a selector may call the tasks that were collected and will not run.
    """
    if gate.selector is None:
        return gate.figure.out_of_plan(gate, plan)
    chosen = {key: task for key, task in plan.tasks.items() if gate.selector in task.names}
    if plan.complete and not chosen:
        return _nobody_answers(gate.selector, plan.tasks, deselected)
    return gate.figure.out_of_plan(gate, replace(plan, tasks=chosen))


def _nobody_answers(
    selector: str, tasks: Mapping[str, PlannedTask], deselected: Collection[str]
) -> str:
    if selector in deselected:
        return f"all tasks of {selector!r} are deselected"
    return unknown(selector, {key: task.names for key, task in tasks.items()}, "task")

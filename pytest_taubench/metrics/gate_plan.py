"""Which gates no run of a plan can decide, known before its first trial."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from pytest_taubench.metrics.gate_bounds import too_few_trials
from pytest_taubench.metrics.gate_selection import names_of, unknown
from pytest_taubench.metrics.gate_syntax import COUNTS, PASS, TASKEVAL, Gate


@dataclass(frozen=True)
class PlannedTask:
    """A task of the plan.

    Attributes:
        names: What a selector may call it: its suite, its domain, and both.
        trials: How many of its trials will have run at the end.
        is_sample: True for a TaskBench sample, which TaskEval is of.
    """

    names: frozenset[str]
    trials: int
    is_sample: bool

    @classmethod
    def of(cls, suite: str, domain: str, trials: int, *, is_sample: bool) -> PlannedTask:
        """Return the task of a suite and domain."""
        return cls(frozenset(names_of(suite, domain)), trials, is_sample)


def why_undecidable(
    gate: Gate,
    tasks: Mapping[str, PlannedTask],
    *,
    complete: bool,
    baseline: Collection[str] | None = None,
    deselected: Collection[str] = (),
) -> str | None:
    """Return why no outcome of the plan decides a gate, or None where some may.

    Args:
        gate: The gate.
        tasks: The planned tasks by task key.
        complete: Whether no other task can run; a test in Python may run any.
        baseline: The tasks that have a scored trial in the run compared with.
        deselected: What a selector may call the tasks that were collected and will not run.
    """
    chosen = {
        key: task
        for key, task in tasks.items()
        if gate.selector is None or gate.selector in task.names
    }
    if complete and gate.selector is not None and not chosen:
        if gate.selector in deselected:
            return f"all tasks of {gate.selector!r} are deselected"
        names = {key: task.names for key, task in tasks.items()}
        return unknown(gate.selector, names, "task")
    if match := PASS.fullmatch(gate.metric):
        counts = {key: task.trials for key, task in chosen.items()}
        k = int(match[2])
        short = any(trials < k for trials in counts.values())
        return too_few_trials(gate.metric, k, counts) if short else None
    if not complete:
        return None
    if gate.metric in COUNTS:
        return _count_out_of_reach(gate, sum(task.trials for task in chosen.values()))
    if gate.metric in TASKEVAL and not any(task.is_sample for task in chosen.values()):
        return f"{gate.metric} is a figure of TaskBench samples, and none is collected"
    if gate.metric == "no regression" and baseline is not None and not chosen.keys() & baseline:
        return "the baseline has no scored trial of any task that is collected"
    return None


def _count_out_of_reach(gate: Gate, planned: int) -> str | None:
    """Return why a number of trials can never be as a gate asks, or None where it can."""
    most = gate.bound >= planned if gate.operator == ">" else gate.bound > planned
    if gate.operator in ("<", "<=") or not most:
        return None
    of = f" of {gate.selector!r}" if gate.selector else ""
    return (
        f"only {planned} trials{of} are planned" if planned != 1 else f"only 1 trial{of} is planned"
    )

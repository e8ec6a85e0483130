"""Between what ends a gate's figure must lie, and which gates no run of a plan can decide."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from pytest_taubench.gates.selection import names_of, unknown
from pytest_taubench.gates.syntax import COUNTS, PASS, TASKEVAL, Gate
from pytest_taubench.metrics.cost import trial_cost
from pytest_taubench.metrics.pass_k import pass_at_k, pass_hat_k
from pytest_taubench.metrics.summary import summarize_tasks
from pytest_taubench.schema import TrialRecord


def pass_bounds(
    records: Sequence[TrialRecord], planned: Mapping[str, int], kind: str, k: int
) -> tuple[float, float] | None:
    """Return the least and the greatest pass^k (``^``) or pass@k (``@``) the run can end with.

    None where some planned task will not have k trials.
    """
    estimate = pass_hat_k if kind == "^" else pass_at_k
    seen = {task.task: (task.n, task.c) for task in summarize_tasks(records)}
    lows, highs = [], []
    for task, total in planned.items():
        n, c = seen.get(task, (0, 0))
        low = estimate(total, c, k)
        high = estimate(total, c + total - n, k)
        if low is None or high is None:
            return None
        lows.append(low)
        highs.append(high)
    if not lows:
        return None
    return sum(lows) / len(lows), sum(highs) / len(highs)


def too_few_trials(metric: str, k: int, planned: Mapping[str, int]) -> str:
    """Return which tasks will not have the k trials that the metric needs."""
    fewer = [task for task, trials in planned.items() if trials < k]
    needs = f"{metric} needs {k} {'trial' if k == 1 else 'trials'} a task"
    if len(fewer) == len(planned) > 1 or not planned:
        most = max(planned.values(), default=0)
        return f"{needs}, and no task has more than {most}"
    more = f", and {len(fewer) - 1} more have fewer than {k}" if len(fewer) > 1 else ""
    return f"{needs}, and {fewer[0]} has {planned[fewer[0]]}{more}"


def value_bounds(
    metric: str, records: Sequence[TrialRecord], planned: Mapping[str, int]
) -> tuple[float, float] | None:
    """Return the least and the greatest value that a count or a mean can end with.

    None where nothing bounds what is missing, or what is there is not known.
    """
    left = left_of(records, planned)
    if metric in COUNTS:
        now = _count(metric, records)
        return now, now + left
    scored = [record for record in records if record.outcome == "scored"]
    if metric == "reward":
        passed = sum(record.reward or 0.0 for record in scored)
        # An unscored trial may have passed or failed, like one that did not run.
        missing = left + len(records) - len(scored)
        total = len(scored) + missing
        return (passed / total, (passed + missing) / total) if total else None
    value = _mean(metric, scored)
    if value is None:
        return None
    if not left:
        return value, value
    least = value * len(scored) / (len(scored) + left)
    return (least, math.inf) if metric == "cost_per_trial" else None


def left_of(records: Sequence[TrialRecord], planned: Mapping[str, int]) -> int:
    """Return how many planned trials have no record."""
    return max(0, sum(planned.values()) - len(records))


def _count(name: str, records: Sequence[TrialRecord]) -> int:
    if name == "trials":
        return len(records)
    return sum(record.outcome == name for record in records)


def _mean(name: str, records: Sequence[TrialRecord]) -> float | None:
    scored = [record for record in records if record.outcome == "scored"]
    if name == "reward":
        values = [record.reward for record in scored]
    elif name == "steps":
        values = [float(record.steps) for record in scored]
    else:
        values = [trial_cost(record) for record in scored]
    known = [value for value in values if value is not None]
    # A mean over the trials whose cost happens to be known would pass for the cost of all.
    return sum(known) / len(known) if known and len(known) == len(values) else None


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

"""Between what ends a figure must lie once the trials that are missing have run."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from pytest_taubench.gates.selection import Scope
from pytest_taubench.metrics.pass_k import pass_at_k, pass_hat_k
from pytest_taubench.metrics.summary import summarize_tasks
from pytest_taubench.schema import TrialRecord

Bounds = tuple[float, float]
"""The least and the greatest value that a figure can end with."""


def pass_bounds(
    records: Sequence[TrialRecord], planned: Mapping[str, int], kind: str, k: int
) -> Bounds | None:
    """Return the bounds of pass^k (``^``) or pass@k (``@``).

    None where some planned task will not have k trials.
    """
    ends = task_bounds(records, planned, kind, k)
    if not ends:
        return None
    lows, highs = zip(*ends.values(), strict=True)
    return sum(lows) / len(lows), sum(highs) / len(highs)


def task_bounds(
    records: Sequence[TrialRecord], planned: Mapping[str, int], kind: str, k: int
) -> dict[str, Bounds] | None:
    """Return the bounds of each planned task, or None where one will not have k trials."""
    estimate = pass_hat_k if kind == "^" else pass_at_k
    seen = {task.task: (task.n, task.c) for task in summarize_tasks(records)}
    found = {}
    for task, total in planned.items():
        n, c = seen.get(task, (0, 0))
        total = max(total, n)  # a plan that speaks of fewer trials than ran is damaged
        low = estimate(total, c, k)
        high = estimate(total, c + total - n, k)
        if low is None or high is None:
            return None
        found[task] = low, high
    return found


def too_few_trials(metric: str, k: int, planned: Mapping[str, int]) -> str:
    """Return which tasks will not have the k trials that the metric needs."""
    fewer = [task for task, trials in planned.items() if trials < k]
    needs = f"{metric} needs {k} {'trial' if k == 1 else 'trials'} a task"
    if len(fewer) == len(planned) > 1 or not planned:
        most = max(planned.values(), default=0)
        return f"{needs}, and no task has more than {most}"
    more = f", and {len(fewer) - 1} more have fewer than {k}" if len(fewer) > 1 else ""
    return f"{needs}, and {fewer[0]} has {planned[fewer[0]]}{more}"


def reward_bounds(scope: Scope) -> Bounds | None:
    """Return the bounds of the mean reward; None where no trial is planned or ran."""
    scored = scope.scored
    passed = sum(record.reward or 0.0 for record in scored)
    # An unscored trial may have passed or failed, like one that did not run.
    missing = scope.left + len(scope.records) - len(scored)
    total = len(scored) + missing
    return (passed / total, (passed + missing) / total) if total else None


def mean_of_scored(scope: Scope, value: Callable[[TrialRecord], float | None]) -> float | None:
    """Return a mean over scored trials, or None where it is not known of every one."""
    values = [value(record) for record in scope.scored]
    known = [each for each in values if each is not None]
    # A mean over the trials whose cost happens to be known would pass for the cost of all.
    return sum(known) / len(known) if known and len(known) == len(values) else None


def growing_mean_bounds(scope: Scope, mean: float) -> Bounds:
    """Return the bounds of a mean of amounts that are never below 0 and have no greatest."""
    if not scope.left:
        return mean, mean
    scored = len(scope.scored)
    return mean * scored / (scored + scope.left), math.inf

"""Between what ends a figure must lie, whatever the trials that have no reward would bring."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from pytest_taubench.metrics.cost import trial_cost
from pytest_taubench.metrics.gate_syntax import COUNTS
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

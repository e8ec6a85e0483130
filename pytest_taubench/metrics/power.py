"""What a comparison of so many tasks and trials can show."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pytest_taubench.metrics.permutation import least_tasks

ALPHA = 0.05
POWER = 0.8

Counts = tuple[int, int, int, int]
"""(n, c) before and (n, c) after, of one task."""


def detectable_difference(counts: Sequence[Counts], trials: int | None = None) -> float | None:
    """Return the smallest difference in pass^1 that such data show with power 0.8.

    Args:
        counts: (n, c) before and (n, c) after, a task.
        trials: Trials a task on each side to reckon with, in place of those made.

    Returns:
        A fraction: (z_0.975 + z_0.8) standard errors of the mean paired difference, where the
        noise of a task's trials shrinks with their number; but no less than what the permutation
        test takes, a change by one trial in each of the fewest tasks whose signs can be that
        unlikely. None with fewer tasks than that: they show no difference, however large.
    """
    if len(counts) < least_tasks(ALPHA / 2):
        return None
    between, noise = _variances(counts, trials)
    own = sum(min(n0, n1) for n0, _, n1, _ in counts) / len(counts)
    fewest = least_tasks(ALPHA / 2) / (len(counts) * (trials or own))
    return max(fewest, _z_sum() * math.sqrt((between + noise) / len(counts)))


def trials_needed(counts: Sequence[Counts], difference: float) -> int | None:
    """Return how many trials a task show ``difference``, or None where no number does.

    None means that the tasks are too few, or differ from each other too much: only more tasks help.
    """
    if len(counts) < least_tasks(ALPHA / 2) or difference <= 0:
        return None
    between, noise_of_one = _variances(counts, 1)
    room = (difference / _z_sum()) ** 2 * len(counts) - between
    fewest = least_tasks(ALPHA / 2) / (len(counts) * difference)
    return max(1, math.ceil(noise_of_one / room), math.ceil(fewest)) if room > 0 else None


def _variances(counts: Sequence[Counts], trials: int | None) -> tuple[float, float]:
    """Return the variance of true paired differences, and that of their estimates' noise."""
    rates = [(c1 / n1 - c0 / n0) for n0, c0, n1, c1 in counts]
    mean = sum(rates) / len(rates)
    observed = sum((rate - mean) ** 2 for rate in rates) / (len(rates) - 1)
    own = [_noise(n0, c0, n0) + _noise(n1, c1, n1) for n0, c0, n1, c1 in counts]
    wanted = [
        _noise(n0, c0, trials or n0) + _noise(n1, c1, trials or n1) for n0, c0, n1, c1 in counts
    ]
    return max(0.0, observed - sum(own) / len(own)), sum(wanted) / len(wanted)


def _noise(n: int, c: int, trials: int) -> float:
    # The unbiased estimate of p(1 - p); with one trial there is none, so take the worst case.
    spread = c * (n - c) / (n * (n - 1)) if n > 1 else 0.25
    return spread / trials


def _z_sum() -> float:
    from scipy import stats

    return float(stats.norm.ppf(1 - ALPHA / 2) + stats.norm.ppf(POWER))

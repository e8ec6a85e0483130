"""The paired permutation test, and what a comparison of so many tasks and trials can show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

RESAMPLES = 9999


@dataclass(frozen=True)
class SignFlip:
    """The p-values of a mean of 0 under exchange of the two runs within a task.

    Attributes:
        two_sided: Of a mean other than 0.
        less: Of a mean below 0.
        greater: Of a mean above 0.
    """

    two_sided: float
    less: float
    greater: float


def sign_flip(changes: Sequence[float], seed: int) -> SignFlip:
    """Test a mean of 0 by flipping the signs of the paired differences.

    All patterns where there are few tasks, a random sample of them otherwise. One draw serves
    the three alternatives, which is why this is no call of scipy's permutation_test: a
    comparison with k up to 8 would take it half a minute.
    """
    import numpy

    values = numpy.asarray(changes, dtype=float)
    exact = 2 ** len(values) <= RESAMPLES
    if exact:
        patterns = numpy.arange(2 ** len(values))[:, None] >> numpy.arange(len(values)) & 1
    else:
        rng = numpy.random.default_rng(seed)
        patterns = rng.integers(0, 2, (RESAMPLES, len(values)), dtype=numpy.int8)
    means = (2 * patterns - 1) @ values
    seen, slack = values.sum(), 1e-12 * len(values)
    # A sampled p-value counts the observed pattern too, and so is never 0.
    more, of = (0, len(means)) if exact else (1, len(means) + 1)
    less = float((numpy.count_nonzero(means <= seen + slack) + more) / of)
    greater = float((numpy.count_nonzero(means >= seen - slack) + more) / of)
    return SignFlip(min(1.0, 2 * min(less, greater)), less, greater)


def least_tasks(level: float) -> int:
    """Return how many tasks the test needs to come below a one-sided level at all.

    Where all n differences have one sign, that pattern is one of 2 to the n.
    """
    return math.floor(-math.log2(level)) + 1


def shown_p(value: float) -> str:
    """Return a p-value behind its sign; a small one is no zero."""
    return "< 0.001" if value < 0.001 else f"= {value:.3f}"


ALPHA = 0.05
POWER = 0.8

PairedCounts = tuple[int, int, int, int]
"""(n, c) before and (n, c) after, of one task."""


def detectable_difference(
    counts: Sequence[PairedCounts], trials: int | None = None
) -> float | None:
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


def trials_needed(counts: Sequence[PairedCounts], difference: float) -> int | None:
    """Return how many trials a task show ``difference``, or None where no number does.

    None means that the tasks are too few, or differ from each other too much: only more tasks help.
    """
    if len(counts) < least_tasks(ALPHA / 2) or difference <= 0:
        return None
    between, noise_of_one = _variances(counts, 1)
    room = (difference / _z_sum()) ** 2 * len(counts) - between
    fewest = least_tasks(ALPHA / 2) / (len(counts) * difference)
    return max(1, math.ceil(noise_of_one / room), math.ceil(fewest)) if room > 0 else None


def _variances(counts: Sequence[PairedCounts], trials: int | None) -> tuple[float, float]:
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

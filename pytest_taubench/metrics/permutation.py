"""The paired permutation test of two runs of the same tasks."""

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

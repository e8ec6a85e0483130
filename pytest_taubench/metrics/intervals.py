"""95% intervals by bootstrap over tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LEVEL = 0.95
RESAMPLES = 2000


@dataclass(frozen=True)
class Interval:
    """A two-sided confidence interval.

    Attributes:
        low: Lower end.
        high: Upper end.
        level: Nominal coverage.
        method: ``BCa bootstrap`` or, where all tasks agree, ``Clopper-Pearson``.
    """

    low: float
    high: float
    level: float = LEVEL
    method: str = "BCa bootstrap"


def interval_of_mean(
    values: Sequence[float], seed: int = 0, resamples: int = RESAMPLES
) -> Interval | None:
    """Return the interval of the mean of one figure a task.

    Tasks are resampled and the trials of a task stay together, since trials of one task are
    not independent of each other. Bias-corrected and accelerated bootstrap (Efron 1987).

    Args:
        values: The figure of each task, e.g. its pass^k estimate, as a fraction.
        seed: Seed of the resampling; the same seed gives the same interval.
        resamples: Bootstrap resamples.

    Returns:
        The interval, or None with fewer than two tasks.
    """
    if len(values) < 2:
        return None
    if max(values) == min(values):
        return _unanimous(values)
    import numpy
    from scipy import stats

    result = stats.bootstrap(
        (numpy.sort(numpy.asarray(values, dtype=float)),),  # workers report in any order
        numpy.mean,
        confidence_level=LEVEL,
        n_resamples=resamples,
        method="BCa",
        rng=numpy.random.default_rng(seed),
    )
    return Interval(float(result.confidence_interval.low), float(result.confidence_interval.high))


def _unanimous(values: Sequence[float]) -> Interval:
    """Resampling equal values gives no width, though few tasks prove little.

    Where every task passes or none does, the tasks are counted as trials of one coin.
    """
    value = values[0]
    if value not in (0.0, 1.0):
        return Interval(value, value, method="all tasks equal")
    from scipy import stats

    test = stats.binomtest(int(value) * len(values), len(values))
    ends = test.proportion_ci(LEVEL, method="exact")
    return Interval(float(ends.low), float(ends.high), method="Clopper-Pearson")

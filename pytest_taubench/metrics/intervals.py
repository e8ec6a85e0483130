"""95% intervals by bootstrap over tasks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

LEVEL = 0.95
RESAMPLES = 2000
FEW = 5


@dataclass(frozen=True)
class Interval:
    """A two-sided confidence interval.

    Attributes:
        low: Lower end.
        high: Upper end.
        level: Nominal coverage.
        method: ``BCa bootstrap``; ``Clopper-Pearson`` where all tasks agree, ``Student's t`` where
            there are very few.
    """

    low: float
    high: float
    level: float = LEVEL
    method: str = "BCa bootstrap"


def interval_of_mean(
    values: Sequence[float],
    seed: int = 0,
    resamples: int = RESAMPLES,
    least: float = 0.0,
) -> Interval | None:
    """Return the interval of the mean of one figure a task.

    Tasks are resampled and the trials of a task stay together, since trials of one task are
    not independent of each other. Bias-corrected and accelerated bootstrap (Efron 1987), its level
    expanded for the number of tasks (Hesterberg 2015, section 4.3: without it few values give too
    narrow an interval). So few values as have hardly any resamples get Student's interval.

    Args:
        values: The figure of each task, e.g. its pass^k estimate, as a fraction.
        seed: Seed of the resampling; the same seed gives the same interval.
        resamples: Bootstrap resamples.
        least: The least value a task can have, -1 for a difference of two rates; the greatest is 1.

    Returns:
        The interval, or None with fewer than two tasks.
    """
    if len(values) < 2:
        return None
    if max(values) == min(values):
        return _unanimous(values[0], len(values), least)
    import numpy
    from scipy import stats

    # Sorted, since workers report in any order.
    sample = numpy.sort(numpy.asarray(values, dtype=float))
    if len(values) < FEW:
        return _students(sample, least)
    result = stats.bootstrap(
        (sample,),
        numpy.mean,
        confidence_level=_expanded(len(values)),
        n_resamples=resamples,
        method="BCa",
        rng=numpy.random.default_rng(seed),
    )
    return Interval(float(result.confidence_interval.low), float(result.confidence_interval.high))


def _expanded(tasks: int) -> float:
    """Return the level whose normal interval with divisor n is as wide as Student's with n - 1."""
    from scipy import stats

    quantile = stats.t.ppf((1 + LEVEL) / 2, tasks - 1) * math.sqrt(tasks / (tasks - 1))
    return float(1 - 2 * stats.norm.sf(quantile))


def _students(sample: NDArray[float64], least: float) -> Interval:
    from scipy import stats

    error = float(stats.sem(sample))
    low, high = stats.t.interval(LEVEL, len(sample) - 1, float(sample.mean()), error)
    return Interval(max(least, float(low)), min(1.0, float(high)), method="Student's t")


def _unanimous(value: float, tasks: int, least: float) -> Interval:
    """Resampling equal values gives no width, though few tasks prove little.

    So many equal tasks show, by the exact binomial test (Clopper and Pearson 1934), how many other
    tasks differ at the most; those may have any value. Where all pass or none does, it is the
    interval of a coin thrown once a task.
    """
    others = 1 - ((1 - LEVEL) / 2) ** (1 / tasks)
    low, high = value - others * (value - least), value + others * (1 - value)
    return Interval(low, high, method="Clopper-Pearson")

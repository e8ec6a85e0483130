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
    values: Sequence[float],
    seed: int = 0,
    resamples: int = RESAMPLES,
    least: float = 0.0,
) -> Interval | None:
    """Return the interval of the mean of one figure a task.

    Tasks are resampled and the trials of a task stay together, since trials of one task are
    not independent of each other. Bias-corrected and accelerated bootstrap (Efron 1987).

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

    result = stats.bootstrap(
        (numpy.sort(numpy.asarray(values, dtype=float)),),  # workers report in any order
        numpy.mean,
        confidence_level=LEVEL,
        n_resamples=resamples,
        method="BCa",
        rng=numpy.random.default_rng(seed),
    )
    return Interval(float(result.confidence_interval.low), float(result.confidence_interval.high))


def _unanimous(value: float, tasks: int, least: float) -> Interval:
    """Resampling equal values gives no width, though few tasks prove little.

    So many equal tasks show, by the exact binomial test (Clopper and Pearson 1934), how many other
    tasks differ at the most; those may have any value. Where all pass or none does, it is the
    interval of a coin thrown once a task.
    """
    others = 1 - ((1 - LEVEL) / 2) ** (1 / tasks)
    low, high = value - others * (value - least), value + others * (1 - value)
    return Interval(low, high, method="Clopper-Pearson")

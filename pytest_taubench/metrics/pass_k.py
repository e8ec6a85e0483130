"""pass^k and pass@k by the unbiased estimators, per task and as a mean over tasks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import comb


def pass_hat_k(n: int, c: int, k: int) -> float | None:
    """Estimate the chance that k independent trials of a task all pass.

    C(c, k) / C(n, k), as in τ-bench (arXiv 2406.12045, section 3, "pass^k").

    Args:
        n: Scored trials of the task.
        c: How many of them passed.
        k: How many trials must pass together.

    Returns:
        A fraction, or None where n < k: fewer trials than k estimate nothing.

    Raises:
        ValueError: The counts contradict each other.
    """
    _check(n, c, k)
    return comb(c, k) / comb(n, k) if n >= k else None


def pass_at_k(n: int, c: int, k: int) -> float | None:
    """Estimate the chance that at least one of k independent trials passes.

    1 - C(n - c, k) / C(n, k), as in arXiv 2107.03374, equation 1. None where n < k.
    """
    _check(n, c, k)
    return 1.0 - comb(n - c, k) / comb(n, k) if n >= k else None


@dataclass(frozen=True)
class Estimate:
    """A mean over tasks, and over how many tasks it was taken.

    Attributes:
        value: A fraction; None where no task has enough scored trials.
        tasks: The tasks with at least k scored trials.
    """

    value: float | None
    tasks: int


def mean_estimate(values: Iterable[float | None]) -> Estimate:
    """Average per-task estimates, leaving out the tasks that have none."""
    known = [value for value in values if value is not None]
    return Estimate(sum(known) / len(known) if known else None, len(known))


def _check(n: int, c: int, k: int) -> None:
    if not 0 <= c <= n or k < 1:
        raise ValueError(f"expected 0 <= c <= n and k >= 1, got n={n}, c={c}, k={k}")

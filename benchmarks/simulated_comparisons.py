"""Simulate agents whose true pass rates are known, and count how often the figures are right.

Prints the coverage of the 95% interval of pass^1, the coverage of the interval of a difference,
the share of false alarms of "no regression" when nothing changed, and its power by the size of
the drop. Run it with ``python benchmarks/simulated_comparisons.py [--comparisons 2000]``.
"""

from __future__ import annotations

import argparse
import random

from pytest_taubench.metrics.comparison import compare
from pytest_taubench.metrics.intervals import interval_of_mean
from pytest_taubench.schema import Ending, TrialRecord

# Rates of tasks are drawn from Beta(2, 1.5): some hard, most middling, mean 4/7.
SHAPE = (2.0, 1.5)
MEAN = SHAPE[0] / sum(SHAPE)


def records(rates: list[float], trials: int, rng: random.Random) -> list[TrialRecord]:
    return [
        TrialRecord(
            nodeid=f"t{index}[trial-{trial}]",
            suite="simulated",
            domain="simulated",
            task_id=f"t{index}",
            trial=trial,
            outcome="scored",
            reward=float(rng.random() < rate),
            ending=Ending.USER_STOP,
        )
        for index, rate in enumerate(rates)
        for trial in range(1, trials + 1)
    ]


def rates(tasks: int, rng: random.Random) -> list[float]:
    return [rng.betavariate(*SHAPE) for _ in range(tasks)]


def lowered(base: list[float], drop: float) -> list[float]:
    """Move every task's rate so that the mean falls by the drop as nearly as 0 allows."""
    return [max(0.0, rate - drop) for rate in base]


def simulate(tasks: int, trials: int, drop: float, comparisons: int, seed: int) -> dict[str, float]:
    rng = random.Random(seed)
    covered = covered_difference = alarms = 0
    true_drop = 0.0
    for number in range(comparisons):
        base = rates(tasks, rng)
        after = lowered(base, drop)
        old, new = records(base, trials, rng), records(after, trials, rng)
        comparison = compare(old, new, seed=number)
        true_difference = (sum(after) - sum(base)) / tasks
        true_drop -= true_difference / comparisons
        difference = comparison.differences["pass^1"].interval
        assert difference is not None
        covered_difference += difference.low <= true_difference <= difference.high
        means = [
            sum(r.reward or 0 for r in old[i : i + trials]) / trials
            for i in range(0, len(old), trials)
        ]
        own = interval_of_mean(means, seed=number)
        assert own is not None
        covered += own.low <= MEAN <= own.high
        alarms += comparison.verdict == "regression"
    return {
        "drop": true_drop,
        "interval": covered / comparisons,
        "difference": covered_difference / comparisons,
        "regression": alarms / comparisons,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--comparisons", type=int, default=2000)
    parser.add_argument("--power-comparisons", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print("tasks trials true_drop coverage(pass^1) coverage(difference) said_regression")
    for tasks, trials, drop in [(50, 4, 0.0), (115, 4, 0.0)]:
        show(tasks, trials, simulate(tasks, trials, drop, options.comparisons, options.seed))
    for tasks in (50, 115):
        for trials in (1, 4, 8):
            for drop in (0.03, 0.05, 0.1, 0.2):
                result = simulate(tasks, trials, drop, options.power_comparisons, options.seed)
                show(tasks, trials, result)


def show(tasks: int, trials: int, result: dict[str, float]) -> None:
    print(
        f"{tasks:5d} {trials:6d} {result['drop']:9.3f} {result['interval']:16.3f} "
        f"{result['difference']:20.3f} {result['regression']:15.3f}",
        flush=True,
    )


if __name__ == "__main__":
    main()

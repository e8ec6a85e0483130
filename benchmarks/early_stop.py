"""How many trials ``--tau-stop-when-decided`` saves, and how often its sequential test errs.

Simulated agents of known pass^1 are held against the gate ``pass^1 >= 0.5`` with 50 tasks and 4
trials, trial by trial in the order of a run, once by exact bounds and once by the sequential
test as well. Run it with ``python benchmarks/early_stop.py [--runs 100]``.
"""

from __future__ import annotations

import argparse
import random

from pytest_taubench.gates.outcome import is_settled
from pytest_taubench.gates.sequential import decide_sequentially
from pytest_taubench.gates.syntax import parse_gate
from pytest_taubench.schema import Ending, TrialRecord

TASKS, TRIALS, ERROR = 50, 4, 0.05
GATE = parse_gate("pass^1 >= 0.5")
PLANNED = {f"t{index}": TRIALS for index in range(TASKS)}
SPREAD = 2.0  # rates of tasks are Beta distributed around the agent's pass^1, and thus unlike


def record(task: int, trial: int, rate: float, rng: random.Random) -> TrialRecord:
    return TrialRecord(
        nodeid=f"t{task}[trial-{trial}]",
        suite="simulated",
        domain="simulated",
        task_id=f"t{task}",
        trial=trial,
        outcome="scored",
        reward=float(rng.random() < rate),
        ending=Ending.USER_STOP,
    )


def trials_run(records: list[TrialRecord], error: float | None) -> int:
    """Return after how many trials the run ends; every other one is looked at, to be quick."""
    for done in range(2, len(records), 2):
        if is_settled(GATE, records[:done], PLANNED, error):
            return done
    return len(records)


def simulate(rate: float, runs: int, seed: int) -> tuple[float, float, float]:
    """Return the shares of trials run by bounds and by the test, and of wrong decisions."""
    rng = random.Random(seed)
    by_bounds = by_test = wrong = 0
    for _ in range(runs):
        rates = [rng.betavariate(SPREAD * rate, SPREAD * (1 - rate)) for _ in range(TASKS)]
        truth = sum(rates) / TASKS >= GATE.bound
        records = [
            record(task, trial, rates[task], rng)
            for trial in range(1, TRIALS + 1)
            for task in range(TASKS)
        ]
        by_bounds += trials_run(records, None)
        done = trials_run(records, ERROR)
        by_test += done
        result = decide_sequentially(GATE, records[:done], PLANNED, ERROR)
        wrong += result is not None and (result.decision == "holds") != truth
    total = runs * TASKS * TRIALS
    return by_bounds / total, by_test / total, wrong / runs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print("pass^1  run_by_bounds  run_by_test  wrong_decisions")
    for rate in (0.1, 0.3, 0.4, 0.5, 0.6, 0.7, 0.9):
        bounds, test, wrong = simulate(rate, options.runs, options.seed)
        print(f"{rate:6.1f} {bounds:14.2f} {test:12.2f} {wrong:16.3f}", flush=True)


if __name__ == "__main__":
    main()

"""pass^k of an agent whose chance is known, through everything from task file to terminal."""

from __future__ import annotations

import re
from math import comb, sqrt

AGENT = """
import random
from my_calls import call

class Agent:
    def __init__(self, context):
        self.passes = random.Random(context.seed).random() < {p}

    def step(self, messages):
        if messages[-1]["role"] == "user" and self.passes:
            return call("cancel_order", order_id="A1")
        return "Done."
"""

P, TASKS, TRIALS = 0.8, 200, 8


def sampling_error(p: float, n: int, k: int, tasks: int) -> float:
    """The standard error of pass^k over tasks, from the binomial distribution of passes."""
    chances = [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    estimates = [comb(c, k) / comb(n, k) for c in range(n + 1)]
    mean = sum(q * e for q, e in zip(chances, estimates, strict=True))
    assert abs(mean - p**k) < 1e-12  # the estimator is unbiased
    return sqrt(sum(q * (e - mean) ** 2 for q, e in zip(chances, estimates, strict=True)) / tasks)


def test_pass_hat_k_agrees_with_p_to_the_k(shop):
    shop.many_tasks(TASKS)
    shop.write("my_calls.py", (shop.path / "my_agent.py").read_text())
    shop.write("my_agent.py", AGENT.format(p=P))
    result = shop.run("--tau-agent=my_agent.py:Agent", f"--tau-trials={TRIALS}", "-q", "--tb=no")
    rows = re.findall(r"^ +(\d) +([\d.]+) +200 of 200", result.stdout.str(), re.MULTILINE)
    printed = {int(k): float(value) for k, value in rows}
    assert list(printed) == list(range(1, TRIALS + 1))
    for k, value in printed.items():
        # Rounded to three places; four standard errors are passed once in 16,000 times.
        assert abs(value - P**k) < 4 * sampling_error(P, TRIALS, k, TASKS) + 0.0005, k

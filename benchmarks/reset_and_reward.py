"""What it costs to reset and grade one trial, on the bundled τ-bench domains.

    python benchmarks/reset_and_reward.py [--trials N]

A trial here is: a fresh environment, the writes of one task, and its reward. The tool calls
themselves are left out of the figures. The reference is timed beside it: a deep copy of the
whole database for each reset, and a hash of the whole database, twice, for each reward.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

from pytest_taubench import Domain, load_domain
from pytest_taubench.environment import Environment
from pytest_taubench.environment.domain_folder import bundled_domains
from pytest_taubench.reward import Gold, grade

EDITED = 3
"""Records that one trial changes in each of its tables; a task of the paper changes fewer."""
TEXTS = ["Your refund of $54.04 goes to the card on file, and the total is $1,628.00."] * 15
OUTPUTS = ["54.04", "1628"]


def main() -> None:
    """Print one line a domain."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=500, help="timed trials (500)")
    trials = parser.parse_args().trials
    print(f"{'domain':10} {'records':>8} {'ours':>12} {'deep copy + hash':>18} {'ratio':>9}")
    for name in bundled_domains():
        domain = load_domain(name)
        tables = {each: domain.database.table(each) for each in domain.database.tables}
        records = sum(len(table) for table in tables.values())
        ours = median_ms(lambda: reset_and_reward(domain), trials)  # noqa: B023 - called at once
        plain = copy.deepcopy({each: dict(table) for each, table in tables.items()})
        naive = median_ms(lambda: copy_and_hash(plain), 5)  # noqa: B023
        print(f"{name:10} {records:8} {ours:9.3f} ms {naive:15.1f} ms {naive / ours:8.0f}x")


def median_ms(timed: Callable[[], float], times: int) -> float:
    """Return the median in milliseconds of what the function says it took."""
    return statistics.median(timed() for _ in range(times)) * 1000


def reset_and_reward(domain: Domain) -> float:
    """Return the seconds of one reset and one reward; gold is computed once a task, before."""
    gold = Gold(_write(domain.environment()).changes())
    started = time.perf_counter()
    environment = domain.environment()
    reset = time.perf_counter() - started
    _write(environment)
    started = time.perf_counter()
    reward, _ = grade(
        ["database", "outputs"],
        gold=gold,
        actual=environment.changes(),
        outputs=OUTPUTS,
        texts=TEXTS,
    )
    assert reward == 1
    return reset + time.perf_counter() - started


def copy_and_hash(tables: dict[str, Any]) -> float:
    """Return the seconds of the reference's way."""
    started = time.perf_counter()
    trial, gold = copy.deepcopy(tables), copy.deepcopy(tables)
    assert _hash(trial) == _hash(gold)
    return time.perf_counter() - started


def _write(environment: Environment) -> Environment:
    for table in environment.database.tables:
        for key in list(environment.database.table(table))[:EDITED]:
            environment.overlay.edit(table, key)["touched"] = True
    environment.overlay.commit()
    return environment


def _hash(value: Any) -> str:
    text = json.dumps(value, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


if __name__ == "__main__":
    main()

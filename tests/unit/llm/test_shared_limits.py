"""Rate and budget over several processes."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from pytest_taubench.errors import FatalError
from pytest_taubench.llm.limits import (
    CostLimitError,
    SharedBudget,
    SharedLimits,
    SharedRate,
)

BOOK_FIFTY = """
import sys
from pathlib import Path
from pytest_taubench.llm.limits import SharedRate
rate = SharedRate(Path(sys.argv[1]), per_minute=20, now=lambda: 1000.0)
for _ in range(50):
    print(rate.book())
"""

SPEND = """
import asyncio, sys
from pathlib import Path
from pytest_taubench.llm.limits import CostLimitError, SharedBudget
budget = SharedBudget(Path(sys.argv[1]), limit=1.0)
async def spend():
    while True:
        async with budget.call() as bill:
            bill.cost = 0.03125
try:
    asyncio.run(spend())
except CostLimitError:
    pass
"""


def run_twice(code: str, folder: Path) -> list[str]:
    """Run the code in two processes at once and return what both print."""
    command = [sys.executable, "-c", code, str(folder)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    try:
        printed = [process.communicate(timeout=60)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    assert [process.returncode for process in processes] == [0, 0]
    return [line for text in printed for line in text.splitlines()]


def test_the_rate_holds_over_processes(tmp_path: Path) -> None:
    starts = sorted(float(line) for line in run_twice(BOOK_FIFTY, tmp_path))
    # 100 requests at 20 a minute: one each three seconds, whichever process makes it.
    assert starts == [1000.0 + 3 * n for n in range(100)]


@pytest.mark.parametrize("per_minute", [1, 7, 60, 500])
def test_no_minute_holds_more_than_are_allowed_nor_a_second_its_share(
    tmp_path: Path, per_minute: int
) -> None:
    asked = iter(seconds * 0.1 for seconds in range(1500))
    rate = SharedRate(tmp_path, per_minute, now=lambda: next(asked))
    starts = [rate.book() for _ in range(1500 if per_minute > 60 else 150)]
    for first, later in zip(starts, starts[per_minute:], strict=False):
        assert later - first >= 60 - 1e-6
    for first, later in pairwise(starts):
        assert later - first >= 60 / per_minute - 1e-9


def test_time_that_was_not_used_is_not_made_up_for(tmp_path: Path) -> None:
    times = iter([0.0, 600.0, 600.0, 600.0])
    rate = SharedRate(tmp_path, per_minute=60, now=lambda: next(times))
    assert [rate.book() for _ in range(4)] == [0.0, 600.0, 601.0, 602.0]


def test_times_are_of_a_clock_that_nobody_sets_back(tmp_path: Path) -> None:
    before = time.monotonic()
    at = SharedRate(tmp_path, per_minute=60).book()
    assert before <= at <= time.monotonic()


def test_a_request_waits_for_its_turn_and_no_longer(tmp_path: Path) -> None:
    now = 0.0

    async def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds

    async def run() -> list[float]:
        rate = SharedRate(tmp_path, per_minute=2, now=lambda: now, sleep=sleep)
        begun = []
        for _ in range(5):
            await rate.wait()
            begun.append(now)
        return begun

    assert asyncio.run(run()) == [0.0, 30.0, 60.0, 90.0, 120.0]


def test_the_budget_holds_over_processes(tmp_path: Path) -> None:
    run_twice(SPEND, tmp_path)
    assert SharedBudget(tmp_path, limit=1.0).spent() == 1.0


def spend(folder: Path, limit: float, *costs: float | None) -> None:
    async def run() -> None:
        budget = SharedBudget(folder, limit)
        for cost in costs:
            async with budget.call() as bill:
                bill.cost = cost

    asyncio.run(run())


def test_the_next_call_is_refused_when_one_as_dear_as_any_before_would_not_fit(
    tmp_path: Path,
) -> None:
    with pytest.raises(CostLimitError, match=r"\$0\.8000 of \$1"):
        spend(tmp_path, 1.0, 0.5, 0.3, 0.1)


def test_a_call_without_a_price_stops_a_run_with_a_limit(tmp_path: Path) -> None:
    with pytest.raises(CostLimitError, match="not known"):
        spend(tmp_path, 1.0, None)


def test_a_call_without_usage_stops_a_run_with_a_limit_and_says_so(tmp_path: Path) -> None:
    async def run() -> None:
        async with SharedBudget(tmp_path, 1.0).call() as bill:
            bill.why_unknown = "the agent's model m answered without usage"

    with pytest.raises(CostLimitError, match="without usage"):
        asyncio.run(run())


def test_a_failed_call_costs_nothing_and_frees_its_place(tmp_path: Path) -> None:
    async def run() -> None:
        async with SharedBudget(tmp_path, 1.0).call():
            raise ConnectionError

    with pytest.raises(ConnectionError):
        asyncio.run(run())
    assert SharedBudget(tmp_path, 1.0).spent() == 0.0
    spend(tmp_path, 1.0, 0.5)


def test_running_calls_hold_their_place(tmp_path: Path) -> None:
    budget = SharedBudget(tmp_path, 1.0)
    spend(tmp_path, 1.0, 0.4)
    assert budget.reserve("a")
    assert not budget.reserve("b"), "0.4 are spent, 0.4 may be by the running call"
    budget.settle("a", 0.1)
    assert budget.reserve("b")


def test_a_call_passes_both_limits(tmp_path: Path) -> None:
    limits = SharedLimits(SharedRate(tmp_path, 100), SharedBudget(tmp_path, 1.0))

    async def run() -> None:
        async with limits.admit() as bill:
            bill.cost = 0.25

    asyncio.run(run())
    assert SharedBudget(tmp_path, 1.0).spent() == 0.25


def test_a_limit_that_cannot_be_kept_ends_the_run_and_is_no_fault_of_the_agent(
    tmp_path: Path,
) -> None:
    for name in ("rate.sqlite", "cost.sqlite"):
        (tmp_path / name).write_bytes(b"no database" * 100)
    with pytest.raises(FatalError, match=r"--tau-rpm .* cannot hold: .*not a database"):
        SharedRate(tmp_path, 1).book()
    with pytest.raises(FatalError, match=r"--tau-max-cost cannot hold: .*not a database"):
        SharedBudget(tmp_path, 1.0).spent()

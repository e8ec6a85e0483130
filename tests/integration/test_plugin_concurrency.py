"""Trials started ahead of the item that reports them: how many, which, and never twice."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from typing import Any

import pytest

SLOW_AGENT = """
import asyncio, os, pathlib, time
from my_calls import call

LOG = pathlib.Path(__file__).with_name("log.txt")

def log(word, name):
    with LOG.open("a") as file:
        print(word, name, time.monotonic(), file=file)

class Agent:
    def __init__(self, context):
        self.name = str(context.seed)

    async def step(self, messages):
        if len(messages) > 2:
            return "Done."
        log("start", self.name)
        try:
            await asyncio.sleep({seconds})
        except asyncio.CancelledError:
            log("cancelled", self.name)
            raise
        log("end", self.name)
        return {answer}
"""

CANCELS = 'call("cancel_order", order_id="A1")'


@pytest.fixture
def slow(shop):
    def write(count: int, seconds: float | str = 0.3, answer: str = CANCELS) -> Any:
        shop.many_tasks(count)
        shop.write("my_calls.py", (shop.path / "my_agent.py").read_text())
        shop.write("my_agent.py", SLOW_AGENT.format(seconds=seconds, answer=answer))
        return shop

    return write


def log(shop: Any) -> list[tuple[str, str, float]]:
    lines = (shop.path / "log.txt").read_text().splitlines()
    return [(word, name, float(at)) for word, name, at in map(str.split, lines)]


def most_at_once(shop: Any) -> int:
    running = most = 0
    for word, _, _ in sorted(log(shop), key=lambda line: line[2]):
        running += 1 if word == "start" else -1
        most = max(most, running)
    return most


@pytest.mark.parametrize("limit", [1, 3])
def test_that_many_trials_run_at_a_time_and_none_runs_twice(slow, limit):
    shop = slow(6)
    shop.run("--tau-agent=my_agent.py", f"--tau-concurrency={limit}").assert_outcomes(passed=6)
    assert most_at_once(shop) == limit
    starts = [name for word, name, _ in log(shop) if word == "start"]
    assert len(starts) == len(set(starts)) == 6
    assert list(shop.rewards()) == [f"t{n}[trial-1]" for n in range(6)]


@pytest.mark.parametrize(("dist", "most"), [("load", 6), ("worksteal", 4)])
def test_workers_start_only_what_no_other_worker_can_take(slow, dist, most):
    shop = slow(16, seconds=0.2)
    shop.run(
        "--tau-agent=my_agent.py", "--tau-concurrency=3", "-n2", f"--dist={dist}"
    ).assert_outcomes(passed=16)
    starts = [name for word, name, _ in log(shop) if word == "start"]
    assert len(starts) == len(set(starts)) == 16
    assert 2 < most_at_once(shop) <= most


def test_x_cancels_what_was_started_ahead(slow):
    shop = slow(20, answer="'No.'")
    shop.run("--tau-agent=my_agent.py", "--tau-concurrency=4", "-x").assert_outcomes(failed=1)
    words = [word for word, _, _ in log(shop)]
    assert words.count("start") <= 9  # twice four ahead
    assert words.count("start") == words.count("end") + words.count("cancelled")
    assert len(shop.records()) == 1


def test_the_same_figures_with_and_without(slow):
    shop = slow(5, seconds=0.01)
    shop.run("--tau-agent=my_agent.py", "--tau-concurrency=5")
    ahead = shop.rewards()
    shop.run("--tau-agent=my_agent.py")
    assert ahead == shop.rewards()


def test_trials_of_an_overridden_agent_wait_for_their_item(slow):
    shop = slow(4, seconds=0.05)
    shop.write("pytest.ini", "[pytest]\npythonpath = .\ntau_user = my_user.py:User\n")
    shop.write(
        "conftest.py",
        "import pytest\nfrom my_agent import Agent\n@pytest.fixture\ndef tau_agent(): return Agent",
    )
    shop.run("--tau-concurrency=4").assert_outcomes(passed=4)
    assert most_at_once(shop) == 1


def test_trials_wait_where_a_fixture_of_the_project_must_come_first(slow):
    shop = slow(4, seconds=0.05)
    shop.write("conftest.py", "import pytest\n@pytest.fixture(autouse=True)\ndef first(): yield")
    shop.run("--tau-agent=my_agent.py", "--tau-concurrency=4").assert_outcomes(passed=4)
    assert most_at_once(shop) == 1


def test_a_skipped_task_is_not_started(slow):
    shop = slow(1)
    text = (shop.path / "tasks/many.tau.json").read_text()
    skipped = text[1:-1].replace('"t0"', '"t1"').replace('"domain"', '"marks": ["skip"], "domain"')
    shop.write("tasks/many.tau.json", f"[{text[1:-1]}, {skipped}]")
    shop.run("--tau-agent=my_agent.py", "--tau-concurrency=4").assert_outcomes(passed=1, skipped=1)
    assert [word for word, _, _ in log(shop)] == ["start", "end"]


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_ends_the_run_and_keeps_what_was_done(slow):
    shop = slow(20, seconds="0.05 if len(LOG.read_text().splitlines()) < 8 else 60")
    command = [sys.executable, "-m", "pytest", "--tau-agent=my_agent.py", "--tau-concurrency=2"]
    process = subprocess.Popen(command, cwd=shop.path, stdout=subprocess.PIPE, text=True)
    with process:
        try:
            deadline = time.monotonic() + 60
            while not (shop.path / "log.txt").exists() or len(log(shop)) < 9:
                assert time.monotonic() < deadline
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=20)
        finally:
            process.kill()  # or a failure here would be found again by the test that comes next
    assert process.returncode == pytest.ExitCode.INTERRUPTED
    assert 1 <= len(shop.records()) < 20
    assert "tau-bench" in output
    assert any(word == "cancelled" for word, _, _ in log(shop))

"""The same run with and without workers, and what is left when a worker dies."""

from __future__ import annotations

import re
from typing import Any

import pytest

FLAKY_AGENT = """
import random
from my_calls import call

class Agent:
    def __init__(self, context):
        self.lucky = random.Random(context.seed).random() < 0.6

    def step(self, messages):
        if messages[-1]["role"] == "user" and self.lucky:
            return call("cancel_order", order_id="A1")
        return "Done."
"""

KILLER = """
import os, signal
from my_calls import call

def agent(messages, tools):
    if os.environ.get("PYTEST_CURRENT_TEST", "").split("::")[1].startswith({names!r}):
        os.kill(os.getpid(), signal.SIGKILL)
    return call("cancel_order", order_id="A1") if len(messages) < 3 else "Done."
"""


def with_calls(shop: Any, agent: str) -> None:
    shop.write("my_calls.py", (shop.path / "my_agent.py").read_text())
    shop.write("my_agent.py", agent)


def what_matters(shop: Any) -> list[dict[str, Any]]:
    """The records of the newest run, without what a clock or a worker's name puts in."""
    records = [r.model_dump(exclude={"started", "duration", "worker"}) for r in shop.records()]
    return sorted(records, key=lambda record: record["nodeid"])


def figures(result: pytest.RunResult) -> list[str]:
    text = result.stdout.str()
    return text[text.index(" tau-bench ==") :].split("run stored")[0].splitlines()


def test_records_and_figures_are_the_same_however_the_run_is_spread(shop):
    shop.many_tasks(12)
    with_calls(shop, FLAKY_AGENT)
    runs = {}
    for args in ("-n0", "-n2", "-n2 --dist=worksteal", "-n0 --tau-concurrency=4"):
        result = shop.run("--tau-agent=my_agent.py:Agent", "--tau-trials=3", *args.split())
        runs[args] = (what_matters(shop), figures(result))
    records, text = runs["-n0"]
    assert len(records) == 36
    assert {record["reward"] for record in records} == {0, 1}
    for args, (other_records, other_text) in runs.items():
        assert other_records == records, args
        # Tasks that are as flaky as one another are listed in the order they were met.
        assert sorted(other_text) == sorted(text), args


def test_records_say_which_worker_ran_them(shop):
    shop.many_tasks(6)
    shop.run("--tau-agent=my_agent.py", "-n2")
    assert {record.worker for record in shop.records()} == {"gw0", "gw1"}
    shop.run("--tau-agent=my_agent.py")
    assert {record.worker for record in shop.records()} == {None}


@pytest.mark.parametrize("dist", ["load", "worksteal"])
def test_a_killed_worker_leaves_one_unscored_trial_and_all_others(shop, dist):
    shop.many_tasks(8)
    with_calls(shop, KILLER.format(names=("t3[",)))
    result = shop.run_apart("--tau-agent=my_agent.py", "-n2", f"--dist={dist}")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert result.parseoutcomes() == {"passed": 7, "unscored": 1}
    assert shop.rewards() == {f"t{n}[trial-1]": None if n == 3 else 1 for n in range(8)}
    (crashed,) = (record for record in shop.records() if record.reward is None)
    assert str(crashed.ending) == "worker_crash"
    assert (crashed.task_id, crashed.suite, crashed.trial) == ("t3", "tasks", 1)
    assert crashed.domain == "shop", "the name, though the task gives a path"
    assert crashed.task_hash == shop.records()[0].task_hash or crashed.task_hash
    assert re.search(r"worker 'gw[01]' crashed", crashed.error.message)


def test_every_crash_is_told_where_workers_die_again_and_again(shop):
    shop.many_tasks(8)
    with_calls(shop, KILLER.format(names=("t1[", "t4[", "t6[")))
    result = shop.run_apart("--tau-agent=my_agent.py", "-n2")
    assert result.parseoutcomes() == {"passed": 5, "unscored": 3}
    assert [name for name, reward in sorted(shop.rewards().items()) if reward is None] == [
        "t1[trial-1]",
        "t4[trial-1]",
        "t6[trial-1]",
    ]


def test_a_crash_in_another_test_is_left_to_xdist(shop):
    shop.tasks()
    shop.write("test_dies.py", "import os\ndef test_dies(): os.kill(os.getpid(), 9)")
    result = shop.run_apart("--tau-agent=my_agent.py", "-n2")
    assert result.parseoutcomes() == {"passed": 2, "failed": 1}
    assert len(shop.records()) == 2


def test_dist_each_keeps_one_record_of_each_trial_and_says_so(shop):
    shop.tasks()
    result = shop.run("--tau-agent=my_agent.py", "--dist=each", "--tx=2*popen")
    assert len(shop.records()) == 2
    assert "a second record of tasks/orders.tau.yaml::cancel-a1[trial-1]" in result.stdout.str()
    assert result.ret != pytest.ExitCode.OK

"""A run that is cut short says how many planned trials did not run, by suite."""

import pytest

DYING = """
import os

def agent(messages, tools):
    os._exit(1)
"""

INTERRUPTED = """
def pytest_runtest_setup():
    raise KeyboardInterrupt
"""


@pytest.fixture
def suites(shop):
    """A project of two suites, of eight trials in all under two trials a task."""
    shop.many_tasks(3, "first/a.tau.json")
    shop.many_tasks(1, "second/b.tau.json")
    return shop


def not_run(result):
    lines = result.outlines
    start = next((n for n, line in enumerate(lines) if "did not run" in line), None)
    return [] if start is None else [line.strip() for line in lines[start : start + 3]]


ALL_BUT_ONE = [
    "7 of 8 planned trials did not run (--tau-resume runs them):",
    "first/shop: 5 of 6",
    "second/shop: 2 of 2 (none of it ran)",
]


def test_maxfail_leaves_trials_out(suites):
    result = suites.run("--tau-agent=silent", "--tau-trials=2", "-x")
    assert not_run(result) == ALL_BUT_ONE


def test_ctrl_c_leaves_trials_out(suites):
    suites.write("conftest.py", INTERRUPTED)
    result = suites.run_apart("--tau-agent=oracle", "--tau-trials=2")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert not_run(result)[0] == "8 of 8 planned trials did not run (--tau-resume runs them):"


def test_a_worker_that_is_not_replaced_leaves_trials_out(suites):
    suites.write("dying.py", DYING)
    result = suites.run_apart(
        "--tau-agent=dying.py", "--tau-trials=2", "-n1", "--max-worker-restart=0"
    )
    assert not_run(result) == ALL_BUT_ONE


@pytest.mark.parametrize(
    "args", [(), ("--collect-only",), ("-k", "t1"), ("--tau-gate=pass^1[frist] >= 1",)]
)
def test_a_run_that_is_not_cut_short_says_nothing(suites, args):
    assert not_run(suites.run("--tau-agent=oracle", *args)) == []


def test_a_run_that_was_decided_early_says_what_it_saved_and_no_more(suites):
    gate = "--tau-gate=pass^1 >= 0.9"
    result = suites.run("--tau-agent=silent", "--tau-trials=2", gate, "--tau-stop-when-decided")
    result.stdout.fnmatch_lines(["stopped early: *; 7 trials were not run"])
    assert not_run(result) == []


def test_a_trial_that_is_skipped_on_purpose_is_not_missed(suites):
    suites.write("conftest.py", SKIPPING)
    assert not_run(suites.run("--tau-agent=oracle")) == []


SKIPPING = """
import pytest

def pytest_collection_modifyitems(items):
    items[0].add_marker(pytest.mark.skip)
"""

"""``--tau-stop-when-decided``: no trial runs that can change nothing."""

import pytest

BY_TASK = """
def agent(messages, tools):
    number = int(messages[1]["content"])
    return "Yes." if number < {good} else "No."
"""


@pytest.fixture
def twenty(shop):
    """Twenty tasks, of which an agent ``good<N>.py`` passes the first N."""
    shop.tasks(
        "domain: ../shop\ntasks:\n"
        + "".join(
            f"  - {{id: t{n}, instruction: '{n}', actions: [], outputs: ['Yes']}}\n"
            for n in range(20)
        )
    )
    for good in (0, 10, 20):
        shop.write(f"good{good}.py", BY_TASK.format(good=good))
    shop.go = lambda good, *args: shop.run(f"--tau-agent=good{good}.py:agent", *args)
    return shop


def test_a_plainly_bad_agent_ends_the_run_early(twenty):
    result = twenty.go(0, "--tau-gate=pass^1 >= 0.75", "--tau-stop-when-decided")
    # With six failures of twenty at most 0.7 is left.
    assert (result.ret, len(twenty.records())) == (1, 6)
    result.stdout.fnmatch_lines(["*stopped early: * after 6 of 20 trials; 14 trials were not run*"])


def test_what_was_under_way_when_the_gates_were_decided_is_counted(twenty):
    result = twenty.go(0, "--tau-gate=pass^1 >= 0.75", "--tau-stop-when-decided", "-n", "2")
    total, line = (
        len(twenty.records()),
        "*stopped early: * after {} of 20 trials; {}{} trial* not run",
    )
    begun = f"{total - 6} under way ended, " if total > 6 else ""
    result.stdout.fnmatch_lines([line.format(6, begun, 20 - total)])


def test_a_plainly_good_agent_ends_the_run_early(twenty):
    result = twenty.go(20, "--tau-gate=pass^1 >= 0.75", "--tau-stop-when-decided")
    assert (result.ret, len(twenty.records())) == (0, 15)


def test_every_gate_must_be_decided(twenty):
    gates = ("--tau-gate=pass^1 >= 0.5", "--tau-gate=unscored == 0")
    assert twenty.go(20, *gates, "--tau-stop-when-decided").ret == 0
    assert len(twenty.records()) == 20


def test_workers_stop_too(twenty):
    gate = "--tau-gate=pass^1 >= 0.75"
    result = twenty.go(0, gate, "--tau-stop-when-decided", "--tau-trials=10", "-n2")
    assert result.ret == 1
    # GateFinding after 51 of 200; what ran before the workers heard of it still comes in.
    assert 51 <= len(twenty.records()) < 150


def test_trials_started_ahead_are_given_up(twenty):
    gate = "--tau-gate=pass^1 >= 0.75"
    result = twenty.go(0, gate, "--tau-stop-when-decided", "--tau-concurrency=4")
    assert (result.ret, len(twenty.records())) == (1, 6)


def test_a_sequential_test_needs_fewer_trials_than_the_bounds(twenty):
    args = ("--tau-gate=pass^1 >= 0.75", "--tau-trials=8", "--tau-stop-when-decided")
    result = twenty.go(0, *args, "--tau-stop-error=0.05")
    sequential = len(twenty.records())
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*pass^1 is below 0.75 by a sequential test with error*"])
    twenty.go(0, *args)
    # By bounds alone 41 of 160 failures are needed.
    assert (len(twenty.records()), sequential < 20) == (41, True)


def test_another_failing_test_is_not_forgotten(twenty):
    twenty.write("test_own.py", "def test_own():\n    assert False\n")
    args = ("--tau-gate=pass^1 >= 0.1", "--tau-stop-when-decided")
    result = twenty.go(20, *args, "tasks", "test_own.py")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*no early stop: 1 test is no trial, and to run in any case*"])


def test_what_only_a_whole_run_decides_is_said(twenty):
    result = twenty.go(20, "--tau-gate=steps <= 5", "--tau-stop-when-decided")
    result.stdout.fnmatch_lines(["*no early stop: only a whole run decides 'steps <= 5'*"])
    assert len(twenty.records()) == 20

"""Gates that no outcome of the run can decide are refused before any trial is paid for."""

import pytest

OTHER_SUITE = """
domain: ../shop
tasks:
  - id: total-of-a1
    instruction: You want to know the total of order A1.
    outputs: ["12.5"]
"""

PYTHON_TEST = """
def test_the_total(tau_run):
    assert tau_run("tasks/orders.tau.yaml::total-of-a2").reward == 1
"""


@pytest.fixture
def suites(shop):
    """A project of two suites, the domain of both being ``shop``."""
    shop.tasks()
    shop.tasks(OTHER_SUITE, "billing/totals.tau.yaml")
    shop.runs = lambda: sorted((shop.path / ".tau-runs").glob("[!.]*"))
    return shop


@pytest.mark.parametrize(
    ("gate", "said"),
    [
        ("pass^1[taks] >= 0.5", "no task is of a suite or domain 'taks'; did you mean 'tasks'?"),
        ("unscored[shpo] == 0", "did you mean 'shop'?"),
        ("steps[xyz] < 9", "there are billing, billing/shop, shop, tasks, tasks/shop"),
        ("pass^9 >= 0.1", "pass^9 needs 9 trials a task, and no task has more than 2"),
        ("pass@3[billing] > 0", "needs 3 trials a task, and billing/totals.tau.yaml::total-of-a1"),
        ("trials >= 7", "only 6 trials are planned"),
        ("scored > 6", "only 6 trials are planned"),
        ("unscored == 9", "only 6 trials are planned"),
        ("trials[billing] >= 3", "only 2 trials of 'billing' are planned"),
        (
            "pass^1[tasks/orders.tau.yaml::cancel-a1] >= 1",
            "a gate is over all tasks of a suite or domain, and "
            "'tasks/orders.tau.yaml::cancel-a1' is a task of shop, tasks, tasks/shop",
        ),
        (
            "pass^1[tasks/orders.tau.yaml::cancel-a1[trial-0]] >= 1",
            "'tasks/orders.tau.yaml::cancel-a1[trial-0]' is a task of shop, tasks, tasks/shop",
        ),
        ("pass^1[total-of-a1] >= 1", "'total-of-a1' is a task of billing, billing/shop, shop"),
        ("pass^1[trial-1] >= 1", "a gate is over all trials of its tasks: leave out [trial-1]"),
        ("node_f1 >= 0.5", "node_f1 is a figure of TaskBench samples, and none is collected"),
    ],
)
def test_what_cannot_be_decided_is_refused_before_any_trial(suites, gate, said):
    result = suites.run("--tau-agent=oracle", "--tau-trials=2", f"--tau-gate={gate}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"--tau-gate: {gate!r} cannot be decided: " in result.stderr.str()
    assert said in result.stderr.str()
    assert "gates:" not in result.stdout.str()
    assert suites.runs() == []


@pytest.mark.parametrize(
    "gate",
    [
        "pass^2 >= 1",
        "pass^1[billing] >= 1",
        "pass^1[tasks/shop] >= 1",
        "reward[shop] >= 1",
        "trials >= 6",
        "trials < 9",
    ],
)
def test_what_can_be_decided_is(suites, gate):
    result = suites.run("--tau-agent=oracle", "--tau-trials=2", f"--tau-gate={gate}")
    assert result.ret == 0


def test_a_task_of_which_a_trial_is_deselected_is_named(suites, plugin_args):
    left_out = "tasks/orders.tau.yaml::cancel-a1[trial-2]"
    result = suites.run(
        "--tau-agent=oracle", "--tau-trials=2", "--tau-gate=pass^2 >= 0.5", "--deselect", left_out,
        *plugin_args,
    )  # fmt: skip
    said = "pass^2 needs 2 trials a task, and tasks/orders.tau.yaml::cancel-a1 has 1"
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert said in result.stderr.str()


def test_a_baseline_of_other_tasks_is_refused(suites, plugin_args):
    assert suites.run("--tau-agent=oracle", "billing").ret == 0
    (before,) = suites.runs()
    result = suites.run(
        "--tau-agent=oracle", "tasks", "--tau-gate=no regression", f"--tau-baseline={before}",
        *plugin_args,
    )  # fmt: skip
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "the baseline has no scored trial of any task that is collected" in result.stderr.str()
    assert suites.runs() == [before]


def test_a_suite_that_a_python_test_may_run_is_not_refused(suites):
    suites.write("test_own.py", PYTHON_TEST)
    result = suites.run("--tau-agent=oracle", "--tau-gate=pass^1[test_own] >= 1")
    assert result.ret == 0


def test_tests_that_run_no_task_hide_no_wrong_suite(suites):
    suites.write("test_own.py", "def test_own():\n    pass\n")
    result = suites.run("--tau-agent=oracle", "--tau-gate=pass^1[taks] >= 1")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "did you mean 'tasks'?" in result.stderr.str()
    assert suites.runs() == []


@pytest.mark.parametrize(
    "narrowing",
    [["-k", "cancel-a1"], ["-k", "not total"], ["--deselect", "billing/totals.tau.yaml"]],
    ids=" ".join,
)
@pytest.mark.parametrize("gate", ["pass^1[billing] >= 1", "trials[billing/shop] >= 1"])
def test_a_suite_that_is_deselected_is_called_so(suites, narrowing, gate):
    result = suites.run("--tau-agent=oracle", f"--tau-gate={gate}", *narrowing)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    suite = gate.partition("[")[2].partition("]")[0]
    said = f"{gate!r} cannot be decided: all tasks of {suite!r} are deselected"
    assert said in result.stderr.str()
    assert "did you mean" not in result.stderr.str()
    assert suites.runs() == []


def test_gates_of_the_ini_file_bear_a_run_of_a_part(suites):
    suites.write(
        "pytest.ini",
        '[pytest]\ntau_user = my_user.py:User\ntau_gate = "pass^1[billing] >= 1"\n  "pass^2 >= 1"\n',
    )
    # All that the project has: they are meant for this run.
    whole = suites.run("--tau-agent=oracle")
    assert whole.ret == pytest.ExitCode.USAGE_ERROR
    assert "tau_gate" in whole.stderr.str()
    # A part of it, asked for by path: it runs.
    part = suites.run("--tau-agent=oracle", "tasks")
    part.assert_outcomes(passed=2)
    part.stdout.fnmatch_lines(["*cannot tell*pass^1[[]billing] >= 1*"])


@pytest.mark.parametrize("part", ["1/3", "2/3", "3/3"])
def test_a_shard_needs_no_more_than_its_part(suites, part):
    args = ("--tau-agent=oracle", "--tau-trials=2", f"--tau-shard={part}")
    result = suites.run(*args, "--tau-gate=pass^2[billing] >= 0")
    result.assert_outcomes(passed=2)
    refused = suites.run(*args, "--tau-gate=pass^3 >= 0")
    assert refused.ret == pytest.ExitCode.USAGE_ERROR


def test_a_resumed_run_counts_what_it_had(suites, plugin_args):
    assert suites.run("--tau-agent=oracle", "--tau-trials=2").ret == 0
    gate = "--tau-gate=pass^2[billing] >= 1"
    args = ("--tau-agent=oracle", "--tau-trials=2", "--tau-resume", gate)
    assert suites.run(*args, *plugin_args, "tasks").ret == 0


def test_collecting_decides_no_gate(suites):
    gates = ("--tau-gate=pass^1 >= 0.1", "--tau-gate=pass^9[no] >= 1", "--tau-stop-when-decided")
    result = suites.run("--co", "--tau-agent=oracle", *gates)
    assert result.ret == 0
    assert "gates:" not in result.stdout.str()
    assert "3 tests collected" in result.stdout.str()

"""Gates of the ini file are the project's: they must not break a run that is no matter of theirs."""

import pytest

CANNOT_TELL = 6


@pytest.fixture
def gated(shop):
    """Write the gates into the ini file of a project with a task file and an ordinary test."""
    shop.tasks()
    shop.write("test_own.py", "def test_unit():\n    pass\n")

    def write(gates, more=""):
        text = f"[pytest]\ntau_user = my_user.py:User\ntau_gate = {gates}\n{more}"
        shop.write("pytest.ini", text)
        return shop

    return write


@pytest.mark.parametrize("more", ["", "tau_stop_when_decided = true\n"])
def test_they_decide_nothing_where_no_trial_is_planned(gated, more):
    shop = gated('"pass^1 >= 0.5"', more)
    result = shop.run("test_own.py")
    assert result.ret == 0
    assert "gates:" not in result.stdout.str()
    assert "no early stop" not in result.stdout.str()
    assert shop.run("-k", "unit").ret == 0
    assert shop.run("-k", "nothing").ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_gates_that_were_typed_cannot_be_told_there(gated):
    result = gated('"pass^1 >= 0.5"').run("test_own.py", "--tau-gate=pass^1 >= 0.5")
    assert result.ret == CANNOT_TELL


def test_no_regression_is_left_out_without_a_baseline(gated, plugin_args):
    shop = gated('"no regression within 2%"\n  "pass^1 >= 0.9"')
    result = shop.run("--tau-agent=silent", *plugin_args)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["*fails*pass^1 >= 0.9*", "left out, as there is no --tau-baseline: 'no regression within*"]
    )
    assert shop.run("test_own.py", *plugin_args).ret == 0


@pytest.mark.parametrize("more", ["", "tau_stop_when_decided = true\n"])
def test_where_no_gate_is_left_trials_decide_themselves(gated, plugin_args, more):
    shop = gated('"no regression"', more)
    failed = shop.run("--tau-agent=silent", *plugin_args)
    failed.assert_outcomes(failed=2, passed=1)
    assert failed.ret == 1
    assert shop.run("--tau-agent=my_agent.py", *plugin_args).ret == 0


def test_with_a_baseline_no_regression_counts(gated):
    shop = gated('"no regression"')
    shop.run("--tau-agent=my_agent.py")
    (before,) = (shop.path / ".tau-runs").glob("2*")
    result = shop.run("--tau-agent=silent", f"--tau-baseline={before}")
    assert "left out" not in result.stdout.str()
    result.assert_outcomes(xfailed=2, passed=1)


def test_typed_without_a_baseline_it_is_refused_where_trials_are_collected(gated):
    shop = gated('"pass^1 >= 0"')
    refused = shop.run("--tau-agent=silent", "--tau-gate=no regression")
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    assert "--tau-gate: the gate 'no regression' needs --tau-baseline" in refused.stderr.str()
    other = shop.run("test_own.py", "--tau-gate=no regression")
    assert other.ret == CANNOT_TELL


def test_typed_gates_stand_in_place_of_these(gated):
    result = gated('"unscored == 9"').run("--tau-agent=my_agent.py", "--tau-gate=pass^1 >= 0.5")
    assert result.ret == 0
    assert "unscored == 9" not in result.stdout.str()


def test_a_gate_without_its_quotes_is_hinted_at(gated):
    result = gated("pass^1 >= 0.1").run("test_own.py")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert 'stands in quotes: tau_gate = "pass^1 >= 0.1"' in result.stderr.str()
    two = gated("pass^1 >= 0.1\n    unscored <= 2").run("test_own.py")
    assert "each value that holds spaces stands in quotes\n" in two.stderr.str()


MISSING = "tau_baseline (in the ini file): there is no run 'gone' in"


@pytest.mark.parametrize(
    "args", [["test_own.py"], ["-k", "unit"], ["--collect-only"], ["--help"]], ids=" ".join
)
@pytest.mark.parametrize("gates", ['"pass^1 >= 0.5"', '"no regression"'])
def test_a_baseline_that_is_missing_refuses_no_run_that_compares_nothing(gated, gates, args):
    shop = gated(gates, "tau_baseline = gone\n")
    result = shop.run("--tau-agent=oracle", *args)
    assert result.ret == 0
    assert "gone" not in result.stderr.str()


def test_a_baseline_that_is_missing_refuses_a_run_that_would_compare(gated, plugin_args):
    shop = gated('"no regression"', "tau_baseline = gone\n")
    refused = shop.run("--tau-agent=oracle", *plugin_args)
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    assert MISSING in refused.stderr.str()
    assert "--tau-baseline= on the command line compares with none" in refused.stderr.str()
    assert list((shop.path / ".tau-runs").glob("2*")) == []
    assert shop.run("--tau-agent=oracle", "--tau-baseline=", *plugin_args).ret == 0


def test_a_baseline_that_is_missing_is_said_where_a_python_test_runs_a_task(gated, plugin_args):
    shop = gated('"pass^1 >= 0.5"', "tau_baseline = gone\n")
    test = "def test_it(tau_run):\n    tau_run('tasks/orders.tau.yaml::total-of-a2')\n"
    shop.write("test_own.py", test)
    result = shop.run("--tau-agent=oracle", "test_own.py", *plugin_args)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"not compared: {MISSING}*"])


def test_a_folder_of_runs_is_no_baseline_and_names_the_latest(gated):
    shop = gated('"pass^1 >= 0"')
    shop.run("--tau-agent=my_agent.py")
    (run,) = (shop.path / ".tau-runs").glob("2*")
    refused = shop.run("--tau-agent=my_agent.py", "--tau-baseline=.tau-runs")
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    assert f"--tau-baseline: {run.parent} is no run, but a folder of runs" in refused.stderr.str()
    assert f"the latest is {run}" in refused.stderr.str()
    near = shop.run("--tau-agent=my_agent.py", f"--tau-baseline={run.name[:-1]}")
    assert f"did you mean {run.name!r}?" in near.stderr.str()


def test_a_baseline_without_a_trial_is_said_to_be_empty(gated):
    shop = gated('"pass^1 >= 0"')
    shop.run("--tau-agent=my_agent.py")
    (before,) = (shop.path / ".tau-runs").glob("2*")
    (before / "trials.jsonl").write_text("")
    result = shop.run("--tau-agent=my_agent.py", f"--tau-baseline={before.name}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"--tau-baseline: {before} is empty: it holds no trial" in result.stderr.str()

"""Each option and its ini twin: what is taken, what is refused and in which words."""

from __future__ import annotations

import json

import pytest

BAD_VALUES = [
    (
        "--tau-trials=four",
        "--tau-trials: 'four' is not valid; expected a whole number of at least 1",
    ),
    ("--tau-trials=0", "--tau-trials: '0' is not valid; expected a whole number of at least 1"),
    ("--tau-seed=x", "--tau-seed: 'x' is not valid; expected a whole number"),
    ("--tau-max-steps=-1", "--tau-max-steps: '-1' is not valid; expected a whole number*"),
    ("--tau-timeout=nan", "--tau-timeout: 'nan' is not valid; expected a positive number*"),
    ("--tau-concurrency=0", "--tau-concurrency: '0' is not valid; expected a whole number*"),
    (
        "--tau-agent-arg=temperature",
        "--tau-agent-arg: 'temperature' is not valid; expected KEY=VALUE*",
    ),
    (
        "--tau-base-url=http://h/v1?api_key=k",
        "--tau-base-url: * expected an address without a key*",
    ),
    ("--tau-base-url=localhost", "--tau-base-url: 'localhost' is not valid; expected an address*"),
    ("--tau-data=nowhere", "--tau-data: 'nowhere' is not valid; expected an existing folder"),
    ("--tau-agent=orcale", "--tau-agent: *did you mean 'oracle'?"),
    ("--tau-user=scriptd", "--tau-user: *did you mean 'scripted'?"),
]


@pytest.mark.parametrize(("arg", "message"), BAD_VALUES)
def test_a_bad_value_is_a_usage_error_that_says_what_was_expected(shop, arg, message):
    shop.tasks()
    result = shop.run(arg)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {message}"])


def test_a_bad_agent_is_refused_before_workers_start(shop):
    shop.tasks()
    result = shop.run("--tau-agent=orcale", "-n", "2")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "worker" not in result.stdout.str()


def test_a_bad_value_in_the_ini_file_is_said_to_stand_there(shop):
    shop.write("pytest.ini", "[pytest]\ntau_trials = many\n")
    result = shop.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: tau_trials (in the ini file): 'many' is not valid*"])


def test_ini_twins_set_what_the_options_set(shop, plugin_args):
    shop.tasks()
    shop.write(
        "pytest.ini",
        "[pytest]\ntau_user = my_user.py:User\ntau_agent = my_agent.py\ntau_trials = 2\n"
        "tau_seed = 7\ntau_run_dir = runs\ntau_no_policy = true\n"
        "tau_agent_arg = temperature=0\n    stop=end\n",
    )
    shop.run(*plugin_args).assert_outcomes(passed=4)
    (run,) = (shop.path / "runs").iterdir()
    assert not (shop.path / ".tau-runs").exists()
    settings = json.loads((run / "run.json").read_text())["settings"]
    assert settings["trials"] == 2
    assert settings["seed"] == 7
    assert settings["policy"] is False
    assert settings["agent_model"]["args"] == {"temperature": 0, "stop": "end"}


def test_the_command_line_comes_before_the_ini_file(shop):
    shop.tasks()
    shop.write("pytest.ini", "[pytest]\ntau_trials = 3\ntau_user = my_user.py:User\n")
    shop.run("--tau-agent=my_agent.py", "--tau-trials=1").assert_outcomes(passed=2)


def test_the_policy_is_withheld_under_no_policy(shop):
    shop.tasks("- {id: a, domain: ../shop, instruction: Hello., outputs: [policy]}")
    shop.write(
        "my_agent.py",
        "def agent(messages, tools):\n"
        "    told = any('Cancel what' in (m['content'] or '') for m in messages)\n"
        "    return 'I have a policy.' if told else 'I am free.'\n",
    )
    shop.run("--tau-agent=my_agent.py")
    assert shop.rewards() == {"a[trial-1]": 1}
    shop.run("--tau-agent=my_agent.py", "--tau-no-policy")
    assert shop.rewards() == {"a[trial-1]": 0}


def test_the_step_cap_and_the_seed_reach_the_trial(shop):
    shop.tasks("- {id: a, domain: ../shop, instruction: Hello.}")
    shop.write(
        "my_user.py",
        "class User:\n  def __init__(self, c): pass\n  def respond(self, t): return 'Go on.'",
    )
    shop.run("--tau-agent=silent", "--tau-max-steps=5", "--tau-seed=11")
    (record,) = shop.records()
    assert (str(record.ending), record.steps, record.seed) == ("max_steps", 5, 11)


def test_a_trial_that_takes_too_long_is_scored_zero(shop):
    shop.tasks("- {id: a, domain: ../shop, instruction: Hello.}")
    shop.write("my_agent.py", "import time\ndef agent(messages, tools):\n    time.sleep(30)")
    result = shop.run("--tau-agent=my_agent.py", "--tau-timeout=1")
    result.assert_outcomes(failed=1)
    assert str(shop.records()[0].ending) == "agent_timeout"


def test_without_an_agent_trials_are_skipped_and_the_option_is_named(shop, plugin_args):
    shop.tasks()
    result = shop.run(*plugin_args)
    result.assert_outcomes(skipped=2)
    result.stdout.fnmatch_lines(["2 skipped: no agent to test: pass --tau-agent=AGENT*"])
    assert not (shop.path / ".tau-runs").exists()


def test_the_header_says_how_the_run_is_set_and_only_when_it_is(shop):
    shop.tasks()
    result = shop.run("--tau-agent=my_agent.py", "--tau-trials=2", "--tau-seed=3")
    result.stdout.fnmatch_lines(
        ["tau-bench: agent my_agent.py, user my_user.py:User, trials 2, seed 3"]
    )
    shop.write("pytest.ini", "[pytest]\n")
    assert "tau-bench:" not in shop.run().stdout.str()


def test_help_lists_every_option_in_its_group(pytester):
    text = pytester.runpytest("--help").stdout.str()
    group = text[text.index("tau-bench:") :]
    for name in ("agent=", "user=", "trials=", "suite=", "data=", "seed=", "no-policy", "run-dir="):
        assert f"--tau-{name}" in group


def test_keys_given_as_arguments_are_not_written(shop):
    shop.tasks()
    shop.run(
        "--tau-agent=my_agent.py",
        "--tau-agent-arg=api_key=sk-12345",
        '--tau-agent-arg=extra_headers={"Authorization": "Bearer sk-12345"}',
        "--tau-agent-arg=max_tokens=100",
    )
    (run,) = (shop.path / ".tau-runs").glob("[!.]*")
    written = "".join(path.read_text() for path in run.iterdir())
    assert "sk-12345" not in written
    assert json.loads((run / "run.json").read_text())["settings"]["agent_model"]["args"] == {
        "api_key": "(hidden)",
        "extra_headers": {"Authorization": "(hidden)"},
        "max_tokens": 100,
    }


def test_git_leaves_the_folder_of_runs_alone(shop):
    shop.tasks()
    shop.run("--tau-agent=my_agent.py")
    ignored = shop.path / ".tau-runs" / ".gitignore"
    assert ignored.read_text().splitlines()[-1] == "*"
    ignored.unlink()  # who keeps runs in git after all
    shop.run("--tau-agent=my_agent.py")
    assert not ignored.exists()

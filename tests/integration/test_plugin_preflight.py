"""What no trial could succeed with is refused once, before any trial runs."""

from __future__ import annotations

from fnmatch import fnmatch

import pytest
from refused_run import refusal

from pytest_taubench.agents.loading import BUILT_IN as AGENTS
from pytest_taubench.plugin.run.agent_and_user import ASK_NO_MODEL
from pytest_taubench.users.loading import BUILT_IN as USERS

USER = "tau_user = my_user.py:User\n"
MODEL_AGENTS = sorted(AGENTS.keys() - {"oracle", "silent"})
MODEL_USERS = sorted(USERS.keys() - {"human", "scripted"})


@pytest.fixture(autouse=True)
def no_endpoint(monkeypatch):
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("tau_agent = oracel", "tau_agent (in the ini file): *did you mean 'oracle'?"),
        ("tau_agent = my_agent.py\ntau_user = scriptd", "tau_user (in the ini file): *'scripted'?"),
        (
            "tau_agent = react",
            "tau_agent (in the ini file): react needs a model: *--tau-agent-model=MODEL*",
        ),
        (
            "tau_agent = my_agent.py\ntau_run_dir = my_agent.py",
            "tau_run_dir (in the ini file): *my_agent.py is no folder",
        ),
    ],
)
def test_what_the_ini_file_gets_wrong_is_one_usage_error(shop, line, message):
    shop.many_tasks(4)
    shop.write("pytest.ini", f"[pytest]\n{'' if 'tau_user' in line else USER}{line}\n")
    assert fnmatch(refusal(shop, shop.run()), message)


def test_with_workers_what_the_ini_file_gets_wrong_is_the_same_one_usage_error(shop):
    shop.many_tasks(4)
    shop.write("pytest.ini", f"[pytest]\n{USER}tau_agent = oracel\n")
    said = refusal(shop, shop.run("-n2"))
    assert fnmatch(said, "tau_agent (in the ini file): *did you mean 'oracle'?")


def test_what_the_ini_file_gets_wrong_does_not_concern_other_tests(shop):
    shop.tasks()
    shop.write("pytest.ini", "[pytest]\ntau_agent = oracel\ntau_run_dir = my_agent.py\n")
    shop.write("tests/test_sums.py", "def test_sum(): assert 1 + 1 == 2")
    shop.run("tests").assert_outcomes(passed=1)
    assert shop.run("--collect-only").ret == pytest.ExitCode.OK


def test_a_python_test_that_asks_for_a_misspelt_agent_says_so_in_one_line(shop):
    shop.write("pytest.ini", f"[pytest]\n{USER}tau_agent = oracel\n")
    shop.write("test_own.py", "def test_own(tau_run): pass")
    result = shop.run("-n1")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["tau_agent (in the ini file): *did you mean 'oracle'?"])
    assert "pytest_taubench/" not in result.stdout.str()


def test_a_flag_of_the_ini_file_that_is_neither_true_nor_false_is_named(shop):
    shop.write("pytest.ini", "[pytest]\ntau_no_policy = maybe\n")
    assert fnmatch(refusal(shop, shop.run()), "tau_no_policy (in the ini file): *'maybe'*")


def test_a_suite_of_the_ini_file_is_said_to_stand_there(shop):
    shop.write("pytest.ini", "[pytest]\ntau_suite = retial\n")
    assert fnmatch(
        refusal(shop, shop.run()), "tau_suite (in the ini file): 'retial' is not valid*'retail'?"
    )


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("my_agent.py", "--tau-run-dir: *my_agent.py is no folder"),
        ("my_agent.py/runs", "--tau-run-dir: *my_agent.py is no folder"),
        ("", "--tau-run-dir: '' is not valid; expected a folder"),
    ],
)
def test_a_run_dir_that_cannot_hold_a_run_is_refused(shop, value, message):
    shop.tasks()
    result = shop.run("--tau-agent=my_agent.py", f"--tau-run-dir={value}")
    assert fnmatch(refusal(shop, result), message)


def test_a_run_dir_that_cannot_be_written_to_is_refused(shop, monkeypatch):
    shop.tasks()
    (shop.path / "locked").mkdir()
    # Whoever runs these tests may be root, to whom every mode is open.
    monkeypatch.setattr("os.access", lambda path, mode: "locked" not in str(path))
    result = shop.run("--tau-agent=my_agent.py", "--tau-run-dir=locked/runs")
    assert fnmatch(refusal(shop, result), "--tau-run-dir: *locked cannot be written to")


@pytest.mark.parametrize("agent", MODEL_AGENTS)
def test_an_agent_that_needs_a_model_is_refused_without_one(shop, agent):
    shop.tasks()
    result = shop.run(f"--tau-agent={agent}")
    assert fnmatch(
        refusal(shop, result), f"--tau-agent: {agent} needs a model: *--tau-agent-model=MODEL*"
    )


@pytest.mark.parametrize("user", MODEL_USERS)
def test_a_user_that_needs_a_model_is_refused_without_one(shop, user):
    shop.tasks()
    result = shop.run("--tau-agent=my_agent.py", f"--tau-user={user}")
    assert fnmatch(
        refusal(shop, result), f"--tau-user: {user} needs a model: *--tau-user-model=MODEL*"
    )


def test_a_user_that_needs_a_model_is_refused_before_workers_run_a_trial(shop):
    shop.tasks()
    result = shop.run("--tau-agent=my_agent.py", "--tau-user=llm", "-n2")
    assert fnmatch(refusal(shop, result), "--tau-user: llm needs a model: *")


def test_every_built_in_agent_and_user_is_known_to_ask_a_model_or_not():
    assert AGENTS.keys() - MODEL_AGENTS | USERS.keys() - MODEL_USERS == ASK_NO_MODEL

"""How a project supplies its agent, user and domains, and runs tasks in tests of its own."""

from __future__ import annotations

import pytest

CONFTEST = """
import pytest
from my_agent import agent

@pytest.fixture(scope="{scope}")
def tau_agent():
    return {value}
"""

SHAPES = {
    "function": "agent",
    "factory of a stepper": "lambda context: Stepper(context)",
    "class that responds": "Responder",
}


@pytest.mark.parametrize("scope", ["session", "module", "function"])
def test_a_conftest_may_override_the_agent_at_any_scope(shop, scope):
    shop.tasks()
    shop.write("conftest.py", CONFTEST.format(scope=scope, value="agent"))
    shop.write("pytest.ini", "[pytest]\npythonpath = .\ntau_user = my_user.py:User\n")
    shop.run().assert_outcomes(passed=2)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_fixture_may_give_an_agent_in_any_of_the_three_shapes(shop, shape):
    shop.tasks()
    shop.write("pytest.ini", "[pytest]\npythonpath = .\ntau_user = my_user.py:User\n")
    shop.write(
        "conftest.py",
        CONFTEST.format(scope="session", value=SHAPES[shape])
        + """
class Stepper:
    def __init__(self, context): self.tools = context.tool_schemas
    def step(self, messages): return agent(messages, self.tools)

class Responder:
    def __init__(self, context): self.tools = {t.__name__: t for t in context.tools}
    def respond(self, text):
        if "A1" in text:
            self.tools["cancel_order"](order_id="A1")
        return "The total is 7."
""",
    )
    shop.run().assert_outcomes(passed=2)


def test_a_conftest_beside_the_task_file_overrides_only_there(shop):
    shop.tasks(name="one/orders.tau.yaml")
    shop.tasks(name="two/orders.tau.yaml")
    shop.write(
        "two/conftest.py",
        CONFTEST.replace("from my_agent import agent", "").format(
            scope="session", value="lambda messages, tools: 'No.'"
        ),
    )
    shop.write("pytest.ini", "[pytest]\ntau_user = my_user.py:User\ntau_agent = my_agent.py\n")
    result = shop.run()
    result.assert_outcomes(passed=2, failed=2)
    by_file = {r.nodeid.partition("/")[0]: r.reward for r in shop.records()}
    assert by_file == {"one": 1, "two": 0}


SAYS_NO = CONFTEST.replace("from my_agent import agent", "").format(
    scope="session", value="lambda messages, tools: 'No.'"
)


@pytest.mark.parametrize("workers", [(), ("-n2",)])
def test_an_agent_that_is_typed_goes_before_the_project_s_fixture(shop, workers):
    shop.tasks()
    shop.write("conftest.py", SAYS_NO)
    shop.write(
        "test_own.py", "def test_own(tau_run): tau_run('tasks/orders.tau.yaml::total-of-a2')"
    )
    result = shop.run("--tau-agent=my_agent.py", *workers)
    result.assert_outcomes(passed=3)
    assert [(r.agent, r.reward) for r in shop.records()] == [("my_agent.py", 1)] * 3


def test_a_fixture_made_of_the_typed_agent_stands(shop):
    shop.tasks()
    shop.write(
        "conftest.py",
        "import pytest\n@pytest.fixture\ndef tau_agent(tau_agent):\n"
        "    return lambda messages, tools: tau_agent.target(messages, tools) if 0 else 'No.'",
    )
    shop.run("--tau-agent=my_agent.py").assert_outcomes(failed=2)


@pytest.mark.parametrize("workers", [(), ("-n2",)])
def test_a_factory_of_no_agent_ends_the_run_at_its_first_trial_and_scores_none(shop, workers):
    shop.tasks()
    shop.write("my_agent.py", "def agent(context): return {'role': 'assistant', 'content': 'Hi.'}")
    result = shop.run("--tau-agent=my_agent.py", "--tau-trials=8", *workers)
    result.stdout.fnmatch_lines(["*no trial can succeed*gave a dict; expected agent(messages*"])
    assert {r.outcome for r in shop.records()} == {"unscored"}
    assert len(shop.records()) <= 1 + 2 * len(workers)


def test_an_override_serves_a_bundled_suite_outside_the_project(pytester):
    pytester.makeconftest(
        "import pytest\n@pytest.fixture\ndef tau_agent(): return lambda messages, tools: 'No.'"
    )
    result = pytester.runpytest("--tau-suite=retail", "-x", "-q")
    assert "no agent to test" not in result.stdout.str()
    result.assert_outcomes(failed=1)


def test_an_override_that_is_no_agent_says_what_was_expected(shop):
    shop.tasks()
    shop.write("conftest.py", "import pytest\n@pytest.fixture\ndef tau_agent(): return 3")
    result = shop.run()
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*is a int*expected agent(messages, tools)*"])


def test_a_user_may_be_overridden_likewise(shop):
    shop.tasks("- {id: a, domain: ../shop, instruction: Hello.}")
    shop.write(
        "conftest.py",
        """
import pytest

class Mute:
    def __init__(self, context): pass
    def respond(self, text): return "Bye. ###STOP###"

@pytest.fixture
def tau_user(): return Mute
""",
    )
    shop.run("--tau-agent=my_agent.py")
    assert shop.records()[0].steps == 0


def test_autouse_fixtures_of_the_project_surround_each_trial(shop):
    shop.tasks()
    shop.write(
        "conftest.py",
        """
import os, pytest

@pytest.fixture(autouse=True)
def endpoint(monkeypatch, request):
    monkeypatch.setenv("SHOP_ENDPOINT", request.node.name)
""",
    )
    shop.write(
        "my_agent.py",
        (shop.path / "my_agent.py")
        .read_text()
        .replace(
            "    last = messages[-1]\n",
            '    import os; last = messages[-1]; os.environ["SHOP_ENDPOINT"].index("[trial-1]")\n',
        ),
    )
    shop.run("--tau-agent=my_agent.py").assert_outcomes(passed=2)


def test_hooks_make_agents_users_and_domains_and_hear_of_trials(shop, plugin_args):
    shop.tasks("- {id: a, domain: elsewhere, instruction: Cancel A1., outputs: [cancelled]}")
    shop.write(
        "conftest.py",
        """
from pathlib import Path
from pytest_taubench import load_domain

def pytest_taubench_make_agent(config, spec):
    return (lambda messages, tools: f"{spec}: cancelled") if spec == "mine" else None

def pytest_taubench_make_user(config, spec):
    class User:
        def __init__(self, context): pass
        def respond(self, text): return "Hi." if text is None else spec + " ###STOP###"
    return User if spec == "ours" else None

def pytest_taubench_load_domain(config, name, base):
    return load_domain("shop", config.rootpath) if name == "elsewhere" else None

def pytest_taubench_metrics(record):
    return {"words": float(sum(len((m.content or "").split()) for m in record.trajectory))}

def pytest_taubench_trial_finished(config, record):
    with (config.rootpath / "finished.txt").open("a") as file:
        print(record.task_id, record.reward, record.metrics["words"], file=file)
""",
    )
    result = shop.run("--tau-agent=mine", "--tau-user=ours", *plugin_args)
    result.assert_outcomes(passed=1)
    # "Hi.", "mine: cancelled", "ours" and, where it is kept, the stop token.
    assert (shop.path / "finished.txt").read_text() in ("a 1.0 4.0\n", "a 1.0 5.0\n")
    (record,) = shop.records()
    assert (record.agent, record.user) == ("mine", "ours")


TESTS = """
import pytest

def test_cancels_once(tau_run):
    record = tau_run("tasks/orders.tau.yaml::cancel-a1", trial=2)
    assert record.reward == 1
    assert record.first_call("cancel_order").arguments == {"order_id": "A1"}
    assert record.first_call("cancel_order").follows_user_message("cancelled")
    assert not record.first_call("cancel_order").follows_user_message("yes")
    assert len(record.calls("cancel_order")) == 1
    assert record.agent_texts == ["The order A1 is cancelled."]
    assert record.record.trial == 2

def test_the_same_trial_runs_once_in_a_test(tau_run):
    first = tau_run("tasks/orders.tau.yaml::cancel-a1")
    assert tau_run("tasks/orders.tau.yaml::cancel-a1[trial-1]") is first
"""


def test_tau_run_gives_the_record_of_a_task_and_keeps_it_in_the_run(shop, plugin_args):
    shop.tasks()
    shop.write("test_policy.py", TESTS)
    result = shop.run("--tau-agent=my_agent.py", "--tau-trials=2", *plugin_args)
    result.assert_outcomes(passed=6)
    own = {r.nodeid: r.suite for r in shop.records() if r.nodeid.startswith("test_policy")}
    assert own == {
        "test_policy.py::test_cancels_once::cancel-a1[trial-2]": "test_policy",
        "test_policy.py::test_the_same_trial_runs_once_in_a_test::cancel-a1[trial-1]": "test_policy",
    }
    result.stdout.fnmatch_lines(["tasks/shop: 2 tasks, 4 trials, 4 scored, average reward 1.000"])


def test_tau_run_says_which_task_is_nearest(shop):
    shop.tasks()
    shop.write("test_x.py", "def test_x(tau_run): tau_run('tasks/orders.tau.yaml::cancel-a')")
    result = shop.run("--tau-agent=my_agent.py", "test_x.py")
    result.stdout.fnmatch_lines(["*has no task 'cancel-a'; did you mean 'cancel-a1'?*"])


def test_a_test_with_tau_run_is_skipped_without_an_agent(shop):
    shop.tasks()
    shop.write("test_policy.py", TESTS)
    shop.run("test_policy.py").assert_outcomes(skipped=2)

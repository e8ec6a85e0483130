"""What passes, what fails, what is unscored, and what the report of each says."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

DOES_NOTHING = "def agent(messages, tools): return 'The total is 8.'"

BROKEN_USER = """
class User:
    def __init__(self, context): self.context = context
    def respond(self, text):
        if "A2" in self.context.instruction:
            raise OSError("simulator is down")
        return self.context.instruction if text is None else "###STOP###"
"""


def test_a_trial_passes_when_its_reward_is_one(shop, plugin_args):
    shop.tasks()
    result = shop.run("--tau-agent=my_agent.py", *plugin_args)
    assert result.ret == pytest.ExitCode.OK
    result.assert_outcomes(passed=2)
    assert shop.rewards() == {"cancel-a1[trial-1]": 1, "total-of-a2[trial-1]": 1}


def test_a_failed_trial_shows_what_was_expected_and_what_was_said(shop, plugin_args):
    shop.tasks()
    shop.write("my_agent.py", DOES_NOTHING)
    result = shop.run("--tau-agent=my_agent.py", *plugin_args)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines_random(
        [
            "reward 0: the database is not the expected one",
            "ended by user_stop after 1 step",
            '  orders/A1 status: "cancelled" -> "pending" (not changed)',
            "  user: You want order A1 cancelled.",
            "  agent: The total is 8.",
            "reward 0: not told: 7",
            "  missing: 7",
            "FAILED tasks/orders.tau.yaml::total-of-a2?trial-1? - reward 0: not told: 7",
        ]
    )
    assert "Traceback" not in result.stdout.str()
    assert "pytest_taubench/" not in result.stdout.str()


def test_a_change_nobody_expected_is_shown_as_such(shop):
    shop.tasks("- {id: a, domain: ../shop, instruction: Leave A1 alone.}")
    result = shop.run("--tau-agent=my_agent.py")
    result.stdout.fnmatch_lines(
        ['  orders/A1 status: "pending" -> "cancelled" (no change expected)']
    )


def test_a_long_conversation_is_cut_in_the_middle_unless_asked_for(shop):
    shop.tasks("- {id: a, domain: ../shop, instruction: Hello.}")
    shop.write(
        "my_user.py",
        "class User:\n  def __init__(self, c): pass\n  def respond(self, t): return 'Go on.'",
    )
    shop.write("my_agent.py", "def agent(messages, tools): return f'Word {len(messages)}.'")
    short = shop.run("--tau-agent=my_agent.py").stdout.str()
    full = shop.run("--tau-agent=my_agent.py", "-vv").stdout.str()
    # The opening, thirty actions, each answered: 61 messages, of which 18 are shown.
    assert "... 43 messages left out; -vv shows all" in short
    assert short.count("Go on.") == 9
    assert full.count("Go on.") == 31
    assert "left out" not in full


def test_an_error_of_the_agent_is_told_once(shop, plugin_args):
    shop.tasks()
    shop.write("my_agent.py", "def agent(messages, tools): raise RuntimeError('it is broken')")
    only = "tasks/orders.tau.yaml::cancel-a1"
    result = shop.run("--tau-agent=my_agent.py", only, *plugin_args)
    assert result.stdout.str().count("it is broken") == 1
    assert "  missing action: never done: cancel_order" in result.stdout.str()


def test_an_unscored_trial_is_no_failure_but_the_run_is_no_success(shop, plugin_args):
    shop.tasks()
    shop.write("my_user.py", BROKEN_USER)
    result = shop.run("--tau-agent=my_agent.py", *plugin_args)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert result.parseoutcomes() == {"passed": 1, "unscored": 1}
    result.stdout.fnmatch_lines(
        [
            "*unscored trials*",
            "tasks/orders.tau.yaml::total-of-a2?trial-1? - user_error",
            "*simulator is down*",
            "tasks/shop: 2 tasks, 2 trials, 1 scored, 1 unscored, average reward 1.000",
            "*1   * 1.000 *1 of 2*",
        ]
    )
    assert shop.rewards() == {"cancel-a1[trial-1]": 1, "total-of-a2[trial-1]": None}


def test_an_unscored_trial_shows_as_such_in_the_progress(shop):
    shop.tasks()
    shop.write("my_user.py", BROKEN_USER)
    shop.run("--tau-agent=my_agent.py").stdout.fnmatch_lines(["tasks/orders.tau.yaml .U *"])
    shop.run("--tau-agent=my_agent.py", "-v").stdout.fnmatch_lines(["*trial-1] UNSCORED *"])


def test_an_expected_failure_is_not_met_by_an_unscored_trial(shop, plugin_args):
    shop.tasks("- {id: a, domain: ../shop, instruction: A2, outputs: ['1'], marks: [xfail]}")
    shop.write("my_user.py", BROKEN_USER)
    result = shop.run("--tau-agent=my_agent.py", *plugin_args)
    assert result.parseoutcomes() == {"unscored": 1}
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_unscored_trials_run_again_under_lf(shop):
    shop.tasks()
    user = (shop.path / "my_user.py").read_text()
    shop.write("my_user.py", BROKEN_USER)
    shop.run("--tau-agent=my_agent.py")
    shop.write("my_user.py", user)
    shop.run("--tau-agent=my_agent.py", "--lf")
    assert shop.rewards() == {"total-of-a2[trial-1]": 1}


def test_an_agent_that_raises_is_scored_zero_and_its_error_is_shown(shop):
    shop.tasks("- {id: a, domain: ../shop, instruction: Hello.}")
    shop.write("my_agent.py", "def agent(messages, tools): raise KeyError('lost')")
    result = shop.run("--tau-agent=my_agent.py")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["reward 0: ended by agent_error*", "*KeyError*lost*"])
    (record,) = shop.records()
    assert (record.reward, str(record.ending)) == (0, "agent_error")


def test_a_refused_key_stops_the_run_at_once(shop, plugin_args):
    shop.many_tasks(6)
    shop.write(
        "my_agent.py",
        "from pytest_taubench.errors import FatalError\n"
        "def agent(messages, tools): raise FatalError('the key was refused')",
    )
    result = shop.run("--tau-agent=my_agent.py", *plugin_args)
    assert result.ret != pytest.ExitCode.OK
    assert len(shop.records()) < 6
    assert all(record.reward is None for record in shop.records())
    assert "no trial can succeed: the key was refused" in result.stdout.str()


def test_what_an_agent_writes_cannot_break_the_way_of_its_record(shop, plugin_args):
    shop.tasks("- {id: a, domain: ../shop, instruction: Hello.}")
    shop.write(
        "my_agent.py",
        r"""
from my_calls import call
def agent(messages, tools):
    if len(messages) < 3:
        return call('{"order_id": "\\ud83d \\u0000 \\u001b[31m", "n": 1e999}')
    return "[bold]caf\u00e9 \u2192 \U0001f600 \x1b[31mred\x1b[0m"
""",
    )
    shop.write(
        "my_calls.py",
        """
def call(arguments):
    function = {"name": "get_order", "arguments": arguments}
    return {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": function}]}
""",
    )
    shop.run("--tau-agent=my_agent.py", *plugin_args)
    (record,) = shop.records()
    assert record.trajectory[-2].content == "[bold]café → \U0001f600 \x1b[31mred\x1b[0m"


def test_x_stops_after_the_first_failure(shop, plugin_args):
    shop.many_tasks(8)
    shop.write("my_agent.py", DOES_NOTHING)
    result = shop.run("--tau-agent=my_agent.py", "-x", *plugin_args)
    assert result.ret != pytest.ExitCode.OK
    assert 1 <= len(shop.records()) < 8


def test_junit_xml_holds_the_figures_of_each_trial_and_not_its_record(shop, plugin_args):
    shop.tasks()
    shop.run("--tau-agent=my_agent.py", "--junitxml=out.xml", *plugin_args)
    cases = ElementTree.parse(shop.path / "out.xml").getroot().findall(".//testcase")
    figures = [{p.get("name"): p.get("value") for p in case.iter("property")} for case in cases]
    assert sorted(case.get("name") for case in cases) == [
        "cancel-a1[trial-1]",
        "total-of-a2[trial-1]",
    ]
    assert figures[0].keys() == {"tau_outcome", "tau_ending", "tau_steps", "tau_reward"}
    assert {f["tau_reward"] for f in figures} == {"1.0"}


def test_a_task_whose_gold_action_fails_is_unscored(shop):
    shop.tasks("""
- id: a
  domain: ../shop
  instruction: Cancel A9.
  actions: [{name: cancel_order, arguments: {order_id: A9}}]
""")
    result = shop.run("--tau-agent=my_agent.py")
    assert result.parseoutcomes() == {"unscored": 1}
    assert "A9" in result.stdout.str()


def test_the_figures_come_last_where_no_list_of_failures_pushes_them_away(shop):
    shop.tasks()
    shop.write("my_agent.py", DOES_NOTHING)
    shop.write("my_user.py", BROKEN_USER)
    gate = "--tau-gate=trials >= 1"
    for verbosity in ("-v", "-q"):
        result = shop.run("--tau-agent=my_agent.py", "-rA", verbosity, gate)
        result.stdout.fnmatch_lines(
            [
                "*short test summary info*",
                "*orders.tau.yaml::cancel-a1*",
                "*= unscored trials =*",
                "*= tau-bench =*",
                "tasks/shop: 2 tasks, 2 trials, 1 scored, 1 unscored, average reward 0.000",
                "run stored in *",
                "gates:",
                "*1 unscored*",
            ]
        )
        figures = result.outlines.index("gates:")
        assert not any("orders.tau.yaml" in line for line in result.outlines[figures:])


@pytest.mark.parametrize("line", ["raise SystemExit(3)", "import pytest; pytest.skip('no')"])
def test_a_tool_that_raises_what_ends_programs_loses_no_record(shop, plugin_args, line):
    shop.tasks()
    tools = (shop.path / "shop/tools.py").read_text()
    shop.write("shop/tools.py", tools.replace('    return "cancelled"', f"    {line}"))
    result = shop.run("--tau-agent=my_agent.py", *plugin_args)
    assert result.parseoutcomes() == {"passed": 1, "unscored": 1}
    assert shop.rewards() == {"cancel-a1[trial-1]": None, "total-of-a2[trial-1]": 1}

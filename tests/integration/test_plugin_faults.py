"""Why trials failed, in a project of a user: the record, the report, the summary, and a model."""

from __future__ import annotations

import chat_server as server
import pytest

from pytest_taubench.commands.cli import main

WRONG_ORDER_CANCELLED = '''
from my_agent import call

def agent(messages, tools):
    """Cancels A2 whatever is asked for."""
    if messages[-1]["role"] == "user":
        return call("cancel_order", order_id="A2")
    return "It is done."
'''

VERDICT = '{"why": "It took another order than the one asked for.", "whose": "agent"}'


def test_a_failed_trial_says_why_in_record_report_and_summary(shop, plugin_args):
    shop.tasks()
    shop.write("wrong.py", WRONG_ORDER_CANCELLED)
    result = shop.run("--tau-agent=wrong.py", *plugin_args)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    by_task = {record.task_id: record for record in shop.records()}
    cancelled, asked = by_task["cancel-a1"], by_task["total-of-a2"]
    assert cancelled.attribution.classes == ["wrong_argument"]
    [fault] = cancelled.attribution.faults
    assert (fault.argument, fault.expected, fault.actual) == ("order_id", "A1", "A2")
    assert asked.attribution.classes == ["forbidden_write", "missing_information"]
    assert (cancelled.gold_writes, asked.gold_writes) == (1, 0)
    assert cancelled.attribution.model is None
    result.stdout.fnmatch_lines_random(
        [
            '  wrong argument: cancel_order: order_id: expected "A1", got "A2"',
            "why 2 trials failed (one may have several faults):",
            "  faults * wrong argument 1*",
            "  paper's class * wrong decision 1*",
            "  gold writes   tasks   trials   passed   pass^1",
        ]
    )


def test_a_trial_that_passed_has_no_attribution(shop):
    shop.tasks()
    result = shop.run("--tau-agent=my_agent.py")
    assert [record.attribution for record in shop.records()] == [None, None]
    result.stdout.no_fnmatch_line("why *failed*")


def test_a_model_that_is_asked_says_whose_fault_it_was(shop, chat_server, monkeypatch, plugin_args):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    shop.tasks()
    shop.write("wrong.py", WRONG_ORDER_CANCELLED)
    chat_server.answer_with(server.text("ready"), *[server.text(VERDICT)] * 2)
    options = (
        "--tau-agent=wrong.py",
        "--tau-attribute=judge-1",
        f"--tau-base-url={chat_server.url}",
    )
    result = shop.run(*options, *plugin_args)
    verdicts = [record.attribution.model for record in shop.records()]
    assert [verdict.whose for verdict in verdicts] == ["agent", "agent"]
    assert [record.usage["judge"].calls for record in shop.records()] == [1, 1]
    assert [record.reward for record in shop.records()] == [0, 0]
    result.stdout.fnmatch_lines_random(
        [
            "  the agent's fault, a model says: It took another order than the one asked for.",
            "  whose, by a model * agent 2",
        ]
    )


def test_a_model_that_cannot_be_asked_leaves_the_reward_and_says_so(shop, chat_server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    shop.tasks("- {id: a, domain: ../shop, instruction: Leave A1 alone.}")
    chat_server.answer_with(server.text("ready"), server.error(401, "no such key"))
    options = ("--tau-attribute=judge-1", f"--tau-base-url={chat_server.url}")
    result = shop.run("--tau-agent=my_agent.py", *options)
    [record] = shop.records()
    assert (record.outcome, record.reward) == ("scored", 0)
    assert record.attribution.model.whose is None
    assert record.attribution.model.model == "judge-1"
    result.stdout.fnmatch_lines_random(
        [
            "  not attributed: the model could not be asked: *",
            "  whose, by a model * not attributed 1",
        ]
    )


def test_a_comparison_of_runs_with_and_without_policy_says_so(shop, capsys):
    shop.tasks()
    shop.run("--tau-agent=my_agent.py", "--tau-run-dir=with")
    shop.run("--tau-agent=my_agent.py", "--tau-run-dir=without", "--tau-no-policy")
    folders = [str(next((shop.path / name).iterdir())) for name in ("with", "without")]
    capsys.readouterr()
    assert main(["compare", *folders]) == 0
    said = "the second run withheld the policy from the agent (--tau-no-policy)"
    assert said in capsys.readouterr().out

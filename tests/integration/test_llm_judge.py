"""Assertions in plain language, graded by a judge model, through pytest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from chat_server import ChatServer
from test_llm_plugin import by_role

from pytest_taubench.plugin.run.model_checks import QUESTION

if TYPE_CHECKING:
    from conftest import Shop

TASKS = """
domain: ../shop
tasks:
  - id: polite
    instruction: You want order A1 cancelled.
    actions: [{name: cancel_order, arguments: {order_id: A1}}]
    reward_basis: [database, nl_assertions]
    nl_assertions: [The agent cancels order A1., The agent is polite.]
  - id: plain
    instruction: You want order A1 cancelled.
    actions: [{name: cancel_order, arguments: {order_id: A1}}]
"""


def verdicts(*met: bool) -> str:
    return json.dumps(
        [
            {"number": n, "reason": "polite words" if m else "rude words", "met": m}
            for n, m in enumerate(met, 1)
        ]
    )


@pytest.fixture
def judge(chat_server: ChatServer) -> ChatServer:
    """Plays the agent, and a judge that finds every statement met."""

    def behave(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        return by_role(messages, tools) if tools else verdicts(True, True)

    chat_server.behave = behave
    return chat_server


def judged_by(judge: ChatServer, answer: str) -> None:
    judge.behave = lambda messages, tools: by_role(messages, tools) if tools else answer


def args_of(judge: ChatServer) -> tuple[str, ...]:
    return ("--tau-agent=tool-calling", "--tau-agent-model=m", f"--tau-base-url={judge.url}")


def test_a_judge_gives_each_assertion_its_verdict_and_reason(
    shop: Shop, judge: ChatServer, plugin_args: tuple[str, ...]
) -> None:
    shop.tasks(TASKS)
    result = shop.run(*args_of(judge), "--tau-judge-model=j", *plugin_args)
    result.assert_outcomes(passed=2)
    records = {record.task_id: record for record in shop.records()}
    component = records["polite"].component("nl_assertions")
    assert component is not None
    assert component.value == 1
    assert component.detail["verdicts"] == [
        {"assertion": "The agent cancels order A1.", "met": True, "reason": "polite words"},
        {"assertion": "The agent is polite.", "met": True, "reason": "polite words"},
    ]
    assert records["polite"].usage["judge"].calls == 1
    assert records["plain"].component("nl_assertions") is None
    asked = [request for request in judge.requests if request["model"] == "j"]
    assert len(asked) == 2, "once before the first trial whether it is there"
    assert [request["temperature"] for request in asked] == [0, 0]


def test_an_assertion_that_is_not_met_fails_the_trial_with_the_judges_reason(
    shop: Shop, judge: ChatServer
) -> None:
    judged_by(judge, verdicts(True, False))
    shop.tasks(TASKS)
    result = shop.run(*args_of(judge), "--tau-judge-model=j")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "reward 0: not met: The agent is polite. (rude words)",
            "*not met: The agent is polite. (rude words)",
        ]
    )


@pytest.mark.parametrize("answer", ["I would say yes.", verdicts(True)])
def test_a_judge_without_a_verdict_on_each_leaves_the_trial_unscored(
    shop: Shop, judge: ChatServer, answer: str
) -> None:
    judged_by(judge, answer)
    shop.tasks(TASKS)
    result = shop.run(*args_of(judge), "--tau-judge-model=j")
    assert result.ret != 0
    records = {record.task_id: record for record in shop.records()}
    assert (records["polite"].outcome, records["polite"].reward) == ("unscored", None)
    assert records["polite"].ending == "model_error"
    assert records["polite"].usage["judge"].calls == 3, "asked again, and counted"
    assert records["plain"].reward == 1
    assert records["polite"].error is not None
    assert records["polite"].error.message == (
        "the judge gave no verdict on each of 2 assertions, asked 3 times; "
        f"its last answer: {answer}"
    )
    result.stdout.fnmatch_lines(["*the judge gave no verdict on each of 2 assertions*"])


def test_a_trial_that_hit_the_cap_is_a_zero_that_no_judge_is_asked_about(
    shop: Shop, judge: ChatServer
) -> None:
    shop.tasks(TASKS)
    shop.run(*args_of(judge), "--tau-judge-model=j", "--tau-max-steps=1", "-k", "polite")
    [record] = shop.records()
    assert (record.outcome, record.reward, record.ending) == ("scored", 0, "max_steps")
    asked = [request["messages"][0] for request in judge.requests if request["model"] == "j"]
    assert [message["content"] for message in asked] == [QUESTION]


def test_without_a_judge_the_tasks_that_need_one_are_skipped_with_the_reason(
    shop: Shop, judge: ChatServer
) -> None:
    shop.tasks(TASKS)
    result = shop.run(*args_of(judge), "--tau-trials=2")
    result.assert_outcomes(passed=2, skipped=2)
    result.stdout.fnmatch_lines(["2 skipped: *nl_assertions*--tau-judge-model=MODEL"])
    assert {record.task_id for record in shop.records()} == {"plain"}


def test_without_a_judge_a_python_test_that_needs_one_is_skipped_too(
    shop: Shop, judge: ChatServer
) -> None:
    shop.tasks(TASKS)
    shop.write(
        "test_it.py",
        "def test_it(tau_run):\n    tau_run('tasks/orders.tau.yaml::polite')\n",
    )
    shop.run("test_it.py", *args_of(judge)).assert_outcomes(skipped=1)


def test_a_basis_with_nothing_to_grade_is_said_to_be_vacuous(shop: Shop, judge: ChatServer) -> None:
    shop.tasks(
        "domain: ../shop\ntasks:\n"
        "  - {id: empty, instruction: Say hello., reward_basis: [nl_assertions]}\n"
    )
    result = shop.run(*args_of(judge))
    [record] = shop.records()
    component = record.component("nl_assertions")
    assert component is not None
    assert component.vacuous
    assert any("doing nothing passes this task" in note for note in record.notes)
    result.stdout.fnmatch_lines(["*1 task passed with nothing to grade*", "*::empty"])


def test_a_tau2_data_folder_is_graded_by_its_assertions(
    shop: Shop, judge: ChatServer, tmp_path: Path
) -> None:
    tau2_shop(shop)
    args = (*args_of(judge), "--tau-data=tau2")
    shop.run(*args).assert_outcomes(skipped=1)
    judged_by(judge, verdicts(True))
    shop.run(*args, "--tau-judge-model=j").assert_outcomes(passed=1)
    judged_by(judge, verdicts(False))
    result = shop.run(*args, "--tau-judge-model=j")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*not met: Agent confirms the cancellation. (rude words)*"])


def tau2_shop(shop: Shop) -> None:
    """Put a domain of τ²-bench's form beside the shop, with the shop's tools."""
    task = {
        "id": "7",
        "user_scenario": {
            "persona": None,
            "instructions": {"reason_for_call": "You want order A1 cancelled."},
        },
        "evaluation_criteria": {
            "actions": [
                {"action_id": "7_0", "name": "cancel_order", "arguments": {"order_id": "A1"}}
            ],
            "nl_assertions": ["Agent confirms the cancellation."],
            "reward_basis": ["DB", "NL_ASSERTION"],
        },
    }
    orders = json.loads((shop.path / "shop/db/orders.json").read_text())
    shop.write("tau2/domains/shop/db.json", json.dumps({"orders": orders}))
    shop.write("tau2/domains/shop/tasks.json", json.dumps([task]))
    shop.write("tau2/domains/shop/policy.md", "Cancel what you are asked to cancel.")
    shop.write("tau2/domains/shop/tools.py", (shop.path / "shop/tools.py").read_text())


def test_a_task_that_needs_a_judge_is_linted_without_one(shop: Shop) -> None:
    shop.tasks(TASKS)
    result = shop.run("--tau-lint")
    assert "skipped" not in result.parseoutcomes()

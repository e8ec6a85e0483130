"""``--tau-lint``: each task is one item that lints it."""

from __future__ import annotations

from typing import Any

import pytest

# Imported here, since pytester forgets what a run inside the test imported first.
from pytest_taubench.lint import Linter  # noqa: F401

FAILING = """
domain: ../shop
tasks:
  - id: cancel-a9
    instruction: You want order A9 cancelled.
    actions: [{name: cancel_order, arguments: {order_id: A9}}]
  - id: nothing-asked
    instruction: You say hello.
"""

OPEN = """
domain: ../shop
tasks:
  - id: one-of-two
    instruction: You want to cancel order A1, but not if it costs more than A2, which you also think of.
    actions: [{name: cancel_order, arguments: {order_id: A1}}]
"""


def outcomes(result: pytest.RunResult) -> dict[str, int]:
    found: dict[str, int] = result.parseoutcomes()
    return found


def test_each_task_is_one_item_whatever_the_trials(shop: Any) -> None:
    shop.tasks()
    result = shop.run("--tau-lint", "--tau-trials=4", "--collect-only", "-q")
    lines = [line for line in result.outlines if "::" in line]
    assert lines == [
        "tasks/orders.tau.yaml::cancel-a1[lint]",
        "tasks/orders.tau.yaml::total-of-a2[lint]",
    ]


def test_good_tasks_pass_and_need_no_agent(shop: Any, plugin_args: tuple[str, ...]) -> None:
    shop.tasks()
    result = shop.run("--tau-lint", *plugin_args)
    assert outcomes(result) == {"passed": 2}
    result.stdout.fnmatch_lines(
        ["lint: `silent` passes 0, a transfer at once passes 0, `oracle` passes 2 of 2 tasks"]
    )
    assert not (shop.path / ".tau-runs").exists()


def test_a_gold_action_that_fails_and_a_task_passed_by_silence_fail(shop: Any) -> None:
    shop.tasks(FAILING)
    result = shop.run("--tau-lint")
    assert outcomes(result) == {"failed": 2}
    result.stdout.fnmatch_lines(
        [
            "*error (gold-actions): gold action 1. cancel_order: Error: order A9 not found*",
            "*error (floor): an agent that does nothing has reward 1*",
            "lint: `silent` passes 1,*",
        ]
    )
    assert result.ret == 1


def test_what_is_for_a_person_is_a_warning_and_an_error_on_request(shop: Any) -> None:
    shop.tasks(OPEN)
    result = shop.run("--tau-lint", "-W", "default")
    assert outcomes(result) == {"passed": 1, "warnings": 1}
    result.stdout.fnmatch_lines(["*LintWarning: one-of-two: for a person (additional): *A2*"])
    strict = shop.run("--tau-lint", "-W", "error")
    assert outcomes(strict) == {"failed": 1}


def test_a_note_of_the_task_answers_it(shop: Any) -> None:
    shop.tasks(OPEN + '    notes: "lint(A2): A2 is only thought of."\n')
    result = shop.run("--tau-lint", "-W", "error")
    assert outcomes(result) == {"passed": 1}


def test_one_lint_item_can_be_asked_for(shop: Any) -> None:
    shop.tasks()
    result = shop.run("--tau-lint", "tasks/orders.tau.yaml::total-of-a2[lint]")
    assert outcomes(result) == {"passed": 1}

"""``python -m pytest_taubench lint``."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_taubench.commands.cli import main

FAILING = """
domain: ../shop
tasks:
  - id: cancel-a9
    instruction: You want order A9 cancelled.
    actions: [{name: cancel_order, arguments: {order_id: A9}}]
"""
OPEN = """
domain: ../shop
tasks:
  - id: one-of-two
    instruction: You want to cancel order A1, and perhaps A2.
    actions: [{name: cancel_order, arguments: {order_id: A1}}]
"""


def test_good_tasks_have_exit_status_0_and_the_floor_is_shown(
    shop: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.tasks()
    assert main(["lint", "tasks"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "2 tasks: 0 errors in 0 of them, 0 warnings, 0 for a person to decide, 0 noted",
        "`silent` passes 0, a transfer at once passes 0, `oracle` passes 2 of 2",
    ]


def test_one_task_is_counted_in_the_singular(shop: Any, capsys: pytest.CaptureFixture[str]) -> None:
    shop.tasks(FAILING)
    main(["lint"])
    assert "\n1 task: 2 errors in 1 of them, 0 warnings, " in capsys.readouterr().out


def test_an_error_has_exit_status_1_and_names_file_and_task(
    shop: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.tasks(FAILING)
    assert main(["lint"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "tasks/orders.tau.yaml::cancel-a9"
    assert (
        lines[1] == "  error (gold-actions): gold action 1. cancel_order: Error: order A9 not found"
    )


def test_what_is_for_a_person_fails_only_when_strict_and_not_once_noted(shop: Any) -> None:
    path = str(shop.tasks(OPEN))
    assert main(["lint", path]) == 0
    assert main(["lint", path, "--strict"]) == 1
    shop.tasks(OPEN + '    notes: "lint(A2): only perhaps."\n')
    assert main(["lint", path, "--strict"]) == 0


def test_json_holds_every_finding_and_the_rewards(
    shop: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.tasks(OPEN)
    assert main(["lint", "--json", "tasks"]) == 0
    result = json.loads(capsys.readouterr().out)
    (task,) = result["tasks"]
    assert (result["ok"], task["ok"]) == (True, True)
    assert result["counts"] == {"for a person": 1}
    (finding,) = task["findings"]
    assert (finding["check"], finding["level"], finding["note"]) == (
        "additional",
        "for a person",
        None,
    )
    assert task["rewards"] == {"silent": 0.0, "oracle": 1.0}
    assert result["passed"] == {"silent": 0, "transfer": 0, "oracle": 1}


def test_json_holds_every_problem_of_a_file_that_cannot_be_read(
    shop: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.tasks("domain: ../shop\ntasks:\n" + "".join(f"  - id: t{n}\n" for n in range(25)))
    assert main(["lint", "--json", "tasks"]) == 2
    result = json.loads(capsys.readouterr().out)
    assert result["ok"] is False
    assert len(result["problems"]) == 25
    assert "task 't24', instruction: missing" in result["problems"][24]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["nowhere"], "nowhere: no such file or folder"),
        (["--suite", "retial"], "no bundled suite 'retial'; did you mean 'retail'?"),
        (["empty"], "no task found"),
    ],
)
def test_wrong_use_has_exit_status_2(
    shop: Any, capsys: pytest.CaptureFixture[str], args: list[str], said: str
) -> None:
    (shop.path / "empty").mkdir()
    assert main(["lint", *args]) == 2
    assert said in capsys.readouterr().err

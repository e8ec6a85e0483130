"""Lint on the reference tasks: 19 have a gold action that fails, and 26 are passed by silence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_taubench.environment.domain import DomainLibrary
from pytest_taubench.lint import Linter, TaskLint
from pytest_taubench.lint.floor import check_floor
from pytest_taubench.lint.gold_actions import check_gold_actions
from pytest_taubench.task_files.upstream import read_data


@pytest.fixture(scope="module")
def linted(upstream: Path) -> dict[str, dict[str, TaskLint]]:
    linter = Linter({"gold-actions": check_gold_actions, "floor": check_floor})
    found: dict[str, dict[str, TaskLint]] = {}
    for suite in read_data(upstream / "tau-bench", DomainLibrary().get):
        assert suite.domain is not None
        found[suite.name] = {task.id: linter.lint(task, suite.domain) for task in suite.tasks}
    return found


def expected(upstream: Path, name: str) -> list[Any]:
    path = upstream / "tau-bench" / name / "expected_test.json"
    content: list[Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


@pytest.mark.parametrize(("name", "size", "failing"), [("retail", 115, 19), ("airline", 50, 0)])
def test_exactly_the_tasks_whose_gold_actions_fail_in_the_reference_are_found(
    linted: Any, upstream: Path, name: str, size: int, failing: int
) -> None:
    truth = {str(each["task"]) for each in expected(upstream, name) if "error" in each["actions"]}
    found = {
        task
        for task, lint in linted[name].items()
        if any(
            each.check == "gold-actions" and each.message.startswith("gold action ")
            for each in lint.findings
        )
    }
    assert (len(linted[name]), len(truth)) == (size, failing)
    assert found == truth


@pytest.mark.parametrize(("name", "floor"), [("retail", 7), ("airline", 19)])
def test_the_floor_of_silence_is_the_one_that_was_reported(
    linted: Any, name: str, floor: int
) -> None:
    assert sum(lint.rewards["silent"] == 1 for lint in linted[name].values()) == floor

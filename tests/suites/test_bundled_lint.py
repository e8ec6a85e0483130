"""Every bundled task passes lint: nothing is left for a person, and it is passed by work alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pytest_taubench.bundled import suites_root
from pytest_taubench.environment.domain import Domain, DomainLibrary
from pytest_taubench.lint import Linter
from pytest_taubench.schema import Task
from pytest_taubench.task_files import is_task_file, read_task_file


def bundled_tasks() -> Iterator[Any]:
    library, linter = DomainLibrary(), Linter()
    for path in sorted(suites_root().rglob("*.tau.*")):
        for task in read_task_file(path).tasks if is_task_file(path) else ():
            domain = library.get(task.domain, path.parent)
            yield pytest.param(linter, task, domain, id=f"{path.parent.name}/{task.id}")


@pytest.mark.parametrize(("linter", "task", "domain"), list(bundled_tasks()))
def test_lint_leaves_nothing_open_and_only_the_annotation_passes(
    linter: Linter, task: Task, domain: Domain
) -> None:
    found = linter.lint(task, domain)
    assert [str(each) for each in found.open()] == []
    # Reciting is played only where words alone could pass.
    assert {**found.rewards, "recital": 0} == {
        "silent": 0,
        "transfer": 0,
        "recital": 0,
        "oracle": 1,
    }
    assert found.rewards.get("recital", 0) == 0

"""The tasks that only a judge model can grade, skipped where none is named."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_taubench.plugin.options.values import OPTIONS

NO_JUDGE = "its reward basis has nl_assertions, which a model grades: pass --tau-judge-model=MODEL"


class JudgeGuard:
    """Skips the tasks that only a judge model can grade, where none is named, and says so."""

    def __init__(self) -> None:
        self._skipped = 0

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Mark the items, before anything of them could start."""
        for item in items:
            if needs_judge(getattr(item, "collected", None)):
                item.add_marker(pytest.mark.skip(reason=NO_JUDGE))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count what was skipped."""
        self._skipped += report.skipped and NO_JUDGE in str(report.longrepr)

    @pytest.hookimpl(trylast=True)
    def pytest_taubench_terminal_summary(self, terminalreporter: Any) -> None:
        """Say how many trials were skipped, and which option to pass."""
        if self._skipped:
            terminalreporter.line(f"{self._skipped} skipped: {NO_JUDGE}", yellow=True)


def needs_judge(collected: object) -> bool:
    """Return whether what was collected is a task with assertions in its reward basis."""
    task = getattr(collected, "task", None)
    return task is not None and "nl_assertions" in task.reward_basis and bool(task.nl_assertions)


def skip_without_judge(config: pytest.Config, collected: object) -> None:
    """Skip the test that runs a task which only a judge model can grade, where none is named."""
    if needs_judge(collected) and not config.stash[OPTIONS]["judge-model"]:
        pytest.skip(NO_JUDGE)

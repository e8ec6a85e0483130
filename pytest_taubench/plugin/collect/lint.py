"""``--tau-lint``: each task is one item that lints it, in place of its trials."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.plugin.collect.arguments import asked_names
from pytest_taubench.plugin.collect.items import Marks, TaskCollector
from pytest_taubench.plugin.collect.tasks import CollectedTask
from pytest_taubench.plugin.stash import DATA

if TYPE_CHECKING:
    from pytest_taubench.lint import Linter, TaskLint

_LINTER: pytest.StashKey[Linter] = pytest.StashKey()
_PASSED = "tau_lint_passed"
_AGENTS = {"silent": "`silent`", "transfer": "a transfer at once", "oracle": "`oracle`"}


class LintWarning(UserWarning):
    """What lint leaves for a person to decide; ``-W error`` makes it a failure."""


class LintFailure(Exception):
    """The task is proved wrong; the message lists why."""


class LintCollector(TaskCollector):
    """Collects a task file, or what ``--tau-data`` names, as lint items."""

    def _items(self, tasks: Sequence[Any]) -> Iterator[Any]:
        marks: Any = Marks(self.config)
        asked = set(asked_names(self.config, self.path))
        # pytest itself selects in files, but knows nothing of ids inside a folder.
        only = asked if self.path in self.config.stash[DATA] else set()
        for collected in tasks:
            name = f"{collected.label}[lint]"
            if isinstance(collected, CollectedTask) and (
                not only or {collected.label, name} & only
            ):
                item = LintItem.from_parent(self, name=name, collected=collected)
                marks.put_on(item)
                yield item


class LintItem(pytest.Item):
    """Lints one task. Fails where the task is proved wrong, warns of the rest.

    Attributes:
        collected: The task with its suite and domain.
    """

    def __init__(self, *, collected: CollectedTask, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.collected = collected

    def runtest(self) -> None:
        """Lint the task."""
        lint = _linter(self.config).lint(self.collected.task, self.collected.load_domain())
        passed = [name for name, reward in lint.rewards.items() if reward == 1]
        self.user_properties.append((_PASSED, ",".join(passed)))
        self.add_report_section("call", "lint", "\n".join(map(str, lint.findings)))
        if lint.failed:
            raise LintFailure(_text(lint))
        for finding in lint.open():
            self.warn(LintWarning(f"{self.collected.task.id}: {finding}"))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return what is wrong with the task, for people."""
        if isinstance(excinfo.value, LintFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return where the item comes from."""
        return self.path, 0, self.name


class LintSummary:
    """Shows at the end what is passed for nothing. Lives where every report is seen."""

    def __init__(self) -> None:
        self._passed: list[set[str]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what an item says of its task."""
        found = dict(report.user_properties).get(_PASSED) if report.when == "call" else None
        if found is not None:
            self._passed.append(set(str(found).split(",")))

    def pytest_taubench_terminal_summary(self, terminalreporter: Any) -> None:
        """Say how many tasks each of the agents passes."""
        total = len(self._passed)
        if not total:
            return
        counts = {name: sum(name in each for each in self._passed) for name in _AGENTS}
        said = (f"{words} passes {counts[name]}" for name, words in _AGENTS.items())
        terminalreporter.write_line(f"lint: {', '.join(said)} of {total} tasks")


def _linter(config: pytest.Config) -> Linter:
    if _LINTER not in config.stash:
        from pytest_taubench.lint import Linter

        config.stash[_LINTER] = Linter()
    return config.stash[_LINTER]


def _text(lint: TaskLint) -> str:
    return "\n".join(str(finding) for finding in lint.findings)

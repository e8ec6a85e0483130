"""Says which planned trials a run that was cut short has left out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.text.foreign import printable

if TYPE_CHECKING:
    from pytest_taubench.plugin.finish.recorder import RunRecorder


class TrialsNotRun:
    """Compares the plan with the records: a crash, ``-x`` or Ctrl-C leaves some without one."""

    def __init__(self, recorder: RunRecorder) -> None:
        self._recorder = recorder
        self._lacks_some = False

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Note whether the run was to have all its trials; one that is decided says what it saved."""
        if not self._recorder.planned:
            return
        from pytest_taubench.plugin.finish.gating import EARLY, stop_reason

        refused = session.exitstatus == pytest.ExitCode.USAGE_ERROR
        self._lacks_some = not (refused or stop_reason(session).startswith(EARLY))

    @pytest.hookimpl(trylast=True)
    def pytest_taubench_terminal_summary(self, terminalreporter: Any) -> None:
        """Print how many trials did not run, by suite."""
        missing = self._missing() if self._lacks_some else Counter()
        if not missing:
            return
        planned = self._recorder.planned
        label = self._labels()
        of_suite = Counter[str]()
        for task, trials in planned.items():
            of_suite[label[task]] += trials
        not_run = Counter[str]()
        for task, trials in missing.items():
            not_run[label[task]] += trials
        terminalreporter.line(
            f"{missing.total()} of {sum(planned.values())} planned trials did not run "
            "(--tau-resume runs them):",
            yellow=True,
        )
        for name in _in_order(not_run):
            whole = " (none of it ran)" if not_run[name] == of_suite[name] else ""
            line = f"  {name}: {not_run[name]} of {of_suite[name]}{whole}"
            terminalreporter.line(printable(line), yellow=True)

    def _missing(self) -> Counter[str]:
        from pytest_taubench.metrics import task_key

        return Counter(self._recorder.planned) - Counter(map(task_key, self._recorder.records))

    def _labels(self) -> dict[str, str]:
        """Return the label of each planned task's suite; files say that of a task without record."""
        from pytest_taubench.metrics.summary import suite_label, suite_name, task_key
        from pytest_taubench.plugin.collect.tasks import domain_of, tasks_by_id

        planned = self._recorder.planned
        labels = {task_key(record): suite_label(record) for record in self._recorder.records}
        without = [task for task in planned if task not in labels]
        for task, found in tasks_by_id(self._recorder.config, without).items():
            labels[task] = suite_name(found.suite, domain_of(found))
        return {task: labels.get(task, task.partition("::")[0]) for task in planned}


def _in_order(names: Counter[str]) -> list[str]:
    from pytest_taubench.text.names import natural_key

    return sorted(names, key=natural_key)

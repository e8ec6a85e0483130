"""What the ``tau_run`` fixture gives: runs a task inside a Python test."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_taubench.plugin.collect.node_ids import item_name, split_trial
from pytest_taubench.plugin.collect.planned import plan_trial
from pytest_taubench.plugin.collect.tasks import find_task
from pytest_taubench.plugin.run.judge import skip_without_judge
from pytest_taubench.plugin.run.runner import runner_of
from pytest_taubench.plugin.stash import ATTEMPTS, PENDING_RECORDS
from pytest_taubench.runs.view import RecordView

if TYPE_CHECKING:
    from pytest_taubench.schema import TrialRecord


class TauRun:
    """Runs tasks for one test; their records belong to the run like any other.

    They are kept under the test's own id and grouped under its file, so that they do not
    count twice in the figures of the suite that the task file belongs to.
    """

    def __init__(self, request: pytest.FixtureRequest, agent: object, user: object) -> None:
        self._request = request
        self._agent = agent
        self._user = user
        self._done: dict[tuple[str, int], RecordView] = {}

    def __call__(self, task: str, trial: int = 1) -> RecordView:
        """Run a trial of a task and return its record.

        Args:
            task: ``file::task-id``, the file relative to the root directory or a bundled suite.
                An id that ends with ``[trial-2]`` names the trial too.
            trial: The trial's number; the same number has the same seed.

        Raises:
            UnknownTaskError: There is no such file or task; names the nearest.
        """
        task, named = split_trial(task)
        trial = named or trial
        if (task, trial) not in self._done:
            self._done[task, trial] = RecordView(self._record(task, trial))
        return self._done[task, trial]

    def _record(self, task: str, trial: int) -> TrialRecord:
        node = self._request.node
        found = find_task(self._request.config, task)
        skip_without_judge(self._request.config, found)
        collected = replace(found, suite=node.path.stem)
        nodeid = f"{node.nodeid}::{item_name(found.label, trial)}"
        attempts: dict[str, TrialRecord] = node.stash.setdefault(ATTEMPTS, {})
        if nodeid in attempts:  # the whole test is run again
            return attempts[nodeid]
        planned = plan_trial(collected, nodeid, trial)
        runner = runner_of(self._request.config)
        record = attempts[nodeid] = runner.run_one(
            planned, self._agent, self._user, self._request.session
        )
        node.stash.setdefault(PENDING_RECORDS, []).append(record)
        runner.add_metrics(record)
        return record

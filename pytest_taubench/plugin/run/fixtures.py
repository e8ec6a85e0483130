"""The fixtures of agent, user and trials that a project can use or override."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.plugin.collect.node_ids import item_name, split_trial
from pytest_taubench.plugin.collect.planned import plan_trial
from pytest_taubench.plugin.collect.tasks import find_task
from pytest_taubench.plugin.run.agent_and_user import NO_AGENT, default_agent, default_user
from pytest_taubench.plugin.run.judge import skip_without_judge
from pytest_taubench.plugin.run.runner import runner_of
from pytest_taubench.plugin.stash import PENDING_RECORDS
from pytest_taubench.runs.view import RecordView

if TYPE_CHECKING:
    pass


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
            self._done[task, trial] = self._run(task, trial)
        return self._done[task, trial]

    def _run(self, task: str, trial: int) -> RecordView:
        node = self._request.node
        found = find_task(self._request.config, task)
        skip_without_judge(self._request.config, found)
        collected = replace(found, suite=node.path.stem)
        nodeid = f"{node.nodeid}::{item_name(found.label, trial)}"
        planned = plan_trial(collected, nodeid, trial)
        runner = runner_of(self._request.config)
        record = runner.run_one(planned, self._agent, self._user, self._request.session)
        node.stash.setdefault(PENDING_RECORDS, []).append(record)
        runner.add_metrics(record)
        return RecordView(record)


@contextmanager
def _without_traceback() -> Iterator[None]:
    """Let what the options get wrong show as one line, where no check before the run met it."""
    try:
        yield
    except pytest.UsageError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def tau_agent(pytestconfig: pytest.Config) -> Any:
    """The agent under test, as ``--tau-agent`` or the hook gives it.

    Override it to supply an agent in any of the accepted shapes; each trial makes its own from
    what the fixture returns. An overridden agent is never started ahead of its item, since the
    fixture may depend on the item.
    """
    with _without_traceback():
        agent = default_agent(pytestconfig)
    if agent is None:
        pytest.skip(NO_AGENT)
    return agent


@pytest.fixture(scope="session")
def tau_user(pytestconfig: pytest.Config) -> Any:
    """The user simulator, as ``--tau-user`` or the hook gives it; may be overridden likewise."""
    with _without_traceback():
        return default_user(pytestconfig)


@pytest.fixture
def tau_run(request: pytest.FixtureRequest, tau_agent: Any, tau_user: Any) -> TauRun:
    """Run a task inside a test, e.g. ``tau_run("tasks/returns.tau.yaml::task-id", trial=2)``."""
    return TauRun(request, tau_agent, tau_user)

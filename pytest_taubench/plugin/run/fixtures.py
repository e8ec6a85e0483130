"""The agent and the user of a run, and the fixtures that a project can use or override."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.errors import TauBenchError
from pytest_taubench.plugin.collect.arguments import item_name, split_trial
from pytest_taubench.plugin.collect.tasks import find_task
from pytest_taubench.plugin.options.values import origin_of
from pytest_taubench.plugin.run.models import skip_without_judge
from pytest_taubench.plugin.run.runner import plan_trial, runner_of
from pytest_taubench.plugin.stash import OPTIONS, PENDING_RECORDS
from pytest_taubench.runs.view import RecordView

if TYPE_CHECKING:
    from pytest_taubench.agents.loading import AgentSource
    from pytest_taubench.users.loading import UserSource

_AGENT: pytest.StashKey[AgentSource | None] = pytest.StashKey()
_USER: pytest.StashKey[UserSource] = pytest.StashKey()

NO_AGENT = (
    "no agent to test: pass --tau-agent=AGENT (e.g. --tau-agent=oracle), set tau_agent in the "
    "ini file, or define a tau_agent fixture"
)

ASK_NO_MODEL = frozenset({"oracle", "silent", "human", "scripted"})
"""The built-in agents and users that need none; all others do."""


def default_agent(config: pytest.Config) -> AgentSource | None:
    """Return the agent that the hook or the option gives, or None where neither does.

    Raises:
        pytest.UsageError: The option names no agent.
    """
    if _AGENT not in config.stash:
        config.stash[_AGENT] = _find_agent(config)
    return config.stash[_AGENT]


def default_user(config: pytest.Config) -> UserSource:
    """Return the user that the hook or the option gives.

    Raises:
        pytest.UsageError: The option names no user.
    """
    if _USER not in config.stash:
        config.stash[_USER] = _find_user(config)
    return config.stash[_USER]


def _find_agent(config: pytest.Config) -> AgentSource | None:
    spec: str = config.stash[OPTIONS]["agent"] or ""
    made = config.hook.pytest_taubench_make_agent(config=config, spec=spec)
    if made is None and not spec:
        return None
    from pytest_taubench.agents.loading import adapt_agent, load_agent

    try:
        return load_agent(spec, config.rootpath) if made is None else adapt_agent(made, spec)
    except TauBenchError as error:
        raise pytest.UsageError(f"{origin_of(config, 'agent')}: {error}") from error


def _find_user(config: pytest.Config) -> UserSource:
    from pytest_taubench.users.loading import adapt_user, load_user

    spec: str = config.stash[OPTIONS]["user"]
    made = config.hook.pytest_taubench_make_user(config=config, spec=spec)
    try:
        return load_user(spec, config.rootpath) if made is None else adapt_user(made, spec)
    except TauBenchError as error:
        raise pytest.UsageError(f"{origin_of(config, 'user')}: {error}") from error


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

"""The fixtures of agent, user and trials that a project can use or override."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.plugin.run.agent_and_user import (
    NO_AGENT,
    agent_of,
    default_agent,
    default_user,
)

if TYPE_CHECKING:
    from pytest_taubench.plugin.run.tau_run import TauRun


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
    what the fixture returns. What is typed as ``--tau-agent`` goes before it. An overridden agent is never started ahead of its item, since the
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
    from pytest_taubench.plugin.run.tau_run import TauRun

    return TauRun(request, agent_of(request.node, tau_agent), tau_user)

"""The hooks a project or another plugin can implement.

Put implementations in the root ``conftest.py`` or in a plugin: they are asked before the first
task file is read.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_taubench.environment.domain import Domain
    from pytest_taubench.schema import TrialRecord


@pytest.hookspec(firstresult=True)
def pytest_taubench_make_agent(config: pytest.Config, spec: str) -> object | None:
    """Make the agent that ``--tau-agent`` names.

    Args:
        config: The pytest config.
        spec: The option's value, or an empty string where it was not given.

    Returns:
        An agent in any of the accepted shapes, or None to leave it to others and to the
        built-in names.
    """


@pytest.hookspec(firstresult=True)
def pytest_taubench_make_user(config: pytest.Config, spec: str) -> object | None:
    """Make the user that ``--tau-user`` names.

    Args:
        config: The pytest config.
        spec: The option's value, ``scripted`` where it was not given.

    Returns:
        A factory of one argument, the UserContext, or None to leave it to others and to the
        built-in names.
    """


@pytest.hookspec(firstresult=True)
def pytest_taubench_load_domain(config: pytest.Config, name: str, base: Path) -> Domain | None:
    """Load the domain that a task file names.

    Args:
        config: The pytest config.
        name: What the file says under ``domain``.
        base: The folder of the file.

    Returns:
        The domain, or None to leave it to others and to the bundled and path lookup.
    """


@pytest.hookspec
def pytest_taubench_trial_finished(config: pytest.Config, record: TrialRecord) -> None:
    """Take note of a finished trial, scored or unscored.

    Called once a trial in the process that writes the run (the controller under xdist), after
    the record was stored. The record must not be changed.
    """


@pytest.hookspec
def pytest_taubench_metrics(record: TrialRecord) -> dict[str, float] | None:
    """Compute further figures of a trial; they are kept in the record's ``metrics``.

    Called in the process that ran the trial. A name given twice is an error.
    """


@pytest.hookspec
def pytest_taubench_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print lines about the run, behind everything that pytest and other plugins print.

    Args:
        terminalreporter: pytest's own, as in ``pytest_terminal_summary``.
        config: The pytest config.
    """

"""Refuses a run of the few-shot agent in which some task would have no example."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import pytest

from pytest_taubench.plugin.collect.tasks import CollectedTask
from pytest_taubench.plugin.options.values import OPTIONS, origin_of
from pytest_taubench.plugin.run.agent_and_user import default_agent

if TYPE_CHECKING:
    from pytest_taubench.plugin.options.examples import ExampleFile

_FEW_SHOT = "few-shot"


_SHOWN = 5


def check_examples(config: pytest.Config, collected: Callable[[], Iterable[object]]) -> None:
    """Refuse a run of the few-shot agent in which a task would have no example.

    Raises:
        pytest.UsageError: Names the file and the tasks.
    """
    from pytest_taubench.agents.few_shot import NO_EXAMPLES

    agent = default_agent(config)
    if agent is None or agent.name != _FEW_SHOT or agent.target is not None:
        return
    file: ExampleFile | None = config.stash[OPTIONS]["examples"]
    if file is None:
        raise pytest.UsageError(f"{origin_of(config, 'agent')}: {NO_EXAMPLES}")
    tasks = (each for each in collected() if isinstance(each, CollectedTask))
    bare = [
        f"{each.suite}/{each.label}"
        for each in tasks
        if not file.of_others(each.task, each.load_domain)
    ]
    if bare := list(dict.fromkeys(bare)):
        more = f" and {len(bare) - _SHOWN} more" if len(bare) > _SHOWN else ""
        raise pytest.UsageError(
            f"{origin_of(config, 'examples')}: {file.path} has no example for "
            f"{', '.join(bare[:_SHOWN])}{more}: none is shown that is of a task's own user, "
            "so add one of another user, or deselect these tasks"
        )

"""What the plugin keeps on ``config.stash`` and on items, by typed keys."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_taubench.schema import TrialRecord


DATA: pytest.StashKey[dict[Path, tuple[str, ...]]] = pytest.StashKey()
"""What ``--tau-data`` names, and which of its items were asked for by id; none means all."""

# Not by its type: what runs trials imports much, and this is asked in every run of pytest.
RUNNER: pytest.StashKey[Any] = pytest.StashKey()
"""The ``TrialRunner`` of the process; made when the first trial runs."""

COLLECTED: pytest.StashKey[bool] = pytest.StashKey()
"""Set when a task file or data folder was met."""

LEFT_OUT: pytest.StashKey[list[str]] = pytest.StashKey()
"""Gates of the ini file that do not count, as there is no baseline to decide them by."""

UNKNOWN_TASKS: pytest.StashKey[list[str]] = pytest.StashKey()
"""What to say of node ids that name no task."""

NEXT_ITEM: pytest.StashKey[pytest.Item | None] = pytest.StashKey()
"""The item after the one that runs, as pytest told."""

BAD_FILES: pytest.StashKey[set[str]] = pytest.StashKey()
"""Node ids of task files that could not be read."""

ATTEMPTS: pytest.StashKey[dict[str, TrialRecord]] = pytest.StashKey()
"""Of an item: the records of the trials it ran, by the ids that name them in the run. A trial is one
attempt: whatever runs the item again, a plugin that repeats failed tests say, gets the first."""

AGAIN: pytest.StashKey[bool] = pytest.StashKey()
"""Of an item: set where something ran it again."""

PENDING_RECORDS: pytest.StashKey[list[TrialRecord]] = pytest.StashKey()
"""Of an item: records that its next report has to carry."""


def is_worker(config: pytest.Config) -> bool:
    """Return whether this is an xdist worker, which reports to a controller."""
    return hasattr(config, "workerinput")


def worker_id(config: pytest.Config) -> str | None:
    """Return the xdist worker's id, or None in the controller and without xdist."""
    workerinput: dict[str, str] | None = getattr(config, "workerinput", None)
    return None if workerinput is None else workerinput.get("workerid")

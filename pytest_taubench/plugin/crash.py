"""The record of a trial whose worker died."""

from __future__ import annotations

import time
from typing import Any

import pytest

from pytest_taubench.errors import TauBenchError
from pytest_taubench.plugin.arguments import split_trial
from pytest_taubench.plugin.settings import run_settings
from pytest_taubench.plugin.stash import OPTIONS
from pytest_taubench.schema import Ending, ErrorInfo, TrialRecord


def crash_record(config: pytest.Config, nodeid: str, message: str, node: Any) -> TrialRecord | None:
    """Return an unscored record for the item that ran when a worker died, or None if no τ item.

    The controller collects nothing itself, so the task is looked up by the node id.
    """
    task_path, trial = split_trial(nodeid)
    if trial is None:
        return None
    from pytest_taubench.plugin.running import plan_trial
    from pytest_taubench.plugin.tasks import find_task

    try:
        collected = find_task(config, task_path)
    except TauBenchError:
        return None
    error = ErrorInfo(type="WorkerCrash", message=message)
    planned = plan_trial(collected, nodeid, trial)
    record = planned.unscored(run_settings(config.stash[OPTIONS]), Ending.WORKER_CRASH, error)
    record.worker = node.gateway.id
    record.started = time.time()
    return record

"""Runs written by hand, and the commands on them called as a user calls them."""

import os
import subprocess
import sys

from record_factory import record

from pytest_taubench.runs.store import RunStore
from pytest_taubench.schema import RunInfo, RunSettings


def write_run(folder, rewards, *, settings=None, planned=None, domains=(), shard=None, **more):
    """Store a run given as {task: [reward, ...]} or {task: {trial: reward}}; return its folder."""
    info = RunInfo(
        run_id=folder.name,
        started="2026-01-01T00:00:00Z",
        settings=settings or RunSettings(agent="mine", trials=4),
        planned=planned or {},
        domains=list(domains),
        shard=shard,
    )
    store = RunStore.create(folder, info)
    for task, trials in rewards.items():
        for number, reward in trials.items() if isinstance(trials, dict) else enumerate(trials, 1):
            store.append(record(task, number, reward, **more))
    store.close()
    return folder


def command(*arguments, **environ):
    """Run ``python -m pytest_taubench`` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "pytest_taubench", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environ},
    )

"""``--tau-shard=2/8``: run one part of the items, so that CI jobs share a run.

Trials are handed out one by one, so that the trials of a task may run in several jobs: parts are
then as even as can be, and ``merge`` joins them by task and trial.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

import pytest

from pytest_taubench.plugin.collect.node_ids import task_of_id
from pytest_taubench.plugin.options.values import OPTIONS, run_dir
from pytest_taubench.plugin.stash import is_worker

if TYPE_CHECKING:
    from pytest_taubench.runs.stored_run import StoredRun
    from pytest_taubench.schema import TrialRecord

_OF_A_TRIAL = 0.01
"""What an ordinary test is reckoned to take, against the mean trial."""

CUT: pytest.StashKey[Mapping[str, bool]] = pytest.StashKey()
WORKEROUTPUT = "tau_cut"


def keep_shard(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the items of other shards."""
    shard = config.stash[OPTIONS]["shard"]
    if shard is None or not items:
        return
    tasks = [task_of_id(config, item.nodeid) for item in items]
    shares = spread(weights(tasks, _recorded_durations(config)), shard.of)
    others = [item for item, part in zip(items, shares, strict=True) if part != shard.number]
    _note_cut(config, trials=any(map(_is_of_trials, items, tasks)), empty=len(others) == len(items))
    items[:] = [item for item, part in zip(items, shares, strict=True) if part == shard.number]
    config.hook.pytest_deselected(items=others)


def _is_of_trials(item: pytest.Item, task: str | None) -> bool:
    return task is not None or "tau_agent" in getattr(item, "fixturenames", ())


def _note_cut(config: pytest.Config, **cut: bool) -> None:
    """Keep what only those who collect know: whether any part has trials, and this one is empty."""
    config.stash[CUT] = cut
    if is_worker(config):
        config.workeroutput[WORKEROUTPUT] = cut  # type: ignore[attr-defined]


def weights(tasks: Sequence[str | None], durations: Mapping[str, float]) -> list[float]:
    """Return how long each item is reckoned to take.

    Args:
        tasks: The task of each item; None for an ordinary test.
        durations: Mean seconds of a trial, by task; a task that is not known takes their mean.
    """
    mean = fmean(durations.values()) if durations else 1.0
    return [_OF_A_TRIAL * mean if task is None else durations.get(task, mean) for task in tasks]


def spread(weights: Sequence[float], parts: int) -> list[int]:
    """Return the part of each item, from 1: the longest first, each to the part with the least."""
    loads = [(0.0, part) for part in range(1, parts + 1)]
    shares = [0] * len(weights)
    for index in sorted(range(len(weights)), key=lambda index: (-weights[index], index)):
        place = loads.index(min(loads))
        load, part = loads[place]
        shares[index] = part
        loads[place] = (load + weights[index], part)
    return shares


def mean_durations(records: Sequence[TrialRecord]) -> dict[str, float]:
    """Return the mean seconds of a trial, by task."""
    from pytest_taubench.metrics import task_key

    by_task: dict[str, list[float]] = {}
    for record in records:
        if record.duration > 0:
            by_task.setdefault(task_key(record), []).append(record.duration)
    return {task: fmean(seconds) for task, seconds in by_task.items()}


def durations_name(run: StoredRun) -> str:
    """Return what tells the durations of a run from any others.

    Its name alone does not: a workflow may join each of its runs under the same one.
    """
    durations = json.dumps(mean_durations(run.records), sort_keys=True)
    return f"{run.info.run_id}#{hashlib.sha256(durations.encode()).hexdigest()[:8]}"


def durations_run(config: pytest.Config) -> StoredRun | None:
    """Return the named run or the latest whole one.

    A run that is itself a shard is passed over: shards that run one after the other on one
    machine would each be cut by the one before, and lose items between them.
    """
    from pytest_taubench.plugin.options.stored import named_run
    from pytest_taubench.runs.store import RUN_FILE, StoreError, read_info
    from pytest_taubench.runs.stored_run import load_run, run_folders

    values = config.stash[OPTIONS]
    if values["durations"]:
        return named_run(config, "--tau-durations", values["durations"])
    for folder in run_folders(run_dir(config, values)):
        try:
            if read_info(folder / RUN_FILE).shard is None:
                return load_run(folder)
        except StoreError:
            continue  # durations are wanted, and another run has them as well
    return None


def _recorded_durations(config: pytest.Config) -> dict[str, float]:
    from pytest_taubench.plugin.options.stored import shared_folder
    from pytest_taubench.runs.stored_run import load_run

    folder = shared_folder(config, "durations")
    return {} if folder is None else mean_durations(load_run(folder).records)

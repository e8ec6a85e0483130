"""``--tau-shard=2/8``: run one part of the items, so that CI jobs share a run.

Trials are handed out one by one, so that the trials of a task may run in several jobs: parts are
then as even as can be, and ``merge`` joins them by task and trial.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.plugin.collect.planning import task_of_id
from pytest_taubench.plugin.options.values import run_dir
from pytest_taubench.plugin.stash import OPTIONS, is_worker

if TYPE_CHECKING:
    from pytest_taubench.plugin.finish.recorder import RunRecorder
    from pytest_taubench.runs.stored_run import StoredRun
    from pytest_taubench.schema import TrialRecord

_OF_A_TRIAL = 0.01
"""What an ordinary test is reckoned to take, against the mean trial."""

_CUT: pytest.StashKey[Mapping[str, bool]] = pytest.StashKey()
_WORKEROUTPUT = "tau_cut"
_TO_BE_JOINED = (
    pytest.ExitCode.OK,
    pytest.ExitCode.TESTS_FAILED,
    pytest.ExitCode.NO_TESTS_COLLECTED,
)


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
    config.stash[_CUT] = cut
    if is_worker(config):
        config.workeroutput[_WORKEROUTPUT] = cut  # type: ignore[attr-defined]


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


def prepare_shard(config: pytest.Config, recorder: RunRecorder) -> None:
    """Choose the durations that balance the shards, and keep in ``run.json`` which these are.

    Raises:
        pytest.UsageError: ``--tau-durations`` names no run.
    """
    from pytest_taubench.plugin.finish.stored import share_folder

    stored = _durations_run(config)
    if stored is not None:
        share_folder(config, "durations", stored.folder)
    balanced_by = durations_name(stored) if stored else None
    shard = config.stash[OPTIONS]["shard"]
    recorder.set_fields(shard=shard.model_copy(update={"balanced_by": balanced_by}))


def durations_name(run: StoredRun) -> str:
    """Return what tells the durations of a run from any others.

    Its name alone does not: a workflow may join each of its runs under the same one.
    """
    durations = json.dumps(mean_durations(run.records), sort_keys=True)
    return f"{run.info.run_id}#{hashlib.sha256(durations.encode()).hexdigest()[:8]}"


def _durations_run(config: pytest.Config) -> StoredRun | None:
    """Return the named run or the latest whole one.

    A run that is itself a shard is passed over: shards that run one after the other on one
    machine would each be cut by the one before, and lose items between them.
    """
    from pytest_taubench.plugin.finish.stored import named_run
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
    from pytest_taubench.plugin.finish.stored import shared_folder
    from pytest_taubench.runs.stored_run import load_run

    folder = shared_folder(config, "durations")
    return {} if folder is None else mean_durations(load_run(folder).records)


class ShardKeeper:
    """Keeps a part that has no trials as well, and says which part of the items this run is."""

    def __init__(self, config: pytest.Config, recorder: RunRecorder) -> None:
        self._config = config
        self._recorder = recorder

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take what a worker found; all collect the same."""
        cut = getattr(node, "workeroutput", {}).get(_WORKEROUTPUT)  # none of one that crashed
        if cut is not None:
            self._config.stash[_CUT] = cut

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Store a run without records where no trial ran; that none fell to it is no failure."""
        cut = self._config.stash.get(_CUT, None)
        if cut is None or self._config.getoption("collectonly", False):
            return
        if cut["trials"] and session.exitstatus in _TO_BE_JOINED and self._lacks_run():
            self._recorder.store_empty()
        if cut["empty"] and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK

    def _lacks_run(self) -> bool:
        recorder = self._recorder
        return recorder.store is None and not (recorder.problems or recorder.skipped_for_no_agent)

    @pytest.hookimpl(trylast=True)
    def pytest_taubench_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the shard."""
        shard, store = self._recorder.fields["shard"], self._recorder.store
        by = f"the durations of {shard.balanced_by}" if shard.balanced_by else "number of items"
        terminalreporter.line(f"shard {shard.number} of {shard.of}, balanced by {by}")
        if store is not None and not self._recorder.records:
            terminalreporter.line(f"no trial of this part ran; its run in {store.folder} is empty")

"""Reads node ids: the task, its trial, and whether a task file stands behind them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_taubench.bundled import is_installed, suites_root
from pytest_taubench.plugin.stash import DATA

TASK_FILE_SUFFIXES = (".tau.yaml", ".tau.yml", ".tau.json", ".tau.jsonl")

# xdist adds the name of a group to the ids that it hands out by group.
_TRIAL = re.compile(r"\[trial-([1-9][0-9]*)\](?:@[^\]]*)?$")
_NO_TRIAL = re.compile(r"\[trial-0*\]$")


def item_name(label: str, trial: int) -> str:
    """Return the last part of an item's node id."""
    return f"{label}[trial-{trial}]"


def split_trial(nodeid: str) -> tuple[str, int | None]:
    """Return a node id without its trial, and the trial where it names one."""
    match = _TRIAL.search(nodeid)
    return (nodeid, None) if match is None else (nodeid[: match.start()], int(match[1]))


def names_trial_zero(nodeid: str) -> bool:
    """Return whether an id names a trial before the first."""
    return _NO_TRIAL.search(nodeid) is not None


def stable_nodeid(path: Path, rootpath: Path) -> str:
    """Return a node id for a file that is the same however the file was named.

    pytest makes ids of files outside the root directory relative to the argument they were
    found by, so that two of them can share one id. Of an installed suite the id is the same
    wherever the environment lies, in the project or outside, and whatever its Python is.
    """
    suites = suites_root()
    roots = (suites, rootpath) if is_installed(suites) else (rootpath, suites)
    for root in roots:
        if path.is_relative_to(root):
            return path.relative_to(root).as_posix()
    return path.as_posix()


def path_of(nodeid_path: str, config: pytest.Config) -> Path | None:
    """Return the path that ``stable_nodeid`` made an id of, or None where there is none."""
    candidates = (root / nodeid_path for root in (config.rootpath, suites_root()))
    return next((path for path in candidates if nodeid_path and path.exists()), None)


def task_of_id(config: pytest.Config, nodeid: str) -> str | None:
    """Return the task of an item's node id, or None where the item is no trial of a task file.

    Under xdist the controller knows items by their ids alone.
    """
    task, trial = split_trial(nodeid)
    return None if trial is None or not is_task_file(config, nodeid.partition("::")[0]) else task


def is_task_file(config: pytest.Config, name: str) -> bool:
    """Return whether the first part of a node id names a task file or data folder."""
    return name.endswith(TASK_FILE_SUFFIXES) or path_of(name, config) in config.stash[DATA]

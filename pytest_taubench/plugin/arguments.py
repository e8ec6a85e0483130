"""Which paths pytest collects under ``--tau-suite`` and ``--tau-data``, and how ids are read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_taubench.bundled import suites_root
from pytest_taubench.plugin.options import OptionValues

_TRIAL = re.compile(r"\[trial-([1-9][0-9]*)\]$")


def item_name(task_id: str, trial: int) -> str:
    """Return the last part of an item's node id."""
    return f"{task_id}[trial-{trial}]"


def split_trial(nodeid: str) -> tuple[str, int | None]:
    """Return a node id without its trial, and the trial where it names one."""
    match = _TRIAL.search(nodeid)
    return (nodeid, None) if match is None else (nodeid[: match.start()], int(match[1]))


def set_collection_arguments(config: pytest.Config, values: OptionValues) -> frozenset[Path]:
    """Make pytest collect the suites and data folders asked for, whatever the cwd holds.

    Paths typed beside the options are collected too; a node id of a bundled suite is found in
    the suite although no such file lies under the current directory.

    Returns:
        The data folders.
    """
    invocation = config.invocation_params.dir
    typed = config.args if config.args_source is config.ArgsSource.ARGS else []
    found = [_in_suites(arg, invocation) for arg in typed]
    suites = [] if any(found) else [suites_root() / name for name in values["suite"]]
    data = [_existing_folder(name, invocation) for name in values["data"]]
    if suites or data or any(found):
        kept = [inside or arg for inside, arg in zip(found, typed, strict=True)]
        config.args = [*kept, *map(str, suites), *map(str, data)]
    return frozenset(data)


def _in_suites(arg: str, invocation: Path) -> str | None:
    path, colons, names = arg.partition("::")
    inside = suites_root() / path
    if not colons or (invocation / path).exists() or not inside.is_file():
        return None
    return f"{inside}::{names}"


def _existing_folder(name: str, invocation: Path) -> Path:
    folder = (invocation / name).absolute()
    if not folder.is_dir():
        raise pytest.UsageError(f"--tau-data: {name!r} is not valid; expected an existing folder")
    return folder


def stable_nodeid(path: Path, rootpath: Path) -> str:
    """Return a node id for a file that is the same however the file was named.

    pytest makes ids of files outside the root directory relative to the argument they were
    found by, so that two of them can share one id.
    """
    for root in (rootpath, suites_root()):
        if path.is_relative_to(root):
            return path.relative_to(root).as_posix()
    return path.as_posix()


def asked_trials(config: pytest.Config, path: Path) -> dict[str, set[int]]:
    """Return the trials of this file that were asked for by node id, by task id.

    ``file::task[trial-3]`` names one trial whatever ``--tau-trials`` says.
    """
    asked: dict[str, set[int]] = {}
    for arg in config.args:
        file, colons, name = str(arg).partition("::")
        task, trial = split_trial(name)
        if colons and trial and (config.invocation_params.dir / file).resolve() == path.resolve():
            asked.setdefault(task, set()).add(trial)
    return asked

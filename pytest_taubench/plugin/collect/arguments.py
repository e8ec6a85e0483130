"""Which paths pytest collects under ``--tau-suite`` and ``--tau-data``, and how ids are read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from pytest_taubench.bundled import suites_root
from pytest_taubench.plugin.collect.node_ids import names_trial_zero, split_trial
from pytest_taubench.plugin.options.values import OptionValues, origin_of
from pytest_taubench.plugin.stash import DATA, UNKNOWN_TASKS
from pytest_taubench.text.names import did_you_mean, meant

_PROBLEM = re.compile(r"problem-[0-9]+")  # what stands for data that cannot be read


def set_collection_arguments(config: pytest.Config, values: OptionValues) -> None:
    """Make pytest collect the suites and data folders asked for, whatever the cwd holds.

    Paths typed beside the options are collected too. A node id of a bundled suite is found in
    the suite although no such file lies under the current directory; a node id of a data
    folder, which pytest would refuse, selects within the folder.
    """
    invocation = config.invocation_params.dir
    data: dict[Path, list[str]] = {_existing(config, name): [] for name in values["data"]}
    suites = [] if data else [_bundled_suite(config, name) for name in values["suite"]]
    typed = config.args if config.args_source is config.ArgsSource.ARGS else []
    kept = []
    within = {folder.resolve(): names for folder, names in data.items()}
    for arg in typed:
        path, _, name = arg.partition("::")
        if name and (invocation / path).resolve() in within:
            within[(invocation / path).resolve()].append(name)
        elif name and not (invocation / path).exists() and (suites_root() / path).is_file():
            kept.append(f"{suites_root() / path}::{name}")
            suites = []  # one task of a suite is wanted, not all of it
        else:
            kept.append(arg)
    config.stash[DATA] = {folder: tuple(names) for folder, names in data.items()}
    if data or suites or kept != list(typed):
        config.args = [*kept, *map(str, suites), *map(str, data)]


def _bundled_suite(config: pytest.Config, name: str) -> Path:
    root = suites_root()
    names = sorted(path.name for path in root.iterdir() if path.is_dir()) if root.is_dir() else []
    if name in names:
        return root / name
    hint = meant(name, names)
    raise pytest.UsageError(
        f"{origin_of(config, 'suite')}: {name!r} is not valid; "
        f"expected one of {', '.join(names)}{hint}"
    )


def _existing(config: pytest.Config, name: str) -> Path:
    typed = config.invocation_params.dir / name
    if typed.exists():
        # As pytest names what it collects: without "..", and symbolic links kept.
        path = Path(os.path.abspath(typed))
        return path if path.exists() and path.samefile(typed) else typed.resolve()
    raise pytest.UsageError(
        f"{origin_of(config, 'data')}: {name!r} is not valid; expected an existing folder"
    )


def asked_names(config: pytest.Config, path: Path) -> Sequence[str]:
    """Return what was asked for by node id within a file or data folder, e.g. ``a[trial-3]``."""
    if path in config.stash[DATA]:
        return config.stash[DATA][path]
    names = []
    for arg in config.args:
        file, _, name = str(arg).partition("::")
        if name and (config.invocation_params.dir / file).resolve() == path.resolve():
            names.append(name)
    return names


def asked_trials(names: Sequence[str]) -> dict[str, set[int]]:
    """Return the trials that names ask for, by label.

    ``file::task[trial-3]`` names one trial whatever ``--tau-trials`` says.
    """
    asked: dict[str, set[int]] = {}
    for name in names:
        label, trial = split_trial(name)
        if trial is not None:
            asked.setdefault(label, set()).add(trial)
    return asked


def unknown_tasks(names: Sequence[str], labels: Sequence[str], where: str) -> Iterator[str]:
    """Yield what to say of each asked name that names none of the labels."""
    for label in dict.fromkeys(split_trial(name)[0] for name in names):
        if label in labels or _PROBLEM.fullmatch(label):
            continue
        hint = did_you_mean(label, labels, f"it has {', '.join(labels[:10])}")
        if names_trial_zero(label):
            hint += " (trials are numbered from 1)"
        yield f"{where} has no task {label!r}; {hint}"


@contextmanager
def unknown_tasks_named(config: pytest.Config) -> Iterator[None]:
    """Add the nearest ids to pytest's refusal of one that it did not find.

    Raises:
        pytest.UsageError: A node id names no task.
    """
    try:
        yield
    except pytest.UsageError as error:
        raise pytest.UsageError(*error.args, *config.stash.get(UNKNOWN_TASKS, [])) from None
    if said := config.stash.get(UNKNOWN_TASKS, []):  # within a folder, of which pytest knows less
        raise pytest.UsageError(*said)

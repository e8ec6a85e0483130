"""Reads the tasks that items are made of, with the domains they name."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.errors import TauBenchError
from pytest_taubench.plugin.arguments import path_of
from pytest_taubench.plugin.stash import DATA, LIBRARY, OPTIONS

if TYPE_CHECKING:
    from pytest_taubench.domain import Domain, DomainLibrary
    from pytest_taubench.schema import Task


class UnknownTaskError(TauBenchError):
    """No task stands where an id says one does."""


@dataclass(frozen=True)
class CollectedTask:
    """A task as it was collected.

    Attributes:
        task: The annotation.
        label: What names it in its file or folder; its id, but where several suites share one.
        suite: The suite its figures are grouped under.
        load_domain: Gives its domain, from the process's library.
        notes: What a reader of its records must know.
    """

    task: Task
    label: str
    suite: str
    load_domain: Callable[[], Domain]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class TaskSource:
    """What a task file or data folder gave.

    Attributes:
        tasks: Its tasks.
        problems: What could not be read although the rest could.
    """

    tasks: list[CollectedTask] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def load_domain(config: pytest.Config, name: str, base: Path) -> Domain:
    """Return a domain: from the hook, the bundled ones, or a path relative to ``base``.

    Raises:
        DomainError: There is none, or it is wrong.
    """
    made: Domain | None = config.hook.pytest_taubench_load_domain(
        config=config, name=name, base=base
    )
    return _library(config).get(name, base) if made is None else made


def _library(config: pytest.Config) -> DomainLibrary:
    if LIBRARY not in config.stash:
        from pytest_taubench.domain import DomainLibrary

        config.stash[LIBRARY] = DomainLibrary()
    return config.stash[LIBRARY]


def read_source(config: pytest.Config, path: Path) -> TaskSource:
    """Return the tasks of a task file, or of what ``--tau-data`` names.

    Raises:
        TauBenchError: It cannot be read.
    """
    read = _read_data if path in config.stash[DATA] else _read_task_file
    return read(config, path)


def _read_task_file(config: pytest.Config, path: Path) -> TaskSource:
    from pytest_taubench.task_file import read_task_file

    def tools_of(name: str, base: Path) -> Mapping[str, Any]:
        return load_domain(config, name, base).tools

    found = read_task_file(path, tools_of, root=config.rootpath)
    notes = tuple(found.notes)
    tasks = [
        CollectedTask(task, task.id, found.suite, _loader(config, task, path.parent), notes)
        for task in found.tasks
    ]
    return TaskSource(tasks, _samples_left_out(path, len(found.samples)))


def _samples_left_out(path: Path, count: int) -> list[str]:
    """Say that samples are not run; to leave them out in silence would look like a pass."""
    return [f"{path}: {count} TaskBench samples, which no item can run yet"] if count else []


def _loader(config: pytest.Config, task: Task, base: Path) -> Callable[[], Domain]:
    return lambda: load_domain(config, task.domain, base)


def _read_data(config: pytest.Config, path: Path) -> TaskSource:
    from pytest_taubench.interop import read_data

    source = TaskSource()
    suites = read_data(path, _library(config).get, config.stash[OPTIONS]["suite"])
    for suite in suites:
        source.problems.extend(suite.problems)
        source.problems.extend(_samples_left_out(path, len(suite.samples)))
        if suite.domain is None:
            continue
        for task in suite.tasks:
            label = task.id if len(suites) == 1 else f"{suite.name}/{task.id}"
            source.tasks.append(
                CollectedTask(task, label, suite.name, _given(suite.domain), tuple(suite.notes))
            )
    return source


def _given(domain: Domain) -> Callable[[], Domain]:
    return lambda: domain


def find_task(config: pytest.Config, task: str) -> CollectedTask:
    """Return the task that ``file::label`` names.

    Raises:
        UnknownTaskError: There is no such file or task; names the nearest.
        TauBenchError: The file cannot be read.
    """
    file, _, label = task.partition("::")
    path = path_of(file, config)
    if path is None:
        raise UnknownTaskError(f"there is no task file {file!r} under {config.rootpath}")
    tasks = {each.label: each for each in read_source(config, path).tasks}
    if label in tasks:
        return tasks[label]
    near = difflib.get_close_matches(label, tasks, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(list(tasks)[:10])}"
    raise UnknownTaskError(f"{file} has no task {label!r}; {hint}")

"""Reads the tasks that items are made of, with the domains they name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.errors import TauBenchError
from pytest_taubench.plugin.collect.node_ids import path_of
from pytest_taubench.plugin.collect.samples import CollectedSample, graph_library
from pytest_taubench.plugin.options.values import OPTIONS
from pytest_taubench.plugin.stash import DATA
from pytest_taubench.text.names import did_you_mean

if TYPE_CHECKING:
    from pytest_taubench.environment.domain import Domain, DomainLibrary
    from pytest_taubench.schema import Task
    from pytest_taubench.task_files.upstream import DataSuite
    from pytest_taubench.taskbench.graph import ToolGraph


LIBRARY: pytest.StashKey[DomainLibrary] = pytest.StashKey()
"""The domains this process has loaded."""


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

    @property
    def domain(self) -> str:
        """The name or path of the domain, as the annotation has it."""
        return self.task.domain

    @property
    def marks(self) -> Sequence[str]:
        """The marks of its items."""
        return self.task.marks

    def annotation_hash(self) -> str:
        """Return the hash that its records carry."""
        from pytest_taubench.trial.tau_trial import task_hash

        return task_hash(self.task)


Collected = CollectedTask | CollectedSample
"""An annotation of either benchmark, as it was collected."""


def domain_of(collected: Collected) -> str:
    """Return the domain's name as the task's records will have it; a task may give a path."""
    try:
        if isinstance(collected, CollectedSample):
            return collected.load_graph().name
        return collected.load_domain().name
    except Exception:  # of a domain's own code; its trials will say so
        return Path(collected.domain).name or collected.domain


@dataclass(frozen=True)
class TaskSource:
    """What a task file or data folder gave.

    Attributes:
        tasks: Its tasks and samples.
        problems: What could not be read although the rest could.
    """

    tasks: list[Collected] = field(default_factory=list)
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
        from pytest_taubench.environment.domain import DomainLibrary

        config.stash[LIBRARY] = DomainLibrary()
    return config.stash[LIBRARY]


def read_source(config: pytest.Config, path: Path) -> TaskSource:
    """Return the tasks of a task file, or of what ``--tau-data`` names.

    Raises:
        TauBenchError: It cannot be read.
    """
    from pytest_taubench.task_files import is_task_file

    data = path in config.stash[DATA] or not is_task_file(path)
    return _read_data(config, path) if data else _read_task_file(config, path)


def _read_task_file(config: pytest.Config, path: Path) -> TaskSource:
    from pytest_taubench.task_files import read_task_file

    def tools_of(name: str, base: Path) -> Mapping[str, Any]:
        return load_domain(config, name, base).tools

    def graph_tools_of(name: str, base: Path) -> Collection[str]:
        return graph_library(config).get(name, base).tools

    def keys_of(name: str, base: Path) -> Collection[str] | None:
        return load_domain(config, name, base).user_keys()

    found = read_task_file(path, tools_of, graph_tools_of, config.rootpath, keys_of)
    notes = tuple(found.notes)
    tasks: list[Collected] = [
        CollectedTask(task, task.id, found.suite, _loader(config, task, path.parent), notes)
        for task in found.tasks
    ]
    # What is odd in a sample is noted when it is graded: a file may have thousands of such notes.
    load_graph = _GraphLoaders(config, path.parent)
    tasks += [
        CollectedSample(sample, sample.id, found.suite, load_graph(sample.domain))
        for sample in found.samples
    ]
    return TaskSource(tasks)


class _GraphLoaders:
    """Gives what loads a tool graph, the same for all samples that name it."""

    def __init__(self, config: pytest.Config, base: Path) -> None:
        self._config = config
        self._base = base
        self._known: dict[str, Callable[[], ToolGraph]] = {}

    def __call__(self, name: str) -> Callable[[], ToolGraph]:
        """Return the loader of the graph of this name or path."""
        if name not in self._known:
            library = graph_library(self._config)
            self._known[name] = lambda: library.get(name, self._base)
        return self._known[name]


def _loader(config: pytest.Config, task: Task, base: Path) -> Callable[[], Domain]:
    return lambda: load_domain(config, task.domain, base)


def _read_data(config: pytest.Config, path: Path) -> TaskSource:
    from pytest_taubench.task_files.upstream import read_data

    source = TaskSource()
    suites = read_data(path, _library(config).get, config.stash[OPTIONS]["suite"])
    for suite in suites:
        source.problems.extend(suite.problems)
        prefix = "" if len(suites) == 1 else f"{suite.name}/"
        source.tasks.extend(_collected(config, suite, prefix))
    return source


def _collected(config: pytest.Config, suite: DataSuite, prefix: str) -> Iterator[Collected]:
    name, notes = suite.name, tuple(suite.notes)
    if suite.domain is not None:
        load = _given(suite.domain)
        for task in suite.tasks:
            yield CollectedTask(task, prefix + task.id, name, load, notes)
    load_graph = _GraphLoaders(config, suite.folder)
    for sample in suite.samples:
        load_one = load_graph(sample.domain)
        yield CollectedSample(sample, prefix + sample.id, name, load_one, notes)


def _given(domain: Domain) -> Callable[[], Domain]:
    return lambda: domain


def tasks_by_id(config: pytest.Config, tasks: Iterable[str]) -> dict[str, Collected]:
    """Read the tasks of node ids anew, each file once: under xdist only workers collect.

    What cannot be read is left out: the workers say so.

    Args:
        config: The pytest config.
        tasks: The node ids without their trials.
    """
    labels: dict[str, set[str]] = {}
    for task in tasks:
        file, _, label = task.partition("::")
        labels.setdefault(file, set()).add(label)
    read: dict[str, Collected] = {}
    for file, wanted in labels.items():
        path = path_of(file, config)
        try:
            found = [] if path is None else read_source(config, path).tasks
        except TauBenchError:
            continue
        read |= {f"{file}::{each.label}": each for each in found if each.label in wanted}
    return read


def find_task(config: pytest.Config, task: str) -> Collected:
    """Return the task or sample that ``file::label`` names.

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
    hint = did_you_mean(label, tasks, f"it has {', '.join(list(tasks)[:10])}")
    raise UnknownTaskError(f"{file} has no task {label!r}; {hint}")

"""Reads the tasks that items are made of, with the domains they name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.plugin.stash import LIBRARY

if TYPE_CHECKING:
    from pytest_taubench.domain import Domain
    from pytest_taubench.schema import Task


@dataclass(frozen=True)
class CollectedTask:
    """A task as it was collected.

    Attributes:
        task: The annotation.
        suite: The suite its figures are grouped under.
        load_domain: Gives its domain, from the process's library.
    """

    task: Task
    suite: str
    load_domain: Callable[[], Domain]


def load_domain(config: pytest.Config, name: str, base: Path) -> Domain:
    """Return a domain: from the hook, the bundled ones, or a path relative to ``base``.

    Raises:
        DomainError: There is none, or it is wrong.
    """
    made: Domain | None = config.hook.pytest_taubench_load_domain(
        config=config, name=name, base=base
    )
    if made is not None:
        return made
    if LIBRARY not in config.stash:
        from pytest_taubench.domain import DomainLibrary

        config.stash[LIBRARY] = DomainLibrary()
    return config.stash[LIBRARY].get(name, base)


def read_tasks(config: pytest.Config, path: Path) -> Iterator[CollectedTask]:
    """Return the tasks of a task file.

    Raises:
        TaskFileError: The file is wrong.
    """
    from pytest_taubench.task_file import read_task_file

    def tools_of(name: str, base: Path) -> Mapping[str, Any]:
        return load_domain(config, name, base).tools

    found = read_task_file(path, tools_of, root=config.rootpath)
    for task in found.tasks:
        yield CollectedTask(task, found.suite, _loader(config, task.domain, path.parent))


def _loader(config: pytest.Config, name: str, base: Path) -> Callable[[], Domain]:
    return lambda: load_domain(config, name, base)


def read_data_folder(config: pytest.Config, folder: Path) -> Iterator[CollectedTask]:
    """Return the tasks of an upstream benchmark's data folder.

    Raises:
        TauBenchError: The folder holds no data that can be read.
    """
    from pytest_taubench.interop import read_data

    yield from read_data(folder)

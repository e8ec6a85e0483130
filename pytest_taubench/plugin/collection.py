"""Collects task files: one item a task and trial, in trial-major order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Never

import pytest

from pytest_taubench.errors import TauBenchError
from pytest_taubench.plugin.arguments import (
    asked_names,
    asked_trials,
    item_name,
    stable_nodeid,
    unknown_tasks,
)
from pytest_taubench.plugin.items import TrialItem
from pytest_taubench.plugin.stash import BAD_FILES, COLLECTED, DATA, OPTIONS, UNKNOWN_TASKS
from pytest_taubench.plugin.tasks import Collected, read_source
from pytest_taubench.task_file import without_collector


class TaskCollector(pytest.Module):
    """A task file, or what ``--tau-data`` names.

    A Module, as doctest's text files are, so that module-scoped fixtures have a node to live on.
    """

    obj = None

    @classmethod
    def at(cls, parent: pytest.Collector, path: Path) -> TaskCollector:
        """Return the collector of a path, under an id that does not depend on the arguments."""
        parent.config.stash[COLLECTED] = True
        nodeid = stable_nodeid(path, parent.config.rootpath)
        return cls.from_parent(parent, path=path, nodeid=nodeid)

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Return the items, trial by trial."""
        with without_collector():
            try:
                source = read_source(self.config, self.path)
            except TauBenchError as error:
                _fail(self, str(error))
            problems = [
                Unreadable.from_parent(self, name=f"problem-{number}", problem=problem)
                for number, problem in enumerate(source.problems, 1)
            ]
            return [*problems, *self._items(source.tasks)]

    def _items(self, tasks: Sequence[Collected]) -> Iterator[TrialItem]:
        marks = Marks(self.config)
        shared: Any = None  # the fixtures of all items of a file are the same; looked up once
        for task, trial in self._chosen(tasks):
            item = TrialItem.from_parent(
                self,
                name=item_name(task.label, trial),
                collected=task,
                trial=trial,
                fixtureinfo=shared,
            )
            shared = item._fixtureinfo
            marks.put_on(item)
            yield item

    def _chosen(self, tasks: Sequence[Collected]) -> Iterator[tuple[Collected, int]]:
        names = asked_names(self.config, self.path)
        asked = asked_trials(names)
        said = unknown_tasks(names, [task.label for task in tasks], self.nodeid)
        self.config.stash.setdefault(UNKNOWN_TASKS, []).extend(said)
        trials: int = self.config.stash[OPTIONS]["trials"]
        # pytest itself selects in files, but knows nothing of ids inside a folder.
        only = set(names) if self.path in self.config.stash[DATA] else set()
        for trial in range(1, max([trials, *map(max, asked.values())]) + 1):
            for task in tasks:
                if trial > trials and trial not in asked.get(task.label, ()):
                    continue
                if not only or {task.label, item_name(task.label, trial)} & only:
                    yield task, trial


class Unreadable(pytest.Collector):
    """A part of some upstream data that cannot be read; its collection is an error."""

    def __init__(self, *, problem: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._problem = problem

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Fail with the problem."""
        _fail(self, self._problem)


def _fail(node: pytest.Collector, message: str) -> Never:
    node.config.stash.setdefault(BAD_FILES, set()).add(node.nodeid)
    raise node.CollectError(message) from None


class Marks:
    """Puts the marks of tasks on items, registering each so that ``--strict-markers`` knows it."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._known: dict[str, pytest.MarkDecorator] = {}

    def put_on(self, item: TrialItem) -> None:
        """Mark an item as ``tau``, by its domain, and as its task says."""
        collected = item.collected
        for name in dict.fromkeys(("tau", Path(collected.domain).name, *collected.marks)):
            item.add_marker(self._mark(name))

    def _mark(self, name: str) -> pytest.MarkDecorator:
        if name not in self._known:
            self._config.addinivalue_line("markers", f"{name}: mark of task files.")
            self._known[name] = getattr(pytest.mark, name)
        return self._known[name]


def order_by_trial(items: list[pytest.Item]) -> None:
    """Put the τ items in trial-major order, in the places they hold among other tests.

    A run that is cut short then has about the same number of trials of every task.
    """
    places = [place for place, item in enumerate(items) if isinstance(item, TrialItem)]
    ours = [item for item in items if isinstance(item, TrialItem)]
    for place, item in zip(places, sorted(ours, key=lambda item: item.trial), strict=True):
        items[place] = item

"""Collects task files: one item a task and trial, in trial-major order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_taubench.errors import TauBenchError
from pytest_taubench.plugin.arguments import asked_trials, item_name, stable_nodeid
from pytest_taubench.plugin.items import TrialItem
from pytest_taubench.plugin.stash import BAD_FILES, COLLECTED, OPTIONS
from pytest_taubench.plugin.tasks import CollectedTask, read_data_folder, read_tasks


class TauCollector(pytest.Module):
    """A file or folder that holds tasks.

    A Module, as doctest's text files are, so that module-scoped fixtures have a node to live on.
    """

    obj = None

    @classmethod
    def at(cls, parent: pytest.Collector, path: Path) -> TauCollector:
        """Return the collector of a path, under an id that does not depend on the arguments."""
        parent.config.stash[COLLECTED] = True
        nodeid = stable_nodeid(path, parent.config.rootpath)
        return cls.from_parent(parent, path=path, nodeid=nodeid)

    def collect(self) -> Iterable[pytest.Item]:
        """Yield the items, trial by trial."""
        try:
            tasks = list(self.tasks())
        except TauBenchError as error:
            self.config.stash.setdefault(BAD_FILES, set()).add(self.nodeid)
            raise self.CollectError(str(error)) from None
        return self._items(tasks)

    def tasks(self) -> Iterator[CollectedTask]:
        """Return the tasks of the path; raises TauBenchError where they cannot be read."""
        return read_tasks(self.config, self.path)

    def _items(self, tasks: Sequence[CollectedTask]) -> Iterator[TrialItem]:
        trials: int = self.config.stash[OPTIONS]["trials"]
        asked = asked_trials(self.config, self.path)
        last = max([trials, *(max(numbers) for numbers in asked.values())])
        marks = Marks(self.config)
        shared: Any = None  # the fixtures of all items of a file are the same; looked up once
        for trial in range(1, last + 1):
            for task in tasks:
                if trial > trials and trial not in asked.get(task.task.id, ()):
                    continue
                item = TrialItem.from_parent(
                    self,
                    name=item_name(task.task.id, trial),
                    collected=task,
                    trial=trial,
                    fixtureinfo=shared,
                )
                shared = item._fixtureinfo
                marks.put_on(item)
                yield item


class DataFolder(TauCollector):
    """A folder with an upstream benchmark's data."""

    def tasks(self) -> Iterator[CollectedTask]:
        """Return the tasks that the interop finds in the folder."""
        return read_data_folder(self.config, self.path)


class Marks:
    """Puts the marks of tasks on items, registering each so that ``--strict-markers`` knows it."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._known: dict[str, pytest.MarkDecorator] = {}

    def put_on(self, item: TrialItem) -> None:
        """Mark an item as ``tau``, by its domain, and as its task says."""
        task = item.collected.task
        for name in dict.fromkeys(("tau", Path(task.domain).name, *task.marks)):
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

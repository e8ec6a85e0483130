"""Collects task files: one item a task and trial, in trial-major order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Never

import pytest

from pytest_taubench.errors import TauBenchError
from pytest_taubench.metrics.cost import trial_cost
from pytest_taubench.plugin.collect.arguments import asked_names, asked_trials, unknown_tasks
from pytest_taubench.plugin.collect.node_ids import item_name, stable_nodeid
from pytest_taubench.plugin.collect.planned import Planned, plan_trial
from pytest_taubench.plugin.collect.tasks import Collected, domain_of, read_source
from pytest_taubench.plugin.options.values import OPTIONS
from pytest_taubench.plugin.run.agent_and_user import agent_of
from pytest_taubench.plugin.run.failure import TrialFailure
from pytest_taubench.plugin.run.runner import runner_of
from pytest_taubench.plugin.run.scored_before import scored_before
from pytest_taubench.plugin.stash import (
    AGAIN,
    ATTEMPTS,
    BAD_FILES,
    COLLECTED,
    DATA,
    NEXT_ITEM,
    PENDING_RECORDS,
    UNKNOWN_TASKS,
)
from pytest_taubench.schema import TrialRecord
from pytest_taubench.task_files import without_collector


def play_trial(tau_agent: object, tau_user: object) -> None:
    """Name the fixtures every trial asks for; the item runs the trial itself."""


class TrialItem(pytest.Function):
    """One trial of one task. It passes when the reward is 1.

    A Function, so that fixtures work as for any test: autouse ones, and a ``tau_agent`` or
    ``tau_user`` that a conftest overrides.

    Attributes:
        collected: The task or sample with its suite and domain.
        trial: 1-based number.
    """

    def __init__(
        self,
        name: str,
        parent: pytest.Collector,
        collected: Collected,
        trial: int,
        fixtureinfo: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name, parent, callobj=play_trial, fixtureinfo=fixtureinfo, **kwargs)
        self.collected = collected
        self.trial = trial
        _split_id(self)

    def planned(self) -> Planned:
        """Return the trial the item stands for."""
        return plan_trial(self.collected, self.nodeid, self.trial)

    def upcoming(self, reach: int) -> Iterator[TrialItem]:
        """Return the trials among the next items that may start before their turn."""
        from pytest_taubench.plugin.run.ahead import upcoming

        return upcoming(self, self.config.stash[NEXT_ITEM], reach)

    def runtest(self) -> None:
        """Run the trial, keep its record for the report, and fail unless the reward is 1."""
        record = scored_before(self) or self._run()
        if not self.stash.get(AGAIN, False):
            self.user_properties += _figures(record)
        if record.reward != 1:
            raise TrialFailure(record)

    def _run(self) -> TrialRecord:
        attempts = self.stash.setdefault(ATTEMPTS, {})
        if self.nodeid in attempts:
            self.stash[AGAIN] = True
            return attempts[self.nodeid]
        runner = runner_of(self.config)
        record = attempts[self.nodeid] = runner.run(
            self, agent_of(self, self.funcargs["tau_agent"]), self.funcargs["tau_user"]
        )
        self.stash.setdefault(PENDING_RECORDS, []).append(record)
        runner.add_metrics(record)
        return record

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return why the trial failed, for people; faults of the code keep pytest's own form."""
        if isinstance(excinfo.value, TrialFailure):
            return excinfo.value.text(full=self.config.get_verbosity() >= 2)
        if isinstance(excinfo.value, TauBenchError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return where the item comes from."""
        return self.path, 0, self.name


def _split_id(item: pytest.Item) -> None:
    """Read the node id by its parts, as pytest does with the ids it kept for ``--lf``.

    Newer versions compare ids part by part, and take a name with brackets that no
    parametrization made for one part.
    """
    identifier: Any = getattr(item, "_id", None)
    if identifier is not None:
        item._id = type(identifier).parse(item.nodeid)


def _figures(record: TrialRecord) -> list[tuple[str, object]]:
    figures: list[tuple[str, object]] = [
        ("tau_outcome", record.outcome),
        ("tau_ending", str(record.ending)),
        ("tau_steps", record.steps),
    ]
    if record.reward is not None:
        figures.append(("tau_reward", record.reward))
    if (cost := trial_cost(record)) is not None:
        figures.append(("tau_cost", cost))
    return figures


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
        domain = Path(collected.domain).name
        if domain in ("", ".."):  # of a path such as "."
            domain = domain_of(collected)
        for name in dict.fromkeys(("tau", domain, *collected.marks)):
            if not name.startswith("_"):  # pytest has no such marks
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

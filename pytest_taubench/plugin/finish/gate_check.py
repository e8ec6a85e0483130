"""Refuses gates that no outcome of the run can decide, before its first trial."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.plugin.collect.node_ids import task_of_id
from pytest_taubench.plugin.collect.unplanned import Unplanned, UnplannedByWorkers
from pytest_taubench.plugin.finish.gating import GatesOfRun
from pytest_taubench.plugin.options.values import OPTIONS, given_on_command_line, origin_of

if TYPE_CHECKING:
    from pytest_taubench.gates.selection import PlannedTask
    from pytest_taubench.metrics.comparison import Baseline
    from pytest_taubench.plugin.collect.tasks import Collected
    from pytest_taubench.plugin.finish.recorder import RunRecorder

_NARROWING = ("keyword", "markexpr", "deselect", "lf", "stepwise")


class GateCheck(GatesOfRun):
    """Looks at the gates when the plan is known.

    It is registered before ``RunPlan``, so that pytest calls it after that, and before the
    preflight, which may ask models.
    """

    def __init__(
        self, config: pytest.Config, recorder: RunRecorder, baseline: Baseline | None
    ) -> None:
        super().__init__(config, recorder, baseline)
        self._checked = False
        self._deselected: list[pytest.Item] = []
        self._by_workers = UnplannedByWorkers()

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        """Keep what will not run."""
        self._deselected.extend(items)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Check against the items."""
        found: dict[str, Collected] = {}
        for item in session.items:
            task = task_of_id(self._config, item.nodeid)
            collected: Collected | None = getattr(item, "collected", None)
            if task is not None and collected is not None:
                found[task] = collected
        self._check(lambda: found, Unplanned.of(session.items, self._deselected))

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Ask a worker for what its node ids do not say."""
        self._by_workers.tell(node)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: Sequence[str]) -> None:
        """Check against the node ids of the first worker; all collect the same."""
        if self._checked:
            return
        tasks = [task_of_id(self._config, each) for each in ids]
        known = [task for task in tasks if task is not None]
        # Where a worker cannot say, any test that is no trial may run any task.
        unplanned = self._by_workers.of(node) or Unplanned(may_run_tasks=None in tasks)
        self._check(lambda: _read(self._config, known), unplanned)

    def pytest_sessionfinish(self) -> None:
        """Remove what the workers left."""
        self._by_workers.close()

    def _check(
        self, collected: Callable[[], Mapping[str, Collected]], unplanned: Unplanned
    ) -> None:
        self._checked = True
        if not self._recorder.planned:
            return
        comparing = [gate for gate in self._gates if gate.figure.needs_baseline]
        if self._baseline is None and comparing:
            origin = origin_of(self._config, "gate")
            raise pytest.UsageError(
                f"{origin}: the gate {comparing[0].metric!r} needs --tau-baseline=RUN to compare with"
            )
        if self._is_part_of_what_the_ini_file_means():
            return
        from pytest_taubench.gates.decision import why_undecidable
        from pytest_taubench.gates.metric import PlannedTasks

        tasks = dict(self._planned(collected()))
        # A resumed run may have tasks that are not collected now and have no record yet.
        complete = tasks.keys() >= self._recorder.planned.keys() and not (
            unplanned.may_run_tasks or self._config.stash[OPTIONS]["shard"]
        )
        before = None if self._baseline is None else self._baseline.scored_tasks()
        plan = PlannedTasks(tasks, complete, before)
        for gate in self._gates:
            why = why_undecidable(gate, plan, deselected=unplanned.deselected)
            if why is not None:
                origin = origin_of(self._config, "gate")
                raise pytest.UsageError(f"{origin}: {gate.text!r} cannot be decided: {why}")

    def _is_part_of_what_the_ini_file_means(self) -> bool:
        """Return whether the gates are the project's, and only a part of it was asked for."""
        config = self._config
        if given_on_command_line(config, "gate"):
            return False
        return (
            config.args_source is config.ArgsSource.ARGS
            or any(given_on_command_line(config, name) for name in ("suite", "data"))
            or any(config.getoption(name, None) for name in _NARROWING)
        )

    def _planned(self, found: Mapping[str, Collected]) -> Iterator[tuple[str, PlannedTask]]:
        from pytest_taubench.gates.selection import PlannedTask
        from pytest_taubench.metrics import task_key
        from pytest_taubench.plugin.collect.samples import CollectedSample
        from pytest_taubench.plugin.collect.tasks import domain_of

        values = self._config.stash[OPTIONS]
        before = {task_key(record): record for record in self._recorder.records}
        for task, planned in self._recorder.planned.items():
            # The other parts of the run have the rest of a task's trials.
            trials = max(planned, values["trials"]) if values["shard"] else planned
            if task in found:
                suite, domain = found[task].suite, domain_of(found[task])
                is_sample = isinstance(found[task], CollectedSample)
            elif task in before:
                suite, domain = before[task].suite, before[task].domain
                is_sample = before[task].kind == "graph"
            else:
                continue
            yield task, PlannedTask.of(suite, domain, trials, is_sample=is_sample)


def _read(config: pytest.Config, tasks: Iterable[str]) -> dict[str, Collected]:
    from pytest_taubench.plugin.collect.tasks import tasks_by_id

    return tasks_by_id(config, tasks)

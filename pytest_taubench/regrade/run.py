"""Grades each trial of a run anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_taubench.metrics import task_key
from pytest_taubench.regrade.tasks_today import TasksToday
from pytest_taubench.regrade.verdict import Regraded
from pytest_taubench.schema import RewardComponent, TrialRecord

NO_TASK = "kept: no task file has this task"
"""Why a trial is not graded anew where its task is not found."""


def regrade_run(
    records: Sequence[TrialRecord], tasks: TasksToday, basis: Sequence[RewardComponent] = ()
) -> Iterator[Regraded]:
    """Grade each trial of a run anew.

    Args:
        records: The run's records.
        tasks: The tasks of today.
        basis: The components that make the reward of τ trials, in place of each task's own.
    """
    for record in records:
        if record.outcome == "unscored":
            yield Regraded(record, record, [])
        elif record.kind == "graph":
            yield _plan(record, tasks)
        else:
            yield _episode(record, tasks, basis)


def _plan(record: TrialRecord, tasks: TasksToday) -> Regraded:
    from pytest_taubench.regrade.plan import regrade_plan

    found = tasks.sample(task_key(record))
    return regrade_plan(record, *found) if found else Regraded(record, record, [NO_TASK])


def _episode(record: TrialRecord, tasks: TasksToday, basis: Sequence[RewardComponent]) -> Regraded:
    from pytest_taubench.regrade.episode import regrade_episode

    found = tasks.task(task_key(record))
    return regrade_episode(record, *found, basis) if found else Regraded(record, record, [NO_TASK])

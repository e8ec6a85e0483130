"""Grades recorded trials anew: their calls are made again, and the end state is graded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_taubench.environment.domain import Domain
from pytest_taubench.reward import gold_state, grade_record
from pytest_taubench.reward.attribution import attribute
from pytest_taubench.schema import ActionRecord, Ending, ErrorInfo, Task, TrialRecord
from pytest_taubench.task_files.upstream.files import DataError, DataSuite
from pytest_taubench.task_files.upstream.recorded import RecordedTrial, executed_calls, told_texts


@dataclass(frozen=True)
class Rescored:
    """A recorded trial and our record of it.

    Attributes:
        recorded: The trial as the reference recorded it.
        record: What grading it anew gives.
    """

    recorded: RecordedTrial
    record: TrialRecord

    @property
    def agrees(self) -> bool | None:
        """Tell whether the rewards are the same; None where either has none."""
        if self.recorded.reward is None or self.record.reward is None:
            return None
        return self.recorded.reward == self.record.reward


def suite_of(
    trials: Sequence[RecordedTrial], suites: Sequence[DataSuite], domain: str | None = None
) -> DataSuite:
    """Return the suite that recorded trials are of: the one whose tools they call.

    Args:
        trials: The trials.
        suites: The suites found in the data folder.
        domain: The domain's name, to choose by that instead.

    Raises:
        DataError: None fits, or several do; the message says how to choose.
    """
    usable = [suite for suite in suites if suite.domain is not None]
    if not usable:
        problems = "; ".join(problem for suite in suites for problem in suite.problems)
        raise DataError(f"the data folder has no usable domain: {problems or 'it has no tasks'}")
    known = ", ".join(dict.fromkeys(s.domain.name for s in usable if s.domain))
    if domain is not None:
        usable = [suite for suite in usable if suite.domain and suite.domain.name == domain]
        if not usable:
            raise DataError(f"no domain '{domain}' in the data folder; known are {known}")
        return usable[0]
    called = {name for trial in trials for name in _tools_used(trial)}
    fits = [len(called & set(s.domain.tools)) if s.domain else 0 for s in usable]
    best = [suite for suite, fit in zip(usable, fits, strict=True) if fit == max(fits)]
    names = {suite.domain.name for suite in best if suite.domain}
    if len(names) != 1 or max(fits) == 0:
        raise DataError(
            f"cannot tell which domain the trials are of; pass --domain=NAME (one of {known})"
        )
    return best[0]


def _tools_used(trial: RecordedTrial) -> set[str]:
    gold = {action.name for action in trial.task.actions} if trial.task else set()
    return gold | {name for _, name, _ in executed_calls(trial.messages)}


def rescore(trials: Sequence[RecordedTrial], suite: DataSuite, file: str) -> list[Rescored]:
    """Grade recorded trials.

    The task of the record is used, since wordings changed later; the data folder's only where
    the record has none.

    Args:
        trials: The trials.
        suite: The domain, with its upstream database, and its tasks.
        file: The file's name, for the records.

    Raises:
        DataError: A trial has no task, neither in the record nor in the data folder.
        InfrastructureError: A tool is broken.
    """
    assert suite.domain is not None
    tasks = {task.id: task for task in suite.tasks}
    rescored = []
    for trial in trials:
        task = trial.task or tasks.get(trial.task_id)
        if task is None:
            raise DataError(
                f"{file}: no task {trial.task_id}, neither in the record (info.task) nor in the data"
            )
        record = _record(trial, task, suite.domain, file)
        if trial.task is None:
            record.notes.append("graded by the data folder's task: the record has none")
        rescored.append(Rescored(trial, record))
    return rescored


def _record(trial: RecordedTrial, task: Task, domain: Domain, file: str) -> TrialRecord:
    number = trial.trial + 1
    record = TrialRecord(
        nodeid=f"{file}::{trial.task_id}[trial-{number}]",
        suite=domain.name,
        domain=domain.name,
        task_id=trial.task_id,
        trial=number,
        outcome="unscored",
        ending=_ending(trial, domain),
        trajectory=trial.messages,
    )
    if trial.error is not None:
        record.error = ErrorInfo(type="RecordedError", message=trial.error)
        return record
    _grade(record, task, domain)
    return record


_STOP = "###STOP###"
"""What the reference's user says to end the conversation."""


def _ending(trial: RecordedTrial, domain: Domain) -> Ending:
    if trial.error is not None:
        return Ending.MODEL_ERROR
    if trial.ended is False:
        return Ending.MAX_STEPS
    last = trial.messages[-1] if trial.messages else None
    if last is not None and last.role == "tool" and _ends_episode(trial, domain):
        return Ending.TRANSFER
    stopped = last is not None and last.role == "user" and _STOP in (last.content or "")
    return Ending.USER_STOP if stopped or trial.ended else Ending.MAX_STEPS


def _ends_episode(trial: RecordedTrial, domain: Domain) -> bool:
    names = [name for _, name, _ in executed_calls(trial.messages)]
    return bool(names) and names[-1] in domain.tools and domain.tools[names[-1]].ends_episode


def _grade(record: TrialRecord, task: Task, domain: Domain) -> None:
    environment = domain.environment()
    for index, name, arguments in executed_calls(record.trajectory):
        result = environment.call(name, arguments)
        record.actions.append(
            ActionRecord(
                name=name,
                arguments=result.arguments,
                kind=result.kind,
                ok=result.ok,
                message_index=index,
            )
        )
    gold = gold_state(domain.environment(), task.actions)
    record.notes = [f"gold action {failure}" for failure in gold.failures]
    record.expected_changes = gold.changes
    record.actual_changes = environment.changes()
    grade_record(record, task, gold, told_texts(record.trajectory))
    record.outcome = "scored"
    record.steps = sum(message.role == "assistant" for message in record.trajectory)
    record.gold_writes = sum(result.kind == "write" for result in gold.results)
    record.attribution = attribute(record, task, environment)

"""Grades the trials of a stored run anew: under today's tasks and tools, or another basis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_taubench.attribution import attribute
from pytest_taubench.bundled import suites_root
from pytest_taubench.domain import Domain, DomainLibrary
from pytest_taubench.environment import Environment
from pytest_taubench.errors import TauBenchError
from pytest_taubench.interop.recorded import told_texts
from pytest_taubench.metrics import task_key
from pytest_taubench.reward import gold_state, grade
from pytest_taubench.schema import (
    ActionRecord,
    Component,
    ErrorInfo,
    RewardComponent,
    Task,
    TrialRecord,
)
from pytest_taubench.task_file import is_task_file, read_task_file
from pytest_taubench.trial import task_hash


class RegradeError(TauBenchError):
    """A stored run cannot be graded anew; the message names the trial or file."""


@dataclass(frozen=True)
class Regraded:
    """A trial before and after.

    Attributes:
        before: The stored record.
        after: The record that grading it anew gives; the same object where that was not done.
        reasons: What differs and why, or why it was not graded anew.
    """

    before: TrialRecord
    after: TrialRecord
    reasons: list[str]

    @property
    def changed(self) -> bool:
        """True when the reward is another one."""
        return self.before.reward != self.after.reward


class TasksToday:
    """The tasks as their files state them now."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._domains = DomainLibrary()
        self._files: dict[str, dict[str, tuple[Task, Path]] | None] = {}

    def get(self, key: str) -> tuple[Task, Domain] | None:
        """Return a task with its domain, or None where no task file has it.

        Args:
            key: The node id of its trials, without the trial.

        Raises:
            TauBenchError: The file or the domain is wrong.
        """
        file, _, label = key.partition("::")
        if file not in self._files:
            self._files[file] = self._read(file)
        found = (self._files[file] or {}).get(label)
        if found is None:
            return None
        task, base = found
        return task, self._domains.get(task.domain, base)

    def _read(self, file: str) -> dict[str, tuple[Task, Path]] | None:
        candidates = (root / file for root in (self._root, suites_root()))
        path = next((path for path in candidates if path.is_file() and is_task_file(path)), None)
        if path is None:
            return None
        return {task.id: (task, path.parent) for task in read_task_file(path).tasks}


def regrade_run(
    records: Sequence[TrialRecord], tasks: TasksToday, basis: Sequence[RewardComponent] = ()
) -> Iterator[Regraded]:
    """Grade each trial of a run anew.

    Args:
        records: The run's records.
        tasks: The tasks of today.
        basis: The components that make the reward, in place of each task's own.
    """
    for record in records:
        if record.outcome == "unscored":
            yield Regraded(record, record, [])
        elif record.kind != "tau":
            yield Regraded(record, record, ["kept: `taskeval` grades the plans of samples"])
        elif (found := tasks.get(task_key(record))) is None:
            yield Regraded(record, record, ["kept: no task file has this task"])
        else:
            yield _regrade(record, *found, basis)


def _regrade(
    record: TrialRecord, task: Task, domain: Domain, basis: Sequence[RewardComponent]
) -> Regraded:
    environment = domain.environment()
    actions, reasons = _replay(record, environment)
    hash_now = task_hash(task)
    if record.task_hash not in ("", hash_now):
        reasons.insert(0, "the task changed")
    gold = gold_state(domain.environment(), task.actions)
    after = record.model_copy(
        update={
            "actions": actions,
            "actual_changes": environment.changes(),
            "expected_changes": gold.changes,
            "gold_writes": sum(result.kind == "write" for result in gold.results),
            "task_hash": hash_now,
        }
    )
    if gold.failures and not task.ignore_failing_gold:
        after.outcome, after.reward, after.components = "unscored", None, []
        message = f"a gold action fails: {'; '.join(gold.failures)}"
        after.error = ErrorInfo(type="InfrastructureError", message=message)
        return Regraded(record, after, [*reasons, message])
    try:
        reward, after.components = grade(
            list(basis) or task.reward_basis,
            gold=gold,
            actual=after.actual_changes,
            outputs=task.outputs,
            texts=told_texts(record.trajectory),
            match=task.output_match,
            gold_actions=task.actions,
            executed=actions,
            nl_assertions=record.component("nl_assertions"),
        )
    except ValueError as error:
        raise RegradeError(f"{record.nodeid}: {error}") from error
    after.reward = reward if record.ending.terminated else 0.0
    after.attribution = attribute(after, task, environment)
    return Regraded(record, after, [*reasons, *_component_reasons(record, after)])


def _replay(record: TrialRecord, environment: Environment) -> tuple[list[ActionRecord], list[str]]:
    """Make the trial's calls again, and say where the tools answer otherwise than they did."""
    answers = [message.content for message in record.trajectory if message.role == "tool"]
    actions, otherwise = [], []
    for index, action in enumerate(record.actions):
        if action.arguments is None:  # the call could not be read, so nothing was called
            actions.append(action)
            continue
        result = environment.call(action.name, action.arguments)
        actions.append(action.model_copy(update={"kind": result.kind, "ok": result.ok}))
        if index < len(answers) and answers[index] != result.content:
            otherwise.append(action.name)
    if not otherwise:
        return actions, []
    return actions, [f"tools answer otherwise than they did: {', '.join(dict.fromkeys(otherwise))}"]


def _component_reasons(before: TrialRecord, after: TrialRecord) -> Iterator[str]:
    for new in after.components:
        old = before.component(new.name)
        if old is None:
            yield f"{new.name} is {new.value:g} and was not graded"
            continue
        counted = new.detail.get("counted", True)
        if counted != old.detail.get("counted", True):
            yield f"{new.name} (now {new.value:g}) {'counts now' if counted else 'no longer counts'}"
        if old.value != new.value:
            yield f"{new.name} {old.value:g} -> {new.value:g}{_why(old, new)}"


def _why(old: Component, new: Component) -> str:
    """Return what the failing one of two components lists as wrong."""
    failing = old if new.value else new
    lines = [
        f"{name}: {', '.join(map(str, failing.detail[name]))}"
        for name in ("wrong", "missing", "unexpected")
        if failing.detail.get(name)
    ]
    if not lines:
        return ""
    return f" ({'was ' if new.value else ''}{'; '.join(lines)})"

"""Grades the trials of a stored run anew: under today's tasks and tools, or another basis."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_taubench.bundled import suites_root
from pytest_taubench.environment import Environment, Tool
from pytest_taubench.environment.domain import Domain, DomainLibrary
from pytest_taubench.errors import TauBenchError
from pytest_taubench.metrics import task_key
from pytest_taubench.reward import gold_state, grade_record
from pytest_taubench.reward.attribution import attribute
from pytest_taubench.schema import (
    ActionRecord,
    Component,
    ErrorInfo,
    RewardComponent,
    Sample,
    Task,
    TrialRecord,
)
from pytest_taubench.task_files import is_task_file, read_task_file
from pytest_taubench.task_files.upstream.recorded import told_texts
from pytest_taubench.taskbench.graph import ToolGraph
from pytest_taubench.taskbench.graph_file import GraphLibrary
from pytest_taubench.taskbench.plan_trial import ANNOTATION_NOTE, grade_plan, sample_hash
from pytest_taubench.taskbench.prompt import gold_plan
from pytest_taubench.taskbench.taskeval import ACCURACIES, METRICS
from pytest_taubench.taskbench.taskeval.faults import PlanFaultKind
from pytest_taubench.trial.tau_trial import task_hash

TASK_CHANGED = "the task changed"


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
    """The tasks and samples as their files state them now, with what they run on."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._domains = DomainLibrary()
        self._graphs = GraphLibrary()
        self._files: dict[str, dict[str, tuple[Task | Sample, Path]]] = {}

    def task(self, key: str) -> tuple[Task, Domain] | None:
        """Return a τ task with its domain, or None where no task file has it.

        Args:
            key: The node id of its trials, without the trial.

        Raises:
            TauBenchError: The file or the domain is wrong.
        """
        task, base = self._found(key)
        return (task, self._domains.get(task.domain, base)) if isinstance(task, Task) else None

    def sample(self, key: str) -> tuple[Sample, ToolGraph] | None:
        """Return a sample with its tool graph; see ``task``."""
        sample, base = self._found(key)
        return (
            (sample, self._graphs.get(sample.domain, base)) if isinstance(sample, Sample) else None
        )

    def _found(self, key: str) -> tuple[Task | Sample | None, Path]:
        file, _, label = key.partition("::")
        if file not in self._files:
            self._files[file] = self._read(file)
        return self._files[file].get(label, (None, self._root))

    def _read(self, file: str) -> dict[str, tuple[Task | Sample, Path]]:
        for root in (self._root, suites_root()):
            path = root / file
            if path.is_file() and is_task_file(path):
                found = read_task_file(path, self._tools_of, self._graph_tools_of, root)
                entries: list[Task | Sample] = [*found.tasks, *found.samples]
                return {each.id: (each, path.parent) for each in entries}
        return {}

    def _tools_of(self, name: str, base: Path) -> Mapping[str, Tool]:
        return self._domains.get(name, base).tools

    def _graph_tools_of(self, name: str, base: Path) -> Collection[str]:
        return self._graphs.get(name, base).tools


def regrade_episode(
    record: TrialRecord, task: Task, domain: Domain, basis: Sequence[RewardComponent] = ()
) -> Regraded:
    """Grade a τ trial anew.

    Args:
        record: The trial's record.
        task: Its task of today.
        domain: The task's domain of today.
        basis: The components that make the reward, in place of the task's own.

    Raises:
        RegradeError: The basis asks for what neither task nor record has.
    """
    environment = domain.environment()
    actions, reasons = _replay(record, environment)
    hash_now = task_hash(task)
    if record.task_hash not in ("", hash_now):
        reasons.insert(0, TASK_CHANGED)
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
        judged = record.component("nl_assertions")
        texts = told_texts(record.trajectory)
        grade_record(after, task, gold, texts, basis=basis, nl_assertions=judged)
    except ValueError as error:
        raise RegradeError(f"{record.nodeid}: {error}") from error
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


_OF_READING = (
    PlanFaultKind.ANSWER_EMPTY,
    PlanFaultKind.ANSWER_NOT_JSON,
    PlanFaultKind.ANSWER_TOO_LONG,
)
_SAME_TASK = (
    "the task is as it was, so the tool graph or the way of counting is another than it was"
)


def regrade_plan(record: TrialRecord, sample: Sample, graph: ToolGraph) -> Regraded:
    """Grade the stored plan of a sample's trial anew.

    Args:
        record: The trial's record.
        sample: Its sample of today.
        graph: The sample's tool graph of today.
    """
    if record.graph is None or "prediction" not in record.graph:
        return Regraded(record, record, ["kept: the record does not hold the predicted plan"])
    after = _ungraded(record, sample, graph)
    grade_plan(after, sample, graph)
    reasons = list(_differences(record, after))
    if record.graph.get("request") != sample.user_request:
        reasons.insert(0, "the plan answers the request as it was, which is another one now")
    if record.task_hash not in ("", after.task_hash):
        reasons.insert(0, TASK_CHANGED)
    elif reasons:
        reasons.insert(0, _SAME_TASK)
    return Regraded(record, after, reasons)


def _ungraded(record: TrialRecord, sample: Sample, graph: ToolGraph) -> TrialRecord:
    """Return a copy that holds what was asked and answered, and what the answer is graded by."""
    assert record.graph is not None
    unread = [fault for fault in _faults(record) if fault.partition(":")[0] in _OF_READING]
    held: dict[str, Any] = {
        **record.graph,
        "type": sample.type,
        "dependency": graph.dependency,
        "gold": gold_plan(sample),
        "faults": unread,
    }
    notes = [note for note in record.notes if not note.startswith(ANNOTATION_NOTE)]
    graded_by = {"domain": graph.name, "task_hash": sample_hash(sample)}
    return record.model_copy(update={"graph": held, "notes": notes, **graded_by})


def _differences(before: TrialRecord, after: TrialRecord) -> Iterator[str]:
    if before.domain != after.domain:
        yield f"the tool graph was {before.domain} and is {after.domain}"
    bars = [_bar(record) for record in (before, after)]
    if bars[0] != bars[1]:
        yield f"it passed by {bars[0]} and passes by {bars[1]}"
    if metrics := list(_metric_changes(before.metrics, after.metrics)):
        yield ", ".join(metrics)
    was, now = (Counter(_faults(record)) for record in (before, after))
    yield from (f"no longer a fault: {fault}" for fault in was - now)
    yield from (f"a fault now: {fault}" for fault in now - was)


def _metric_changes(before: dict[str, float], after: dict[str, float]) -> Iterator[str]:
    for name in (*METRICS, *ACCURACIES):
        was, now = before.get(name), after.get(name)
        if was is None and now is None:
            continue
        if was is None or now is None or not math.isclose(was, now, abs_tol=1e-9):
            yield f"{name} {_figure(was)} -> {_figure(now)}"


def _figure(value: float | None) -> str:
    return "none" if value is None else f"{value:.4g}"


def _bar(record: TrialRecord) -> str:
    component = record.component("graph")
    bar = component.detail.get("bar") if component else None
    return f"{bar['metric']} >= {bar['at_least']:g}" if bar else "exactly gold's graph"


def _faults(record: TrialRecord) -> list[str]:
    return [str(fault) for fault in (record.graph or {}).get("faults", [])]


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

    found = tasks.sample(task_key(record))
    return regrade_plan(record, *found) if found else Regraded(record, record, [NO_TASK])


def _episode(record: TrialRecord, tasks: TasksToday, basis: Sequence[RewardComponent]) -> Regraded:

    found = tasks.task(task_key(record))
    return regrade_episode(record, *found, basis) if found else Regraded(record, record, [NO_TASK])

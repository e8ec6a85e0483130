"""Grades one τ trial anew: its calls made again, and graded by today's task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_taubench.attribution import attribute
from pytest_taubench.domain import Domain
from pytest_taubench.environment import Environment
from pytest_taubench.interop.recorded import told_texts
from pytest_taubench.regrade.verdict import TASK_CHANGED, Regraded, RegradeError
from pytest_taubench.reward import gold_state, grade_record
from pytest_taubench.schema import (
    ActionRecord,
    Component,
    ErrorInfo,
    RewardComponent,
    Task,
    TrialRecord,
)
from pytest_taubench.trial import task_hash


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

"""The database component: the trial changed the records that gold's actions change, and no other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pytest_taubench.environment.compare import difference, differences, same, short
from pytest_taubench.environment.environment import Environment, ToolResult
from pytest_taubench.schema import Action, Changes, Component, RecordChange


@dataclass(frozen=True)
class Gold:
    """What the annotated actions of a task lead to.

    Attributes:
        changes: The records they change.
        failures: One line for each action that fails, e.g. ``3. cancel_order: Error: ...``;
            a fault of the task, since nobody can have meant a state it does not reach.
        results: What each action answered, in order.
    """

    changes: Changes
    failures: list[str] = field(default_factory=list)
    results: tuple[ToolResult, ...] = ()


def gold_state(domain_environment: Environment, actions: Sequence[Action]) -> Gold:
    """Run the annotated actions, reads too, and return where they lead.

    They run on an environment of their own, so that grading can never touch the trial's.

    Args:
        domain_environment: Any environment of the task's domain; left as it is.
        actions: The annotated actions.

    Raises:
        InfrastructureError: A tool is broken.
    """
    environment = domain_environment.fresh()
    results = tuple(environment.call(each.name, each.arguments) for each in actions)
    failures = [
        f"{number}. {action.name}: {result.content}"
        for number, (action, result) in enumerate(zip(actions, results, strict=True), start=1)
        if not result.ok
    ]
    return Gold(environment.changes(), failures, results)


def grade_database(gold: Gold, actual: Changes) -> Component:
    """Grade the end state of a trial against the gold one, record by record.

    Only changed records are looked at, since both started from the same database.

    Args:
        gold: The gold end state.
        actual: The records the trial changed.

    Returns:
        The component. Its detail lists ``wrong`` (records that end otherwise than in gold),
        ``missing`` (changes not made) and ``unexpected`` (changes gold does not make), as lines
        to read. It is vacuous when gold changes nothing and the trial changed nothing either: an
        agent that does nothing passes as well.
    """
    expected = gold.changes
    wrong: list[str] = []
    missing: list[str] = []
    unexpected: list[str] = []
    for name, left, right in _pairs(expected, actual):
        if right is None and left is not None:
            missing += describe_change(name, left)
        elif left is None and right is not None:
            unexpected += describe_change(name, right)
        elif left is not None and right is not None and not same(left.after, right.after):
            wrong += _describe_wrong(name, left, right)
    passed = not (wrong or missing or unexpected)
    return Component(
        name="database",
        value=float(passed),
        detail={"wrong": wrong, "missing": missing, "unexpected": unexpected},
        vacuous=passed and not expected,
    )


def describe_changes(changes: Changes) -> list[str]:
    """Return changed records as lines to read, e.g. ``orders/#W1 status: "a" -> "b"``."""
    return [
        line
        for table, records in changes.items()
        for key, change in records.items()
        for line in describe_change(f"{table}/{key}", change)
    ]


def describe_change(name: str, change: RecordChange) -> list[str]:
    """Return one changed record as lines to read.

    Args:
        name: The record, as ``table/key``.
        change: What changed.
    """
    if change.before is None:
        return [f"{name} created: {short(change.after, 300)}"]
    if change.after is None:
        return [f"{name} deleted"]
    return [f"{name} {line}" for line in difference(change.before, change.after)]


def _describe_wrong(name: str, expected: RecordChange, actual: RecordChange) -> list[str]:
    if expected.after is None or actual.after is None:
        kept, gone = f"{name}: expected it deleted, it is not", f"{name}: it is deleted"
        return [kept if expected.after is None else gone]
    found = differences(expected.after, actual.after)
    return [f"{name} {each.line('expected {before}, got {after}')}" for each in found]


def _pairs(
    expected: Changes, actual: Changes
) -> Iterator[tuple[str, RecordChange | None, RecordChange | None]]:
    for table in sorted({*expected, *actual}):
        left, right = expected.get(table, {}), actual.get(table, {})
        for key in sorted({*left, *right}):
            yield f"{table}/{key}", left.get(key), right.get(key)

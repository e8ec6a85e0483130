"""Mutation test over every bundled task: a wrong choice, or an action left out, has reward 0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from pytest_taubench.bundled import suites_root
from pytest_taubench.domain import DomainLibrary
from pytest_taubench.lint import Case
from pytest_taubench.lint.alternatives import alternatives
from pytest_taubench.lint.case import Write
from pytest_taubench.lint.knowledge import Lookups
from pytest_taubench.lint.leaves import Path, leaves, replaced, shown
from pytest_taubench.lint.siblings import Surroundings
from pytest_taubench.reward import grade
from pytest_taubench.schema import Action, ActionRecord
from pytest_taubench.task_file import is_task_file, read_task_file


def bundled_tasks() -> Iterator[Any]:
    library, lookups = DomainLibrary(), dict[str, Lookups]()
    for path in sorted(suites_root().rglob("*.tau.*")):
        for task in read_task_file(path).tasks if is_task_file(path) else ():
            domain = library.get(task.domain, path.parent)
            known = lookups.setdefault(domain.name, Lookups(domain))
            yield pytest.param(Case(task, domain, known), id=f"{path.parent.name}/{task.id}")


TASKS = list(bundled_tasks())
each_task = pytest.mark.parametrize("case", TASKS)


def reward(case: Case, actions: Sequence[Action]) -> float:
    """The reward of an agent that takes these actions and tells every output."""
    reached = case.run(actions)
    executed = [
        ActionRecord(name=a.name, arguments=a.arguments, ok=r.ok)
        for a, r in zip(actions, reached.results, strict=True)
    ]
    value, _ = grade(
        case.task.reward_basis,
        gold=case.gold,
        actual=reached.changes,
        outputs=case.task.outputs,
        texts=case.task.outputs,
        match=case.task.output_match,
        gold_actions=case.task.actions,
        executed=executed,
    )
    return value


def other_values(case: Case, write: Write, around: Surroundings) -> Iterator[tuple[Path, Any]]:
    """Each argument with another value: a sibling, another choice, another number or text."""
    arguments = write.action.arguments
    for found in alternatives(case, write, around):
        yield found.path, found.arguments
    for path, value in leaves(arguments):
        if isinstance(value, bool):
            continue
        if isinstance(value, (int, float)):
            for other in (value + 1, value - 1, 2 * value):
                yield path, replaced(arguments, path, other)
        elif value is not None and not is_choice(case, write, path):
            yield path, replaced(arguments, path, f"{value}1")


def is_choice(case: Case, write: Write, path: Path) -> bool:
    schema = case.domain.tools[write.action.name].parameters["properties"]
    return len(path) == 1 and "enum" in schema[path[0]]


def mutants(case: Case, write: Write) -> dict[str, list[list[Action]]]:
    """The gold actions with one argument of one action changed, by the argument."""
    around = Surroundings(case.lookups, case.knowledge.all)
    found: dict[str, list[list[Action]]] = {}
    for path, arguments in other_values(case, write, around):
        if arguments == write.action.arguments:
            continue
        actions = list(case.task.actions)
        actions[write.index] = Action(name=write.action.name, arguments=arguments)
        found.setdefault(shown(path), []).append(actions)
    return found


def test_all_bundled_tasks_are_mutated() -> None:
    assert len(TASKS) == 165


@each_task
def test_another_argument_has_reward_0(case: Case) -> None:
    assert reward(case, case.task.actions) == 1
    for write in case.writes:
        changed = mutants(case, write)
        assert sum(map(len, changed.values())) >= 2
        for where, sequences in changed.items():
            passed = [each[write.index] for each in sequences if reward(case, each) == 1]
            assert not passed, f"{write.label}, {where}: {passed}"


@each_task
def test_a_write_left_out_has_reward_0(case: Case) -> None:
    for write in case.writes:
        rest = [action for action in case.task.actions if action is not write.action]
        assert reward(case, rest) == 0, write.label

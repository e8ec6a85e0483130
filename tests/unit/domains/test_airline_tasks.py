"""The bundled airline tasks: annotated to run, to matter, and to be told from one another."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from functools import cache
from typing import Any

import pytest

from pytest_taubench import Action, Domain, Task, load_domain
from pytest_taubench.bundled import suites_root
from pytest_taubench.environment.compare import same
from pytest_taubench.task_files import read_task_file

FILES = sorted((suites_root() / "airline").glob("*.tau.yaml"))
TASKS = {task.id: task for path in FILES for task in read_task_file(path, None).tasks}
WRITES = frozenset(
    {
        "book_reservation",
        "cancel_reservation",
        "send_certificate",
        "update_reservation_baggages",
        "update_reservation_flights",
        "update_reservation_passengers",
    }
)


@cache
def airline() -> Domain:
    return load_domain("airline")


def final(actions: Sequence[Action]) -> tuple[Any, list[str]]:
    """Return the changed records after the actions, and what was refused."""
    environment = airline().environment()
    results = [environment.call(action.name, action.arguments) for action in actions]
    changed = {
        table: {key: change.after for key, change in records.items()}
        for table, records in environment.changes().items()
    }
    return changed, [result.content for result in results if not result.ok]


def mutations(task: Task, action: Action) -> list[Action]:
    """Return the action with one argument changed to another valid value, for each argument."""
    user = airline().database.table("users")[task.user_id or ""]
    others: dict[str, list[Any]] = {
        "payment_id": list(user["payment_methods"]),
        "reservation_id": list(user["reservations"]),
        "cabin": ["basic_economy", "economy", "business"],
        "insurance": ["yes", "no"],
    }
    found = []
    for name, value in action.arguments.items():
        instead = others.get(name, [value + 1] if isinstance(value, int) else [])
        for other in instead:
            if other != value:
                mutated = deepcopy(action)
                mutated.arguments[name] = other
                found.append(mutated)
    return found


def test_there_are_fifty_tasks_with_a_user_each() -> None:
    assert len(TASKS) == 50
    users = [task.user_id for task in TASKS.values()]
    assert len(set(users)) == 50
    assert all(task.user_id and task.user_id in task.instruction for task in TASKS.values())


def test_every_tool_that_writes_is_asked_for() -> None:
    called = {action.name for task in TASKS.values() for action in task.actions}
    assert called >= WRITES | {"transfer_to_human_agents"}


def test_two_thirds_of_the_tasks_have_one_to_three_writes_and_some_have_none() -> None:
    counts = [sum(a.name in WRITES for a in task.actions) for task in TASKS.values()]
    assert sum(1 <= count <= 3 for count in counts) >= 2 / 3 * len(counts)
    assert 5 <= counts.count(0) <= len(counts) / 4
    assert max(counts) == 5


@pytest.mark.parametrize("name", TASKS)
def test_gold_actions_all_succeed(name: str) -> None:
    assert final(TASKS[name].actions)[1] == []


@pytest.mark.parametrize("name", TASKS)
def test_doing_nothing_does_not_pass(name: str) -> None:
    changed, _ = final(TASKS[name].actions)
    assert changed or TASKS[name].outputs


@pytest.mark.parametrize("name", TASKS)
def test_an_output_is_not_given_away_by_the_instruction(name: str) -> None:
    words = TASKS[name].instruction.replace("$", " ").replace(",", "").replace(".", " ").split()
    assert not set(TASKS[name].outputs) & set(words)


@pytest.mark.parametrize("name", TASKS)
def test_each_write_and_each_of_its_arguments_decides_the_final_database(name: str) -> None:
    actions = TASKS[name].actions
    gold, _ = final(actions)
    for place, action in enumerate(actions):
        if action.name in WRITES:
            before, after = actions[:place], actions[place + 1 :]
            assert not same(final([*before, *after])[0], gold), f"without {action.name}"
            for mutated in mutations(TASKS[name], action):
                assert not same(final([*before, mutated, *after])[0], gold), mutated

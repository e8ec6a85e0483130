"""The bundled retail suite can be trusted: gold works, is reached in one way only, and by acting."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_taubench import Action, Task, load_domain
from pytest_taubench.bundled import suites_root
from pytest_taubench.reward.database import gold_state, grade_database
from pytest_taubench.task_files import read_task_file

RETAIL = load_domain("retail")
TASKS = [
    task
    for path in sorted((suites_root() / "retail").glob("*.tau.yaml"))
    for task in read_task_file(path, tools_of=lambda name, base: RETAIL.tools).tasks
]
USERS: Any = RETAIL.database.table("users")
ORDERS: Any = RETAIL.database.table("orders")
PRODUCTS: Any = RETAIL.database.table("products")
WRITE_TOOLS = {name for name, tool in RETAIL.tools.items() if tool.kind == "write"}

each_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)


def writes(task: Task) -> list[Action]:
    return [action for action in task.actions if action.name in WRITE_TOOLS]


def test_the_suite_has_the_size_of_the_papers() -> None:
    assert len(TASKS) == 115
    assert len({task.id for task in TASKS}) == 115


def test_every_write_tool_and_the_transfer_are_covered() -> None:
    named = Counter(action.name for task in TASKS for action in task.actions)
    assert WRITE_TOOLS | {"transfer_to_human_agents"} <= set(named)
    assert all(named[name] >= 5 for name in WRITE_TOOLS)


def test_the_suite_has_tasks_with_none_and_with_up_to_five_writes() -> None:
    counts = Counter(len(writes(task)) for task in TASKS)
    assert set(counts) == {0, 1, 2, 3, 4, 5}
    assert sum(counts[n] for n in (1, 2, 3)) >= 2 / 3 * len(TASKS)


@each_task
def test_gold_actions_succeed_and_each_write_changes_something(task: Task) -> None:
    environment = RETAIL.environment()
    for action in task.actions:
        before = environment.changes()
        result = environment.call(action.name, action.arguments)
        assert result.ok, f"{action.name}: {result.content}"
        assert (environment.changes() != before) == (action.name in WRITE_TOOLS)


@each_task
def test_silence_does_not_pass(task: Task) -> None:
    assert task.outputs or gold_state(RETAIL.environment(), task.actions).changes


@each_task
def test_outputs_are_not_given_away_by_the_instruction(task: Task) -> None:
    assert not [output for output in task.outputs if output in task.instruction]


@each_task
def test_the_instruction_tells_who_the_user_is(task: Task) -> None:
    user = USERS[task.user_id]
    assert " ".join(user["name"].values()) in task.instruction
    assert user["address"]["zip"] in task.instruction or user["email"] in task.instruction


@each_task
def test_orders_that_are_named_exist_and_gold_touches_only_the_users_own(task: Task) -> None:
    assert set(re.findall(r"#W\d+", task.instruction)) <= set(ORDERS)
    for action in writes(task):
        if "order_id" in action.arguments:
            assert ORDERS[action.arguments["order_id"]]["user_id"] == task.user_id
        else:
            assert action.arguments["user_id"] == task.user_id


def alternatives(task: Task, action: Action) -> Iterator[dict[str, Any]]:
    """Each other value that one argument could have for this user, by the tools at least."""
    arguments = action.arguments
    if "payment_method_id" in arguments:
        for method in USERS[task.user_id]["payment_methods"]:
            yield {"payment_method_id": method}
    if "order_id" in arguments:
        for order_id in USERS[task.user_id]["orders"]:
            yield {"order_id": order_id}
    if "reason" in arguments:
        yield {"reason": "no longer needed"}
        yield {"reason": "ordered by mistake"}
    for name in ("address1", "address2", "city", "state", "country", "zip"):
        if name in arguments:
            yield {name: arguments[name] + "1"}
    for index, item_id in enumerate(arguments.get("item_ids", [])):
        for other in ORDERS[arguments["order_id"]]["items"]:
            yield {"item_ids": replaced(arguments["item_ids"], index, other["item_id"])}
        yield from other_variants(action, index, item_id)


def other_variants(action: Action, index: int, item_id: str) -> Iterator[dict[str, Any]]:
    if "new_item_ids" in action.arguments:
        product = next(p for p in PRODUCTS.values() if item_id in p["variants"])
        for variant in product["variants"]:
            yield {"new_item_ids": replaced(action.arguments["new_item_ids"], index, variant)}


def replaced(values: list[str], index: int, value: str) -> list[str]:
    return [*values[:index], value, *values[index + 1 :]]


@each_task
def test_any_other_argument_and_any_omission_gets_reward_0(task: Task) -> None:
    """Mutation test: a wrong choice that the tools accept must never pass for the right one."""
    gold = gold_state(RETAIL.environment(), task.actions)
    for position, action in enumerate(task.actions):
        if action.name not in WRITE_TOOLS:
            continue
        without = [*task.actions[:position], *task.actions[position + 1 :]]
        assert not passes(gold, without), f"without {action.name}"
        for change in alternatives(task, action):
            mutant = Action(name=action.name, arguments={**action.arguments, **change})
            if mutant.arguments == action.arguments:
                continue
            actions = [*task.actions[:position], mutant, *task.actions[position + 1 :]]
            assert not passes(gold, actions), f"{action.name} with {change}"


def passes(gold: Any, actions: list[Action]) -> bool:
    reached = gold_state(RETAIL.environment(), actions)
    return bool(grade_database(gold, reached.changes).value)


@each_task
def test_the_order_of_items_within_a_call_does_not_matter(task: Task) -> None:
    gold = gold_state(RETAIL.environment(), task.actions)
    turned = [
        Action(
            name=action.name,
            arguments={
                key: value[::-1] if isinstance(value, list) else value
                for key, value in action.arguments.items()
            },
        )
        for action in task.actions
    ]
    assert passes(gold, turned)

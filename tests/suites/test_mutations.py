"""Mutation test over every bundled task: a wrong choice, or an action left out, has reward 0."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from pytest_taubench.bundled import suites_root
from pytest_taubench.environment.compare import same
from pytest_taubench.environment.domain import DomainLibrary
from pytest_taubench.lint import Case
from pytest_taubench.lint.alternatives import alternatives, fit
from pytest_taubench.lint.case import Reached, Write
from pytest_taubench.lint.knowledge import Lookups
from pytest_taubench.lint.leaves import Path, leaves, replaced
from pytest_taubench.lint.siblings import Surroundings
from pytest_taubench.reward import grade
from pytest_taubench.schema import Action, ActionRecord
from pytest_taubench.task_files import is_task_file, read_task_file


def bundled_tasks() -> Iterator[Any]:
    library, lookups = DomainLibrary(), dict[str, Lookups]()
    for path in sorted(suites_root().rglob("*.tau.*")):
        for task in read_task_file(path).tasks if is_task_file(path) else ():
            domain = library.get(task.domain, path.parent)
            known = lookups.setdefault(domain.name, Lookups(domain))
            yield pytest.param(Case(task, domain, known), id=f"{path.parent.name}/{task.id}")


OTHER_KEYS = 30

# Arguments for which the tool takes no other value in at least one bundled task, and why.
ITEMS_FIX_IT = "the items must be of this order"
ONLY_ONE = "the order, the product or the profile has no other one that could be named"
OWN_METHOD = "the payment methods are of this user's profile"
TOO_POOR = "no other one can pay, or may take the refund"
PRICE_FIXES_IT = "the payments are split, and no amount alone makes up for another price"
NO_OTHER = {
    "book_reservation.cabin": PRICE_FIXES_IT,
    "book_reservation.nonfree_baggages": "no bag is booked that could be paid for",
    "book_reservation.payment_methods": TOO_POOR,
    "book_reservation.user_id": OWN_METHOD,
    "exchange_delivered_order_items.item_ids": ONLY_ONE,
    "exchange_delivered_order_items.order_id": ITEMS_FIX_IT,
    "exchange_delivered_order_items.payment_method_id": TOO_POOR,
    "modify_pending_order_items.item_ids": ONLY_ONE,
    "modify_pending_order_items.new_item_ids": TOO_POOR,
    "modify_pending_order_items.order_id": ITEMS_FIX_IT,
    "modify_pending_order_items.payment_method_id": TOO_POOR,
    "modify_pending_order_payment.order_id": OWN_METHOD,
    "modify_pending_order_payment.payment_method_id": TOO_POOR,
    "return_delivered_order_items.item_ids": ONLY_ONE,
    "return_delivered_order_items.order_id": ITEMS_FIX_IT,
    "return_delivered_order_items.payment_method_id": TOO_POOR,
    "update_reservation_baggages.payment_id": TOO_POOR,
    "update_reservation_baggages.reservation_id": OWN_METHOD,
    "update_reservation_flights.cabin": TOO_POOR,
    "update_reservation_flights.payment_id": TOO_POOR,
    "update_reservation_flights.reservation_id": OWN_METHOD,
}

# Writes none of whose arguments could be another by itself: the only item of an order whose refund
# can go to one place only, and orders that one method only could pay instead.
ONE_OF_A_KIND = {
    ("a-card-nobody-has-on-file", "2. modify_pending_order_payment"),
    ("a-desk-that-fits-the-niche", "3. return_delivered_order_items"),
    ("address-and-payment-of-one-order", "1. modify_pending_order_payment"),
    ("blocks-stool-and-headset", "3. return_delivered_order_items"),
    ("five-things-before-the-holidays", "4. modify_pending_order_payment"),
    ("gift-card-freed-gloves-upgraded", "1. modify_pending_order_payment"),
    ("gift-card-or-one-card-for-both", "1. modify_pending_order_payment"),
    ("keep-the-gift-card-for-christmas", "3. modify_pending_order_payment"),
    ("ladder-by-mistake", "4. return_delivered_order_items"),
    ("no-way-back-to-paypal", "1. modify_pending_order_payment"),
    ("pay-first-then-swap-gloves", "1. modify_pending_order_payment"),
    ("rug-basketball-and-a-better-stand", "4. return_delivered_order_items"),
    ("stool-drive-and-toaster", "4. return_delivered_order_items"),
    ("the-last-two-dollars", "1. modify_pending_order_payment"),
    ("the-other-mastercard", "1. modify_pending_order_payment"),
    ("whatever-cost-over-a-hundred", "2. return_delivered_order_items"),
}
TASKS = list(bundled_tasks())
each_task = pytest.mark.parametrize("case", TASKS)


def reward(case: Case, actions: Sequence[Action], reached: Reached | None = None) -> float:
    """The reward of an agent that takes these actions and tells every output."""
    reached = reached or case.run(actions)
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
            yield from ((path, replaced(arguments, path, n)) for n in (value + 1, value - 1))
            yield path, replaced(arguments, path, 2 * value)
        elif value is not None and not is_choice(case, write, path):
            for other in [*other_keys(case, value), f"{value}1"]:
                yield path, replaced(arguments, path, other)


def is_choice(case: Case, write: Write, path: Path) -> bool:
    schema = case.domain.tools[write.action.name].parameters["properties"]
    return len(path) == 1 and "enum" in schema[path[0]]


def other_keys(case: Case, value: str) -> list[str]:
    """Other keys of the table that a value is a key of, such as other users' orders."""
    database = case.domain.database
    tables = [database.table(name) for name in database.tables]
    keys = [key for table in tables if value in table for key in table if key != value]
    return random.Random(value).sample(sorted(keys), min(len(keys), OTHER_KEYS))


def accepted_mutants(case: Case, write: Write) -> dict[str, list[tuple[list[Action], Reached]]]:
    """The gold actions with one argument of one action changed so that its tool takes it.

    They stand under the argument's name. Where a tool names another amount that is due, as for a
    booking, the mutant pays it.
    """
    around = Surroundings(case.lookups, case.knowledge.all)
    found: dict[str, list[tuple[list[Action], Reached]]] = {n: [] for n in write.action.arguments}
    for path, arguments in other_values(case, write, around):
        fitted = None if arguments == write.action.arguments else fit(case, write, arguments)
        if fitted is not None and not same(fitted[0], write.action.arguments):
            actions = list(case.task.actions)
            actions[write.index] = Action(name=write.action.name, arguments=fitted[0])
            found[str(path[0])].append((actions, fitted[1]))
    return found


def test_all_bundled_tasks_are_mutated() -> None:
    assert len(TASKS) == 165


@each_task
def test_another_argument_that_the_tool_takes_has_reward_0(case: Case) -> None:
    assert reward(case, case.task.actions) == 1
    for write in case.writes:
        mutants = accepted_mutants(case, write)
        for argument, found in mutants.items():
            passed = [actions[write.index] for actions, end in found if reward(case, actions, end)]
            assert not passed, f"{write.label}, {argument}: {passed}"
            assert found or f"{write.action.name}.{argument}" in NO_OTHER, argument
        alone = (case.task.id, write.label) in ONE_OF_A_KIND
        assert any(mutants.values()) is not alone, write.label


@each_task
def test_a_write_left_out_has_reward_0(case: Case) -> None:
    for write in case.writes:
        rest = [action for action in case.task.actions if action is not write.action]
        assert reward(case, rest) == 0, write.label

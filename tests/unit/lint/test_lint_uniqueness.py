"""Uniqueness: which choices an instruction leaves open."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_taubench.lint.uniqueness import check_uniqueness

CARD, GIFT = "card_11112222", "gift_33334444"


def swap(new: str = "lamp_100002", payment: str = CARD) -> tuple[str, dict[str, Any]]:
    return "swap_item", {
        "order_id": "#S100001",
        "item": "lamp_100001",
        "new_item": new,
        "payment": payment,
    }


def cancel(order_id: str, reason: str = "mistake") -> tuple[str, dict[str, Any]]:
    return "cancel_order", {"order_id": order_id, "reason": reason}


def left_open(case: Any) -> set[str]:
    """The arguments that are listed."""
    messages = [each.message for each in check_uniqueness(case)]
    return {message.split(", ")[1].split(":")[0] for message in messages}


LAMP = "In #S100001 you want the black lamp with a clamp, "


@pytest.mark.parametrize(
    ("paid", "gold"),
    [
        ("on your Visa.", CARD),
        ("on your credit card.", CARD),
        ("on the card ending in 4321.", CARD),
        ("with card_11112222.", CARD),
        ("with your gift card.", GIFT),
        ("on your card, not the gift card.", CARD),
        ("with the gift card instead of the Visa.", GIFT),
    ],
)
def test_a_payment_method_that_is_named_is_decided(case: Any, paid: str, gold: str) -> None:
    assert left_open(case(LAMP + paid, swap(payment=gold))) == set()


@pytest.mark.parametrize(
    ("paid", "gold"),
    [
        ("and you pay for it.", CARD),
        ("with your gift card.", CARD),
        ("on your Visa.", GIFT),
        ("with your gift card or your Visa.", GIFT),
    ],
)
def test_a_payment_method_that_is_not_named_or_another_one_is_listed(
    case: Any, paid: str, gold: str
) -> None:
    found = left_open(case(LAMP + paid, swap(payment=gold)))
    assert found == {"payment"} or (" or " in paid and found <= {"payment"})


@pytest.mark.parametrize(
    ("wish", "gold"),
    [
        ("the black lamp with a clamp", "lamp_100002"),
        ("the lamp in black, otherwise the same", "lamp_100002"),
        ("the black lamp that has a foot", "lamp_100003"),
        ("the cheapest lamp there is", "lamp_100003"),
        ("the most expensive lamp", "lamp_100002"),
    ],
)
def test_a_variant_is_decided_by_its_options_or_its_rank(case: Any, wish: str, gold: str) -> None:
    assert left_open(case(f"In #S100001 you want {wish}, on your Visa.", swap(gold))) == set()


@pytest.mark.parametrize("wish", ["the black lamp", "another lamp", "a lamp that is not white"])
def test_a_variant_that_is_not_told_from_another_is_listed(case: Any, wish: str) -> None:
    found = left_open(case(f"In #S100001 you want {wish}, on your Visa.", swap()))
    assert found == {"new_item"}


def test_an_order_is_decided_by_its_number_or_by_what_is_in_it(case: Any) -> None:
    assert left_open(case("Cancel #S100002, a mistake.", cancel("#S100002"))) == set()
    assert left_open(case("Cancel the vase, a mistake.", cancel("#S100002"))) == set()
    assert left_open(case("Cancel an order, a mistake.", cancel("#S100002"))) == {"order_id"}


def test_a_reason_must_be_given(case: Any) -> None:
    assert left_open(case("Cancel #S100002.", cancel("#S100002"))) == {"reason"}


def test_a_write_without_which_the_end_is_the_same_is_an_error(case: Any) -> None:
    streets = [("set_street", {"user_id": "ada_1234", "street": s}) for s in ("1 A", "2 B")]
    found = list(check_uniqueness(case("Your street is 1 A, no, it is 2 B.", *streets)))
    assert [(each.level, each.message) for each in found] == [
        ("error", "without 1. set_street the other gold actions lead to the same end")
    ]


def test_a_write_the_instruction_is_silent_on_is_listed(case: Any) -> None:
    (finding,) = check_uniqueness(
        case("You say hello.", ("set_street", {"user_id": "ada_1234", "street": "1 New Road"}))
    )
    assert (
        finding.message
        == "1. set_street: the instruction speaks neither of it nor of what it touches"
    )


def test_what_the_tools_refuse_is_no_alternative(case: Any) -> None:
    # #S100003 is sent, so that it cannot be cancelled in place of the two others.
    task = case("Cancel what is pending, by mistake.", cancel("#S100001"), cancel("#S100002"))
    assert "#S100003" not in " ".join(each.message for each in check_uniqueness(task))

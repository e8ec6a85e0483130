"""What the user hears in an agent's message."""

from __future__ import annotations

import pytest

from pytest_taubench.users.scripted.understanding import understand


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("Could you please provide your email address?", ["email"]),
        ("May I have your first name, last name and zip code?", ["name", "zip"]),
        ("What is your order number?", ["order_id"]),
        ("Please share your user ID and reservation number.", ["user_id", "reservation_id"]),
        ("Which payment method would you like the refund to go to?", ["payment"]),
        ("What is the new address (street, city, state and zip code)?", ["address"]),
        ("How many checked bags, and would you like insurance?", ["bags", "insurance"]),
        ("Why do you want to cancel?", ["reason"]),
        ("I see your email on file.", []),
    ],
)
def test_what_is_asked_for(text: str, slots: list[str]) -> None:
    assert understand(text).slots == slots


def test_questions_in_a_list_below_a_colon() -> None:
    heard = understand("To help you I need:\n\n1. **Your email**\n2. **Your order number**")
    assert heard.slots == ["email", "order_id"]


@pytest.mark.parametrize(
    "text",
    [
        "I will cancel order #W1. Do you confirm (yes/no)?",
        "**Refund**: $5\n\nShall I proceed?",
        "Would you like me to process the return?",
        "Please confirm to proceed.",
        "Is this correct?",
    ],
)
def test_a_confirmation_is_asked_for(text: str) -> None:
    assert understand(text).confirm


@pytest.mark.parametrize(
    "text",
    ["Can you confirm your email?", "Please confirm your zip code.", "It has been confirmed."],
)
def test_no_confirmation_is_asked_for(text: str) -> None:
    assert not understand(text).confirm


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't do that.",
        "Unfortunately, the blue one is out of stock.",
        "This order cannot be cancelled, since it has shipped.",
        "That is not possible.",
    ],
)
def test_a_refusal(text: str) -> None:
    assert understand(text).refused


@pytest.mark.parametrize(
    "text",
    [
        "Please note that the order cannot be changed again. Do you confirm?",
        "I could not find your account. What is your zip code?",
        "Your order has been cancelled.",
    ],
)
def test_no_refusal(text: str) -> None:
    assert not understand(text).refused


@pytest.mark.parametrize(
    ("text", "done"),
    [
        ("Your order has been cancelled.", True),
        ("I've successfully updated the address.", True),
        ("Done.", True),
        ("The order has been processed, so it cannot be cancelled.", False),
        ("Shall I cancel it?", False),
        ("The order will be cancelled once you confirm.", False),
    ],
)
def test_whether_something_was_done(text: str, done: bool) -> None:
    assert understand(text).done is done


def test_options_of_a_list() -> None:
    heard = understand("Which one would you like?\n- black, $5\n- white, $6")
    assert heard.choice
    assert heard.options == ("black, $5", "white, $6")

"""A script is derived from an instruction: who, what, what instead, what when asked."""

from __future__ import annotations

import pytest

from pytest_taubench.users.scripted.derive import derive

ADA = "You are Ada Kern in 60601. "


@pytest.mark.parametrize(
    ("instruction", "fact", "values"),
    [
        ("You are Ada Kern, and you live in Ohio in 44101.", "name", ["Ada Kern"]),
        ("You are Ada Kern, and you live in Ohio in 44101.", "zip", ["44101"]),
        ("You are ada_kern_1234 (zip code 60601).", "name", ["Ada Kern"]),
        ("Your user id is ada_kern_1234.", "user_id", ["ada_kern_1234"]),
        ("You name is Ada Kern and your email is ada@example.com.", "email", ["ada@example.com"]),
        ("You are Ada Kern, born 1990-02-03.", "date_of_birth", ["1990-02-03"]),
        (ADA + "You want to cancel #W1234567.", "order_id", ["#W1234567"]),
        (ADA + "Return the lamp of order W1234567.", "order_id", ["#W1234567"]),
        (ADA + "You want to cancel reservation XEWRD9.", "reservation_id", ["XEWRD9"]),
        (ADA + "Cancel it, since you no longer need it.", "reason", ["no longer needed"]),
    ],
)
def test_facts_are_read_from_the_instruction(
    instruction: str, fact: str, values: list[str]
) -> None:
    assert derive(instruction).script.facts[fact] == values


def test_the_zip_code_of_a_new_address_proves_nothing() -> None:
    script = derive("You are Ada Kern. Change the address to 12 Oak Street, Reno, NV 89501.").script
    assert "zip" not in script.facts


def test_requests_come_in_order_without_identity_and_persona() -> None:
    script = derive(
        ADA + "You want to return your kettle. Also, you want to cancel your order #W1234567. "
        "You are polite and in a hurry."
    ).script
    assert [request.say for request in script.requests] == [
        "I want to return my kettle.",
        "I want to cancel my order #W1234567.",
    ]
    assert set(script.mood) == {"polite", "impatient"}


def test_a_wish_in_the_sentence_that_says_who_one_is() -> None:
    script = derive("You are ada_kern_1234 (zip code 60601) and you want to return a lamp.").script
    assert [request.say for request in script.requests] == ["I want to return a lamp."]


def test_fallbacks_nest_in_the_order_of_the_refusals() -> None:
    (request,) = derive(
        ADA + "You want to split the payment. If not possible, you want to cancel one item. "
        "If that is refused, cancel the whole order."
    ).script.requests
    (second,) = request.if_refused
    assert second.say == "I want to cancel one item."
    assert [third.say for third in second.if_refused] == ["I want to cancel the whole order."]


def test_accepting_a_refusal_is_no_further_wish() -> None:
    (request,) = derive(
        ADA + "You want a refund. If it is not possible, accept it."
    ).script.requests
    assert request.if_refused == []


def test_an_answer_for_when_the_agent_asks() -> None:
    script = derive(
        ADA
        + "You want to return the laptop. If the agent asks which laptop, it is the 15-inch one."
    ).script
    assert script.answers == {"laptop": "It is the 15-inch one."}


def test_a_change_of_mind_at_the_confirmation() -> None:
    (request,) = derive(
        ADA + "You want to exchange the bottle and the lamp. If the agent asks for confirmation, "
        "only exchange the lamp."
    ).script.requests
    assert request.on_confirm == "Only exchange the lamp."
    assert not request.drop_on_confirm


def test_taking_a_request_back_at_the_confirmation() -> None:
    (request,) = derive(
        ADA + "You want to cancel the grill, but you are not sure. If the agent asks you to "
        "confirm, you regret it and want to keep it."
    ).script.requests
    assert request.drop_on_confirm


@pytest.mark.parametrize(
    ("words", "times"), [("Insist twice.", 2), ("Insist 3 times.", 3), ("You insist once.", 1)]
)
def test_how_often_to_insist(words: str, times: int) -> None:
    (request,) = derive(ADA + f"You want to get a full refund. {words}").script.requests
    assert request.insist == times


def test_a_payment_preference_belongs_to_the_request_before() -> None:
    (request,) = derive(ADA + "You want to return the lamp. You prefer PayPal.").script.requests
    assert request.wants["payment"] == ["paypal"]
    assert request.details == ["I prefer PayPal."]


def test_what_one_does_not_want_is_not_wanted() -> None:
    (request,) = derive(ADA + "You want the lamp in black instead of silver.").script.requests
    assert request.wants["color"] == ["black"]


def test_mentioning_things_together_puts_all_in_the_opening() -> None:
    script = derive(ADA + "You want a refund. You want a receipt. Mention both at the same time.")
    assert script.script.all_at_once


def test_items_of_one_order_are_asked_for_in_one_go() -> None:
    """An order has one return or exchange; naming half of it first would fail any agent."""
    requests = derive(ADA + "You want to return the lamp. You also want to exchange the rug.")
    assert len(requests.script.requests) == 1


def test_hidden_remarks_are_not_said() -> None:
    read = derive(ADA + "You want it sent home (do not reveal the address, 9 Elm Street).")
    assert "Elm" not in " ".join([read.script.requests[0].say, *read.knowledge])


def test_asking_becomes_a_question() -> None:
    script = derive(ADA + "You want to cancel order #W1234567, and ask how much you get back.")
    assert script.script.requests[-1].say == "Can you tell me how much I get back?"

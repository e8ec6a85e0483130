"""What the user finds wrong in a proposal: options, goods, payment methods, dates, deeds."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_taubench.schema import Request
from pytest_taubench.users.scripted.choosing import choose
from pytest_taubench.users.scripted.judgement import contradictions
from pytest_taubench.users.scripted.payments import methods_in


def against(proposal: str, say: str = "I want to exchange it.", **request: Any) -> str:
    return " ".join(contradictions(proposal, Request(say=say, **request), say))


SKILLET = (
    "Exchange: Skillet (diameter 26 cm, finish {before}) -> Skillet (diameter 26 cm, {after})."
)


@pytest.mark.parametrize("after", ["finish seasoned", "finish: seasoned", "seasoned"])
def test_another_value_of_any_option_is_contradicted(after: str) -> None:
    proposal = SKILLET.format(before="seasoned", after=after)
    assert "enamelled" in against(proposal, wants={"finish": ["enamelled"]})


@pytest.mark.parametrize("after", ["finish enamelled", "finish: Enamelled", "enamelled"])
def test_the_wanted_value_is_none(after: str) -> None:
    proposal = SKILLET.format(before="seasoned", after=after)
    assert not against(proposal, wants={"finish": ["enamelled"]})


def test_silence_on_an_option_is_no_contradiction() -> None:
    assert not against("I will exchange the skillet.", wants={"finish": ["enamelled"]})


@pytest.mark.parametrize(
    ("proposal", "wrong"),
    [("four steps", True), ("steps 4", True), ("three steps", False), ("3-step", False)],
)
def test_numbers_count_in_digits_and_words(proposal: str, wrong: bool) -> None:
    said = against(f"Ladder (two steps) -> Ladder ({proposal}, steel).", wants={"steps": ["3"]})
    assert bool(said) is wrong


def test_what_shall_stay_the_same_is_noticed_when_it_changes() -> None:
    wish = "I want to exchange the jacket for a red one, same size and lining."
    moved = "Exchange Jacket (size M, color blue) -> Jacket (size L, color red)."
    assert "The size should stay" in against(moved, wish)
    assert not against(moved.replace("size L", "size M"), wish)


@pytest.mark.parametrize(
    "listed",
    ["the Desk (oak; $5.00), the Linen Shirt (size M; $6.00)", "Desk - $5, Linen Shirt - $6"],
)
def test_goods_nobody_asked_for_are_turned_down(listed: str) -> None:
    assert "the linen shirt" in against(f"Return: {listed}.", "I want to return the desk.")


def test_goods_that_are_only_reported_are_no_part_of_the_proposal() -> None:
    report = "Your order is delivered: Desk (oak; $5.00), Linen Shirt (size M; $6.00).\n"
    proposal = "I will return the Desk (oak; $5.00)."
    assert not against(report + proposal, "I want to return the desk.")


def test_who_wants_everything_returned_is_not_surprised() -> None:
    proposal = "Return: Desk (oak; $5.00), Linen Shirt (size M; $6.00)."
    assert not against(proposal, "I want to return everything in the order with the desk.")


def test_an_exchange_beside_the_return_is_turned_down() -> None:
    proposal = "- Return the desk.\n- Exchange the lamp for a red one."
    assert "exchange" in against(proposal, "I want to return the desk.")


@pytest.mark.parametrize(
    ("wanted", "proposed", "wrong"),
    [
        (["2090"], "Visa credit card ending in 2090", False),
        (["2090"], "Visa card ending in 5117", True),
        (["2090"], "PayPal", True),
        (["Visa"], "Mastercard ending in 2090", True),
        (["Visa"], "Visa card ending in 2090 (credit_card_1234567)", False),
        (["PayPal"], "PayPal instead of your gift card", False),
        (["PayPal"], "gift card instead of PayPal", True),
        (["certificate", "gift card"], "your certificate and the gift card", False),
        (["certificate", "gift card"], "your certificate and the Visa card", True),
        (["gift card"], "the original payment method", True),
    ],
)
def test_payment_methods(wanted: list[str], proposed: str, wrong: bool) -> None:
    said = against(f"I will exchange it and settle it with {proposed}.", wants={"payment": wanted})
    assert bool(said) is wrong


def test_a_method_that_only_the_words_of_the_wish_fix() -> None:
    wish = "I want to return the desk to my Visa card."
    assert "Visa" in against("Return the desk to PayPal.", wish)
    assert not against("Return the desk to PayPal.", "I want to return the desk to Visa or PayPal.")


def test_a_method_with_its_id_is_one_method() -> None:
    (method,) = methods_in("Visa card ending in 2090 (credit_card_1234567)")
    assert (method.brand, method.digits, method.key) == ("visa", "2090", "credit_card_1234567")


@pytest.mark.parametrize(("date", "wrong"), [("2024-05-24", False), ("May 24", False), ("May 25", True)])  # fmt: skip
def test_dates_in_figures_and_words(date: str, wrong: bool) -> None:
    said = against(
        f"Book it for {date}, born 1990-05-25.", "I want it.", wants={"date": ["May 24"]}
    )
    assert bool(said) is wrong


def test_basic_economy_is_not_economy() -> None:
    wants = {"cabin": ["economy"]}
    assert against("Book it in basic economy.", "I want to book it.", wants=wants)
    assert not against("Change it from basic economy to economy.", "I want it.", wants=wants)


STOOLS = ["Bar Stool (height 75 cm, seat fabric, color black)", "Bar Stool (height 75 cm, seat leather, color natural)"]  # fmt: skip


def test_which_thing_is_meant_is_another_question_than_which_is_wanted() -> None:
    request = Request(
        say="I want to exchange the black bar stool for the leather one.",
        wants={"seat": ["leather"]},
        choose=["black"],
    )
    assert choose(STOOLS, request, [request.say], existing=True) == STOOLS[0]
    assert choose(STOOLS, request, [request.say]) == STOOLS[1]


def test_a_reply_of_any_length_is_answered_at_once():
    import asyncio
    import random
    import time

    from pytest_taubench.schema import ModelSettings
    from pytest_taubench.users.protocol import UserContext
    from pytest_taubench.users.scripted import make_scripted_user

    context = UserContext(
        "You are Uma Rey. You want to cancel order #W1.", None, random.Random(1), ModelSettings()
    )

    async def seconds():
        user = make_scripted_user(context)
        await user.respond(None)
        start = time.process_time()
        assert (await user.respond("What can I do for you? " * 500_000)).text
        return time.process_time() - start

    assert asyncio.run(seconds()) < 1.0

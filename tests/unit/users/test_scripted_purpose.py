"""What a proposal would do, and what a request asks for."""

from __future__ import annotations

import pytest

from pytest_taubench.schema import Request
from pytest_taubench.users.scripted.purpose import asked_deeds, proposed_deeds, unasked
from pytest_taubench.users.scripted.wording import Wording


@pytest.mark.parametrize(
    ("said", "deeds"),
    [
        ("I want to cancel order #W1234567, because you cancelled another.", {"cancel"}),
        ("I want compensation, because my flight was cancelled.", {"certificate"}),
        ("I want to exchange the sleeping bag of order #W1234567, and pay with PayPal.", {"exchange"}),
        ("I want order #W1234567 to be paid with PayPal instead of the gift card.", {"pay"}),
        ("Please change the address in my profile to the one that my order #W1234567 goes to.", {"profile"}),
        ("Please change the address of my order #W1234567 to the one in my profile.", {"address"}),
        ("I want my new address in my profile and on all my orders.", {"profile", "address"}),
        ("I want to book a flight to Boston in economy, with two bags.", {"book"}),
        ("I want to change reservation ABC123 to business class on the same flights.", {"cabin"}),
        ("I want to move my trip from May 23 to May 24.", {"flights"}),
        ("Please don't cancel it.", set()),
    ],
)  # fmt: skip
def test_what_a_request_asks_for(said: str, deeds: set[str]) -> None:
    assert asked_deeds(Request(say=said)) == deeds


@pytest.mark.parametrize(
    ("proposal", "deeds"),
    [
        ("I will cancel order #W1234567.", {"cancel"}),
        ("Reply yes to proceed or no to cancel. I will return the noise-cancelling headset of order #W1234567.", {"return"}),
        ("I will change order #W1234567 to 164 Beacon Street, Omaha.", {"address"}),
        ("I will charge order #W1234567 to your Visa card.", {"pay"}),
        ("The refund arrives within seven business days.", set()),
        ("I will send you a certificate of $200.", {"certificate"}),
        ("I will add two checked bags to reservation ABC123.", {"bags"}),
        ("Your order was cancelled. I will change your e-mail address.", {"data"}),
        ("I would do just that.", set()),
    ],
)  # fmt: skip
def test_what_a_proposal_would_do(proposal: str, deeds: set[str]) -> None:
    assert proposed_deeds(proposal) == deeds


def test_the_answer_to_another_deed_says_what_is_wanted() -> None:
    request = Request(say="I want to return the desk of order #W1234567.")
    (said,) = unasked("I will cancel order #W1234567.", request)
    assert said.endswith(request.say)
    assert unasked("I will return the desk of order #W1234567.", request) == []


def test_a_wish_said_in_short_still_asks_for_it() -> None:
    import random

    wish = "My unit number is wrong. It is Unit 27. Please correct it in my profile, with all else as it is."
    assert "please correct it in my profile" in Wording(random.Random(1), []).again(wish, 2)

"""The airline's tools that create: bookings and certificates."""

from __future__ import annotations

from typing import Any

import pytest
from airline_world import ADA, BEN, done, refused, small_airline

from pytest_taubench import Environment


@pytest.fixture
def airline() -> Environment:
    return small_airline()


def booking(**changed: Any) -> dict[str, Any]:
    """Two passengers, economy, JFK to SEA on the 20th: 2 * 150 = 300 by credit card."""
    return {
        "user_id": "ada_weber_1001",
        "origin": "JFK",
        "destination": "SEA",
        "flight_type": "one_way",
        "cabin": "economy",
        "flights": [{"flight_number": "MRD001", "date": "2024-05-20"}],
        "passengers": [ADA, BEN],
        "payment_methods": [{"payment_id": "credit_card_1", "amount": 300}],
        "total_baggages": 0,
        "nonfree_baggages": 0,
        "insurance": "no",
        **changed,
    }


def pay(**amounts: float) -> list[dict[str, Any]]:
    return [{"payment_id": key, "amount": amount} for key, amount in amounts.items()]


def methods(airline: Environment) -> dict[str, Any]:
    profile = done(airline, "get_user_details", user_id="ada_weber_1001")
    found: dict[str, Any] = profile["payment_methods"]
    return found


def test_a_booking_is_kept_with_flights_at_todays_price(airline: Environment) -> None:
    reservation = done(airline, "book_reservation", **booking())
    assert reservation["reservation_id"] == "HATHAT"
    assert reservation["created_at"] == "2024-05-15T15:00:00"
    assert reservation["flights"] == [
        {
            "flight_number": "MRD001",
            "date": "2024-05-20",
            "price": 150,
            "origin": "JFK",
            "destination": "SEA",
        }
    ]
    assert "status" not in reservation
    assert done(airline, "get_reservation_details", reservation_id="HATHAT") == reservation


def test_a_booking_is_listed_in_the_profile(airline: Environment) -> None:
    done(airline, "book_reservation", **booking())
    profile = done(airline, "get_user_details", user_id="ada_weber_1001")
    assert profile["reservations"] == ["ECO222", "BAS111", "HATHAT"]


def test_insurance_and_paid_bags_are_part_of_the_price(airline: Environment) -> None:
    # 2 * 150 fare + 2 * 30 insurance + 3 * 50 bags = 510
    extras = {"insurance": "yes", "total_baggages": 5, "nonfree_baggages": 3}
    assert "510" in refused(airline, "book_reservation", **booking(**extras))
    paid = booking(**extras, payment_methods=pay(credit_card_1=510))
    assert done(airline, "book_reservation", **paid)["total_baggages"] == 5


def test_a_round_trip_is_charged_for_every_flight_and_passenger(airline: Environment) -> None:
    flights = [
        {"flight_number": "MRD001", "date": "2024-05-21"},
        {"flight_number": "MRD002", "date": "2024-05-25"},
    ]
    # (420 + 380) * 2 = 1600
    trip = booking(flight_type="round_trip", cabin="business", flights=flights)
    paid = {**trip, "payment_methods": pay(credit_card_1=1600)}
    reservation = done(airline, "book_reservation", **paid)
    assert [flight["price"] for flight in reservation["flights"]] == [420, 380]


def test_a_gift_card_is_lowered_by_what_it_pays(airline: Environment) -> None:
    split = booking(payment_methods=pay(gift_card_1=260, gift_card_2=40))
    done(airline, "book_reservation", **split)
    assert methods(airline)["gift_card_1"]["amount"] == 40
    assert methods(airline)["gift_card_2"]["amount"] == 0


def test_a_certificate_is_spent_whole(airline: Environment) -> None:
    split = booking(payment_methods=pay(certificate_1=200, credit_card_1=100))
    done(airline, "book_reservation", **split)
    assert "certificate_1" not in methods(airline)


@pytest.mark.parametrize(
    ("payments", "reason"),
    [
        (pay(credit_card_1=299), "300"),
        (pay(credit_card_1=301), "300"),
        ([], "300"),
        (pay(gift_card_2=41, credit_card_1=259), "gift_card_2 holds 40"),
        (pay(certificate_1=251, credit_card_1=49), "certificate_1 holds 250"),
        (pay(credit_card_7=300), "credit_card_7"),
        (pay(gift_card_1=-10, credit_card_1=310), "gift_card_1"),
        (pay(gift_card_1=200) + pay(gift_card_1=100), "twice"),
    ],
)
def test_payments_that_do_not_cover_the_price_exactly_are_refused(
    airline: Environment, payments: list[dict[str, Any]], reason: str
) -> None:
    assert reason in refused(airline, "book_reservation", **booking(payment_methods=payments))


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"user_id": "nobody_1"}, "nobody_1"),
        ({"flights": [{"flight_number": "MRD404", "date": "2024-05-20"}]}, "MRD404"),
        ({"flights": [{"flight_number": "MRD001", "date": "2024-06-20"}]}, "not scheduled"),
        ({"flights": [{"flight_number": "MRD001", "date": "2024-05-15"}]}, "landed"),
        ({"flights": [{"flight_number": "MRD001", "date": "2024-05-16"}]}, "cancelled"),
        ({"cabin": "business"}, "0 seats left in business, 2 are needed"),
        ({"passengers": [ADA, BEN, ADA]}, "2 seats left in economy, 3 are needed"),
        ({"flights": []}, "at least one flight"),
        ({"passengers": []}, "at least one passenger"),
        ({"total_baggages": 1, "nonfree_baggages": 2}, "nonfree_baggages (2)"),
        ({"total_baggages": -1}, "nonfree_baggages (0)"),
        ({"cabin": "first"}, "cabin"),
    ],
)
def test_a_booking_that_cannot_be_is_refused(
    airline: Environment, changed: dict[str, Any], reason: str
) -> None:
    assert reason in refused(airline, "book_reservation", **booking(**changed))


def test_booking_ids_never_run_out_and_are_the_same_for_the_same_calls() -> None:
    flights = [{"flight_number": "MRD001", "date": "2024-05-21"}]
    one = booking(flights=flights, passengers=[ADA], payment_methods=pay(credit_card_1=170))

    def ids() -> list[str]:
        airline = small_airline()
        return [done(airline, "book_reservation", **one)["reservation_id"] for _ in range(9)]

    expected = [f"HATH{last}" for last in ("AT", "AU", "AV", "AW", "AX", "AY", "AZ", "BA", "BB")]
    assert ids() == expected
    assert ids() == expected


def test_a_certificate_joins_the_profile(airline: Environment) -> None:
    message = done(airline, "send_certificate", user_id="ada_weber_1001", amount=150)
    assert "certificate_3221322" in message
    assert methods(airline)["certificate_3221322"] == {
        "source": "certificate",
        "amount": 150,
        "id": "certificate_3221322",
    }


def test_certificate_ids_never_run_out(airline: Environment) -> None:
    for _ in range(5):
        done(airline, "send_certificate", user_id="cleo_iyer_1002", amount=50)
    profile = done(airline, "get_user_details", user_id="cleo_iyer_1002")
    assert list(profile["payment_methods"]) == [
        f"certificate_{number}" for number in (3221322, 3221323, 3221324, 3221325, 3221326)
    ]


def test_the_id_of_a_certificate_that_was_spent_is_not_given_again(airline: Environment) -> None:
    done(airline, "send_certificate", user_id="ada_weber_1001", amount=300)
    done(airline, "book_reservation", **booking(payment_methods=pay(certificate_3221322=300)))
    message = done(airline, "send_certificate", user_id="ada_weber_1001", amount=50)
    assert "certificate_3221323" in message


@pytest.mark.parametrize("amount", [0, -50])
def test_a_certificate_of_no_worth_is_refused(airline: Environment, amount: int) -> None:
    said = refused(airline, "send_certificate", user_id="ada_weber_1001", amount=amount)
    assert str(amount) in said


def test_a_certificate_for_an_unknown_user_is_refused(airline: Environment) -> None:
    assert "nobody_1" in refused(airline, "send_certificate", user_id="nobody_1", amount=50)

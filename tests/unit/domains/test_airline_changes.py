"""The airline's tools that change a reservation: flights, bags, passengers, cancelling."""

from __future__ import annotations

from typing import Any

import pytest
from airline_world import ADA, BEN, done, refused, small_airline

from pytest_taubench import Environment

OUT = {"flight_number": "MRD001", "date": "2024-05-20"}
OUT_A_DAY_LATER = {"flight_number": "MRD001", "date": "2024-05-21"}
BACK = {"flight_number": "MRD002", "date": "2024-05-25"}


@pytest.fixture
def airline() -> Environment:
    return small_airline()


def new_flights(**changed: Any) -> dict[str, Any]:
    """Move the way out of ECO222, two passengers in economy, to the 21st."""
    return {
        "reservation_id": "ECO222",
        "cabin": "economy",
        "flights": [OUT_A_DAY_LATER, BACK],
        "payment_id": "gift_card_1",
        **changed,
    }


def balance(airline: Environment, key: str) -> int:
    profile = done(airline, "get_user_details", user_id="ada_weber_1001")
    amount: int = profile["payment_methods"][key]["amount"]
    return amount


def test_a_kept_flight_keeps_its_price_and_a_new_one_costs_todays(airline: Environment) -> None:
    reservation = done(airline, "update_reservation_flights", **new_flights())
    assert [flight["price"] for flight in reservation["flights"]] == [170, 155]


def test_the_difference_for_all_passengers_is_paid_and_kept_in_the_history(
    airline: Environment,
) -> None:
    reservation = done(airline, "update_reservation_flights", **new_flights())
    # (170 - 145) * 2 = 50
    assert reservation["payment_history"][2:] == [{"payment_id": "gift_card_1", "amount": 50}]
    assert balance(airline, "gift_card_1") == 250


def test_a_cheaper_trip_is_refunded(airline: Environment) -> None:
    reservation = done(airline, "update_reservation_flights", **new_flights(cabin="basic_economy"))
    # (110 + 90 - 145 - 155) * 2 = -200
    assert reservation["payment_history"][2:] == [{"payment_id": "gift_card_1", "amount": -200}]
    assert balance(airline, "gift_card_1") == 500


def test_a_change_of_cabin_is_kept_and_charged_for_every_flight(airline: Environment) -> None:
    change = new_flights(cabin="business", payment_id="credit_card_1")
    reservation = done(airline, "update_reservation_flights", **change)
    assert reservation["cabin"] == "business"
    # (420 + 380 - 145 - 155) * 2 = 1000
    assert reservation["payment_history"][-1] == {"payment_id": "credit_card_1", "amount": 1000}


def test_the_new_cabin_decides_what_a_later_change_keeps(airline: Environment) -> None:
    change = new_flights(cabin="business", payment_id="credit_card_1")
    done(airline, "update_reservation_flights", **change)
    again = done(airline, "update_reservation_flights", **change)
    assert len(again["payment_history"]) == 3  # nothing more to pay
    assert [flight["price"] for flight in again["flights"]] == [420, 380]


def test_a_change_without_a_difference_adds_no_payment(airline: Environment) -> None:
    same = new_flights(flights=[OUT, BACK])
    reservation = done(airline, "update_reservation_flights", **same)
    assert len(reservation["payment_history"]) == 2
    assert airline.changes() == {}


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"reservation_id": "ECO333"}, "ECO333"),
        ({"payment_id": "credit_card_9"}, "credit_card_9"),
        ({"payment_id": "certificate_1"}, "certificate"),
        ({"payment_id": "gift_card_2"}, "gift_card_2 holds 40 dollars, 50 are needed"),
        ({"flights": [{"flight_number": "MRD001", "date": "2024-05-16"}, BACK]}, "cancelled"),
        ({"flights": [{"flight_number": "MRD001", "date": "2024-05-15"}, BACK]}, "landed"),
        ({"flights": [{"flight_number": "MRD404", "date": "2024-05-21"}, BACK]}, "MRD404"),
        ({"flights": [OUT, BACK], "cabin": "business"}, "0 seats left in business"),
        ({"flights": []}, "at least one flight"),
    ],
)
def test_a_change_of_flights_that_cannot_be_is_refused(
    airline: Environment, changed: dict[str, Any], reason: str
) -> None:
    assert reason in refused(airline, "update_reservation_flights", **new_flights(**changed))


def test_free_bags_cost_nothing(airline: Environment) -> None:
    reservation = done(
        airline,
        "update_reservation_baggages",
        reservation_id="ECO222",
        total_baggages=4,
        nonfree_baggages=0,
        payment_id="credit_card_1",
    )
    assert reservation["total_baggages"] == 4
    assert len(reservation["payment_history"]) == 2


def test_only_bags_newly_paid_for_are_charged(airline: Environment) -> None:
    for total, nonfree in ((5, 1), (7, 3)):
        reservation = done(
            airline,
            "update_reservation_baggages",
            reservation_id="ECO222",
            total_baggages=total,
            nonfree_baggages=nonfree,
            payment_id="gift_card_1",
        )
    # 1 * 50, then (3 - 1) * 50
    assert [payment["amount"] for payment in reservation["payment_history"][2:]] == [50, 100]
    assert balance(airline, "gift_card_1") == 150


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"payment_id": "gift_card_2"}, "gift_card_2 holds 40 dollars, 100 are needed"),
        ({"payment_id": "certificate_1"}, "certificate"),
        ({"payment_id": "credit_card_9"}, "credit_card_9"),
        ({"reservation_id": "ECO333"}, "ECO333"),
        ({"nonfree_baggages": 7}, "nonfree_baggages (7)"),
    ],
)
def test_a_change_of_bags_that_cannot_be_is_refused(
    airline: Environment, changed: dict[str, Any], reason: str
) -> None:
    arguments: dict[str, Any] = {
        "reservation_id": "ECO222",
        "total_baggages": 6,
        "nonfree_baggages": 2,
        "payment_id": "credit_card_1",
        **changed,
    }
    assert reason in refused(airline, "update_reservation_baggages", **arguments)


def test_passengers_are_replaced(airline: Environment) -> None:
    cleo = {"first_name": "Cleo", "last_name": "Iyer", "dob": "1990-06-07"}
    reservation = done(
        airline,
        "update_reservation_passengers",
        reservation_id="ECO222",
        passengers=[ADA, cleo],
    )
    assert reservation["passengers"] == [ADA, cleo]


@pytest.mark.parametrize("passengers", [[], [ADA], [ADA, BEN, BEN]])
def test_the_number_of_passengers_cannot_change(
    airline: Environment, passengers: list[dict[str, str]]
) -> None:
    message = refused(
        airline, "update_reservation_passengers", reservation_id="ECO222", passengers=passengers
    )
    assert "2 passengers" in message


def test_cancelling_refunds_every_payment_to_where_it_came_from(airline: Environment) -> None:
    reservation = done(airline, "cancel_reservation", reservation_id="ECO222")
    assert reservation["status"] == "cancelled"
    assert reservation["payment_history"] == [
        {"payment_id": "gift_card_1", "amount": 100},
        {"payment_id": "credit_card_1", "amount": 500},
        {"payment_id": "gift_card_1", "amount": -100},
        {"payment_id": "credit_card_1", "amount": -500},
    ]
    assert sum(payment["amount"] for payment in reservation["payment_history"]) == 0
    assert balance(airline, "gift_card_1") == 300  # the money arrives days later


def test_cancelling_twice_is_refused_and_refunds_once(airline: Environment) -> None:
    done(airline, "cancel_reservation", reservation_id="BAS111")
    assert "BAS111 is cancelled" in refused(airline, "cancel_reservation", reservation_id="BAS111")
    reservation = done(airline, "get_reservation_details", reservation_id="BAS111")
    assert [payment["amount"] for payment in reservation["payment_history"]] == [120, -120]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("update_reservation_flights", new_flights()),
        ("update_reservation_passengers", {"reservation_id": "ECO222", "passengers": [BEN, ADA]}),
        (
            "update_reservation_baggages",
            {
                "reservation_id": "ECO222",
                "total_baggages": 2,
                "nonfree_baggages": 0,
                "payment_id": "credit_card_1",
            },
        ),
    ],
)
def test_a_cancelled_reservation_cannot_be_changed(
    airline: Environment, name: str, arguments: dict[str, Any]
) -> None:
    done(airline, "cancel_reservation", reservation_id="ECO222")
    assert "ECO222 is cancelled" in refused(airline, name, **arguments)


def test_an_unknown_reservation_is_not_cancelled(airline: Environment) -> None:
    assert "ECO333" in refused(airline, "cancel_reservation", reservation_id="ECO333")

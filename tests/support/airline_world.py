"""A small airline whose every price, seat and balance is known by heart."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from functools import cache
from typing import Any

from pytest_taubench import Database, Environment, Tool, load_domain


def seats(basic_economy: int, economy: int, business: int) -> dict[str, int]:
    return {"basic_economy": basic_economy, "economy": economy, "business": business}


def available(prices: dict[str, int], left: dict[str, int]) -> dict[str, Any]:
    return {"status": "available", "available_seats": left, "prices": prices}


def flight(number: str, origin: str, destination: str, times: str, dates: dict[str, Any]) -> Any:
    departure, arrival = times.split("-")
    return {
        "flight_number": number,
        "origin": origin,
        "destination": destination,
        "scheduled_departure_time_est": departure,
        "scheduled_arrival_time_est": arrival,
        "dates": dates,
    }


MANY = seats(9, 9, 9)
FLIGHTS = {
    "MRD001": flight(
        "MRD001",
        "JFK",
        "SEA",
        "06:00:00-12:00:00",
        {
            "2024-05-15": {"status": "landed"},
            "2024-05-16": {"status": "cancelled"},
            "2024-05-20": available(seats(100, 150, 400), seats(3, 2, 0)),
            "2024-05-21": available(seats(110, 170, 420), MANY),
        },
    ),
    "MRD002": flight(
        "MRD002",
        "SEA",
        "JFK",
        "14:00:00-20:00:00",
        {"2024-05-25": available(seats(90, 140, 380), MANY)},
    ),
    # Lands after midnight, so that what follows it leaves a day later.
    "MRD003": flight(
        "MRD003",
        "JFK",
        "ORD",
        "22:00:00-00:30:00+1",
        {
            "2024-05-20": available(seats(50, 80, 200), MANY),
            "2024-05-31": available(seats(51, 81, 201), MANY),
        },
    ),
    "MRD004": flight(
        "MRD004",
        "ORD",
        "SEA",
        "07:00:00-11:00:00",
        {
            "2024-05-20": available(seats(60, 90, 210), MANY),
            "2024-05-21": available(seats(65, 95, 215), seats(1, 2, 3)),
            "2024-06-01": available(seats(66, 96, 216), MANY),
        },
    ),
    "MRD005": flight(
        "MRD005",
        "JFK",
        "ORD",
        "03:00:00-05:30:00",
        {"2024-05-20": available(seats(40, 70, 190), MANY)},
    ),
}
ADA = {"first_name": "Ada", "last_name": "Weber", "dob": "1980-02-03"}
BEN = {"first_name": "Ben", "last_name": "Weber", "dob": "1982-04-05"}
USERS = {
    "ada_weber_1001": {
        "name": {"first_name": "Ada", "last_name": "Weber"},
        "payment_methods": {
            "credit_card_1": {"source": "credit_card", "last_four": "1111", "id": "credit_card_1"},
            "gift_card_1": {"source": "gift_card", "amount": 300, "id": "gift_card_1"},
            "gift_card_2": {"source": "gift_card", "amount": 40, "id": "gift_card_2"},
            "certificate_1": {"source": "certificate", "amount": 250, "id": "certificate_1"},
        },
        "saved_passengers": [BEN],
        "membership": "silver",
        "reservations": ["ECO222", "BAS111"],
    },
    "cleo_iyer_1002": {
        "name": {"first_name": "Cleo", "last_name": "Iyer"},
        "payment_methods": {},
        "saved_passengers": [],
        "membership": "regular",
        "reservations": [],
    },
}
RESERVATIONS = {
    # Two passengers, booked at other prices than today's.
    "ECO222": {
        "reservation_id": "ECO222",
        "user_id": "ada_weber_1001",
        "origin": "JFK",
        "destination": "SEA",
        "flight_type": "round_trip",
        "cabin": "economy",
        "flights": [
            {
                "origin": "JFK",
                "destination": "SEA",
                "flight_number": "MRD001",
                "date": "2024-05-20",
                "price": 145,
            },
            {
                "origin": "SEA",
                "destination": "JFK",
                "flight_number": "MRD002",
                "date": "2024-05-25",
                "price": 155,
            },
        ],
        "passengers": [ADA, BEN],
        "payment_history": [
            {"payment_id": "gift_card_1", "amount": 100},
            {"payment_id": "credit_card_1", "amount": 500},
        ],
        "created_at": "2024-05-02T10:00:00",
        "total_baggages": 1,
        "nonfree_baggages": 0,
        "insurance": "no",
    },
    "BAS111": {
        "reservation_id": "BAS111",
        "user_id": "ada_weber_1001",
        "origin": "JFK",
        "destination": "SEA",
        "flight_type": "one_way",
        "cabin": "basic_economy",
        "flights": [
            {
                "origin": "JFK",
                "destination": "SEA",
                "flight_number": "MRD001",
                "date": "2024-05-21",
                "price": 120,
            }
        ],
        "passengers": [ADA],
        "payment_history": [{"payment_id": "credit_card_1", "amount": 120}],
        "created_at": "2024-05-03T10:00:00",
        "total_baggages": 0,
        "nonfree_baggages": 0,
        "insurance": "no",
    },
}
TABLES: dict[str, Any] = {"flights": FLIGHTS, "users": USERS, "reservations": RESERVATIONS}


@cache
def airline_tools() -> Mapping[str, Tool]:
    return load_domain("airline").tools


def small_airline() -> Environment:
    """Return an environment of the airline's tools over the small database."""
    return Environment(airline_tools(), Database(deepcopy(TABLES)))


def done(environment: Environment, name: str, **arguments: Any) -> Any:
    """Call a tool that must succeed and return its value."""
    result = environment.call(name, arguments)
    assert result.ok, result.content
    return result.value


def refused(environment: Environment, name: str, **arguments: Any) -> str:
    """Call a tool that must refuse, changing nothing; return what the agent reads."""
    before = environment.changes()
    result = environment.call(name, arguments)
    assert not result.ok, result.content
    assert environment.changes() == before
    return result.content

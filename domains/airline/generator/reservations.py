"""Reservations: what users have booked, for whom, and how they paid."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from .airports import AIRPORTS
from .flights import CABINS, Leg
from .ids import Ids
from .period import NOW, moment
from .trips import Network
from .users import passenger

Record = dict[str, Any]

RESERVATIONS = 2000
FREE_BAGS = {"regular": (0, 1, 2), "silver": (1, 2, 3), "gold": (2, 3, 3)}
"""By membership, for a passenger in each cabin."""
BAG_PRICE = 50
INSURANCE_PRICE = 30


def make_reservations(
    legs: Sequence[Leg], users: Mapping[str, Record], rng: random.Random, ids: Ids
) -> dict[str, Record]:
    """Return the 2,000 reservations, and list each under its user."""
    network = Network(legs)
    keys = rng.choices(
        list(users), [rng.choice((0.1, 1, 1, 1.5, 2)) for _ in users], k=RESERVATIONS
    )
    made: dict[str, Record] = {}
    for key in keys:
        record = _reservation(key, users[key], network, rng, ids)
        made[record["reservation_id"]] = record
        users[key]["reservations"].append(record["reservation_id"])
    return made


def _reservation(
    user_id: str, user: Record, network: Network, rng: random.Random, ids: Ids
) -> Record:
    journey = network.journey(_home(user), rng)
    cabin = rng.choices(CABINS, (32, 43, 25))[0]
    passengers = _passengers(user, rng)
    total_bags = rng.choice((0, 0, 1, 1, 2, 3)) * len(passengers) // rng.choice((1, 2))
    free_bags = FREE_BAGS[user["membership"]][CABINS.index(cabin)] * len(passengers)
    nonfree = max(0, total_bags - free_bags)
    flights = [_booked(leg, day, cabin, rng) for leg, day in journey.flown]
    insurance = rng.choice(("yes", "no", "no"))
    price = sum(f["price"] for f in flights) + (INSURANCE_PRICE if insurance == "yes" else 0)
    total = price * len(passengers) + BAG_PRICE * nonfree
    first, first_day = journey.flown[0]
    return {
        "reservation_id": ids.reservation(),
        "user_id": user_id,
        "origin": journey.origin,
        "destination": journey.goal,
        "flight_type": "round_trip" if journey.is_round_trip else "one_way",
        "cabin": cabin,
        "flights": flights,
        "passengers": passengers,
        "payment_history": _payments(total, user["payment_methods"], rng, ids),
        "created_at": _booked_at(moment(first_day, first.departure), rng),
        "total_baggages": total_bags,
        "nonfree_baggages": nonfree,
        "insurance": insurance,
    }


def _home(user: Record) -> str:
    city = user["address"]["city"]
    return next(code for code, airport in AIRPORTS.items() if airport.city == city)


def _booked(leg: Leg, day: date, cabin: str, rng: random.Random) -> Record:
    return {
        "origin": leg.origin,
        "destination": leg.destination,
        "flight_number": leg.number,
        "date": day.isoformat(),
        "price": round(leg.prices[day.isoformat()][cabin] * rng.uniform(0.8, 1.25)),
    }


def _passengers(user: Record, rng: random.Random) -> list[Record]:
    owner = {**user["name"], "dob": user["dob"]}
    others = [dict(p) for p in user["saved_passengers"]]
    count = rng.choices((1, 2, 3, 4, 5), (46, 30, 14, 7, 3))[0]
    people = [owner, *others] if rng.random() < 0.88 else [*others, owner]
    people += [passenger(user["name"]["last_name"], rng) for _ in range(count - len(people))]
    return people[:count]


def _booked_at(departure: datetime, rng: random.Random) -> str:
    latest = min(NOW - timedelta(minutes=5), departure - timedelta(hours=6))
    recent = latest > NOW - timedelta(hours=20) and rng.random() < 0.1
    back = timedelta(seconds=rng.randint(0, 70_000) if recent else rng.randint(90_000, 26 * 86_400))
    return (latest - back).isoformat()


def _payments(
    total: int, methods: Mapping[str, Record], rng: random.Random, ids: Ids
) -> list[Record]:
    """Pay by credit card, after a gift card (still in the profile) or a certificate (used up)."""
    card = rng.choice([key for key, method in methods.items() if method["source"] == "credit_card"])
    gifts = [key for key, method in methods.items() if method["source"] == "gift_card"]
    first, amount = card, total
    draw = rng.random()
    if draw < 0.2 and gifts:
        first, amount = rng.choice(gifts), min(total, rng.choice((total, rng.randint(20, 400))))
    elif draw < 0.32:
        first = ids.payment_method("certificate")
        amount = min(total, rng.choice((50, 100, 150, 250, 500)))
    rest = [{"payment_id": card, "amount": total - amount}] if amount < total else []
    return [{"payment_id": first, "amount": amount}, *rest]

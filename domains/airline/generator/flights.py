"""Flights: between which cities, when, at what price, and what became of them."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import permutations
from typing import Any

from .airports import AIRPORTS, great_circle_miles
from .period import NOW, days, moment

CABINS = ("basic_economy", "economy", "business")
ROUTES = 65
BUSIEST = 20
"""How many of the routes have three flights a day each way; the others have two."""


@dataclass
class Leg:
    """One flight as it is flown every day, with what a seat on it costs by date.

    Attributes:
        origin: Airport code.
        destination: Airport code.
        departure: Minutes after midnight, Eastern time.
        duration: Minutes.
        number: The flight number.
        prices: By date and cabin; of every date, also where the record shows none.
        statuses: The record's entry by date.
    """

    origin: str
    destination: str
    departure: int
    duration: int
    number: str = ""
    prices: dict[str, dict[str, int]] = field(default_factory=dict)
    statuses: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def arrival(self) -> int:
        """Minutes after midnight of the day of departure; over 1440 the next day."""
        return self.departure + self.duration

    def record(self) -> dict[str, Any]:
        """Return the flight as the database holds it."""
        return {
            "flight_number": self.number,
            "origin": self.origin,
            "destination": self.destination,
            "scheduled_departure_time_est": _clock(self.departure),
            "scheduled_arrival_time_est": _clock(self.arrival),
            "dates": self.statuses,
        }


def _clock(minutes: int) -> str:
    days_later, minute = divmod(minutes, 1440)
    return f"{minute // 60:02d}:{minute % 60:02d}:00" + (f"+{days_later}" if days_later else "")


def make_legs(rng: random.Random) -> list[Leg]:
    """Return the 300 flights, numbered, with prices and statuses."""
    legs = [
        _leg(origin, destination, daily, slot, rng)
        for a, b, daily in choose_routes(rng)
        for origin, destination in ((a, b), (b, a))
        for slot in range(daily)
    ]
    rng.shuffle(legs)
    for index, leg in enumerate(legs, start=1):
        leg.number = f"MRD{index:03d}"
        _fill_dates(leg, rng)
    return legs


def choose_routes(rng: random.Random) -> list[tuple[str, str, int]]:
    """Return 65 city pairs with their daily flights each way; 150 each way in all."""
    appeal = {
        (a, b): AIRPORTS[a].traffic * AIRPORTS[b].traffic * rng.uniform(0.6, 1.4)
        for a, b in permutations(AIRPORTS, 2)
        if a < b and great_circle_miles(a, b) > 180
    }
    ranked = sorted(appeal, key=lambda pair: -appeal[pair])
    chosen = ranked[:50]
    for pair in ranked[50:]:  # then the pairs that serve the least connected cities
        degree = {code: sum(code in other for other in chosen) for code in pair}
        if len(chosen) < ROUTES and min(degree.values()) < 4:
            chosen.append(pair)
    chosen += [pair for pair in ranked if pair not in chosen][: ROUTES - len(chosen)]
    return [(a, b, 3 if rank < BUSIEST else 2) for rank, (a, b) in enumerate(chosen)]


def _leg(origin: str, destination: str, daily: int, slot: int, rng: random.Random) -> Leg:
    if daily < 3:
        local = rng.randrange(360, 1350, 15)
    else:  # spread over the day
        local = 390 + 300 * slot + rng.randrange(0, 240, 15)
    departure = (local + 60 * AIRPORTS[origin].hours_behind) % 1440
    duration = 5 * round((35 + great_circle_miles(origin, destination) / 7.9) / 5)
    return Leg(origin, destination, departure, duration)


def _fill_dates(leg: Leg, rng: random.Random) -> None:
    miles = great_circle_miles(leg.origin, leg.destination)
    level = rng.uniform(0.85, 1.2)
    for day in days():
        prices = _prices(miles, level * (1.15 if day.weekday() in (4, 6) else 1.0), rng)
        leg.prices[day.isoformat()] = prices
        leg.statuses[day.isoformat()] = _status(leg, day, prices, rng)


def _prices(miles: float, level: float, rng: random.Random) -> dict[str, int]:
    basic = (42 + 0.055 * miles) * level * rng.uniform(0.88, 1.15)
    economy = basic * rng.uniform(1.3, 1.7)
    return {
        "basic_economy": round(basic),
        "economy": round(economy),
        "business": round(economy * rng.uniform(2.2, 3.0)),
    }


def _status(leg: Leg, day: date, prices: dict[str, int], rng: random.Random) -> dict[str, Any]:
    if rng.random() < (0.06 if day <= NOW.date() else 0.012):
        return {"status": "cancelled"}
    if day <= NOW.date():
        return _progress(leg, day, rng)
    seats = {cabin: _seats_left(rng) for cabin in CABINS}
    return {"status": "available", "available_seats": seats, "prices": prices}


def _progress(leg: Leg, day: date, rng: random.Random) -> dict[str, Any]:
    """Return how far a flight of today or before has come."""
    late = rng.choice(
        (rng.randint(-6, 10), rng.randint(-2, 14), rng.randint(15, 70), rng.randint(0, 240))
    )
    leaves = moment(day, leg.departure + late)
    arrives = leaves + timedelta(minutes=leg.duration + rng.randint(-14, 9))
    if arrives <= NOW:
        status, left, arrived = "landed", "actual", "actual"
    elif leaves <= NOW:
        status, left, arrived = "flying", "actual", "estimated"
    else:
        status, left, arrived = "delayed" if late >= 15 else "on time", "estimated", "estimated"
    return {
        "status": status,
        f"{left}_departure_time_est": leaves.isoformat(),
        f"{arrived}_arrival_time_est": arrives.isoformat(),
    }


def _seats_left(rng: random.Random) -> int:
    """Return a few or many seats, in one case of six none."""
    few, many = rng.randint(1, 6), rng.randint(5, 20)
    return rng.choice((0 if few <= 3 else many, few, many))

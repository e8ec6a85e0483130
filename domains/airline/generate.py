"""Make the airline database: flights, users and reservations, the same bytes for the same seed.

Run as ``python domains/airline/generate.py [--seed N] [--out DIR]``. Only the standard library
is used, and every random choice comes from one ``random.Random``.
"""

from __future__ import annotations

import argparse
import json
import random
import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import permutations
from math import asin, cos, radians, sin, sqrt
from pathlib import Path
from typing import Any

Record = dict[str, Any]

NOW = datetime(2024, 5, 15, 15, 0)
FIRST_DAY = date(2024, 5, 1)
DAYS = 30
USERS = 500
RESERVATIONS = 2000
CABINS = ("basic_economy", "economy", "business")
MEMBERSHIPS = ("regular", "silver", "gold")
FREE_BAGS = {"regular": (0, 1, 2), "silver": (1, 2, 3), "gold": (2, 3, 3)}

# code: city, state, latitude, longitude, hours behind Eastern time, weight of its traffic
AIRPORTS: dict[str, tuple[str, str, float, float, int, int]] = {
    "ATL": ("Atlanta", "GA", 33.64, -84.43, 0, 9),
    "AUS": ("Austin", "TX", 30.19, -97.67, 1, 4),
    "BNA": ("Nashville", "TN", 36.12, -86.68, 1, 4),
    "BOS": ("Boston", "MA", 42.36, -71.01, 0, 7),
    "DEN": ("Denver", "CO", 39.86, -104.67, 2, 8),
    "DFW": ("Dallas", "TX", 32.90, -97.04, 1, 8),
    "IAD": ("Washington", "VA", 38.95, -77.46, 0, 6),
    "IAH": ("Houston", "TX", 29.98, -95.34, 1, 6),
    "JFK": ("New York", "NY", 40.64, -73.78, 0, 10),
    "LAS": ("Las Vegas", "NV", 36.08, -115.15, 3, 5),
    "LAX": ("Los Angeles", "CA", 33.94, -118.41, 3, 10),
    "MCO": ("Orlando", "FL", 28.43, -81.31, 0, 6),
    "MIA": ("Miami", "FL", 25.79, -80.29, 0, 6),
    "MSP": ("Minneapolis", "MN", 44.88, -93.22, 1, 5),
    "ORD": ("Chicago", "IL", 41.98, -87.90, 1, 9),
    "PDX": ("Portland", "OR", 45.59, -122.60, 3, 4),
    "PHX": ("Phoenix", "AZ", 33.44, -112.01, 2, 5),
    "SAN": ("San Diego", "CA", 32.73, -117.19, 3, 4),
    "SEA": ("Seattle", "WA", 47.45, -122.31, 3, 6),
    "SLC": ("Salt Lake City", "UT", 40.79, -111.98, 2, 4),
}
ZIP_PREFIXES = {
    "ATL": "303", "AUS": "787", "BNA": "372", "BOS": "021", "DEN": "802", "DFW": "752", "IAD": "201",
    "IAH": "770", "JFK": "112", "LAS": "891", "LAX": "900", "MCO": "328", "MIA": "331", "MSP": "554",
    "ORD": "606", "PDX": "972", "PHX": "850", "SAN": "921", "SEA": "981", "SLC": "841",
}  # fmt: skip
FIRST_NAMES = (
    "Adaeze", "Aiko", "Alba", "Amara", "Anders", "Arjun", "Astrid", "Beatriz", "Bjorn", "Camille",
    "Carlos", "Chidi", "Clara", "Dagny", "Dmitri", "Eamon", "Elif", "Emeka", "Esther", "Farah",
    "Felix", "Freya", "Gabriel", "Greta", "Hana", "Hassan", "Hugo", "Ingrid", "Ines", "Isaac",
    "Jamal", "Joanna", "Jonas", "Kaito", "Keira", "Kwame", "Lars", "Leila", "Linh", "Lucia",
    "Mateo", "Maren", "Milan", "Nadia", "Nikhil", "Nora", "Odette", "Olga", "Otis", "Paloma",
    "Petra", "Quinn", "Rafael", "Rosa", "Ruth", "Samir", "Selma", "Silas", "Tamar", "Tariq", "Theo",
    "Uma", "Viktor", "Wanda", "Xavier", "Yusuf", "Zora",
)  # fmt: skip
LAST_NAMES = (
    "Abara", "Adler", "Almeida", "Bakker", "Banerjee", "Beaumont", "Castellano", "Cho", "Cruz",
    "Dahl", "Delgado", "Dubois", "Eriksen", "Faraday", "Fitzgerald", "Fontaine", "Gallagher",
    "Gupta", "Haddad", "Hoffman", "Ibarra", "Iyer", "Jansen", "Kaplan", "Kowalski", "Lindqvist",
    "Lozano", "Mbeki", "Mendoza", "Moreau", "Nakagawa", "Navarro", "Nwosu", "Obi", "Okafor",
    "Orlov", "Pacheco", "Pereira", "Quigley", "Rahman", "Reyes", "Rosenberg", "Salazar", "Sato",
    "Schneider", "Soto", "Takeda", "Tran", "Uchida", "Vargas", "Vogel", "Walsh", "Weber", "Yamada",
    "Zielinski",
)  # fmt: skip
STREETS = (
    "Alder Lane", "Birch Street", "Canal Road", "Dogwood Drive", "Elm Court", "Foundry Street",
    "Garden Way", "Harbor Road", "Juniper Avenue", "Kestrel Lane", "Linden Street", "Mill Road",
    "Orchard Avenue", "Prospect Street", "Quarry Road", "River Street", "Summit Avenue",
    "Union Street",
)  # fmt: skip


@dataclass
class Leg:
    """One flight as it is flown every day, with what a seat on it costs by date.

    Attributes:
        number: The flight number.
        origin: Airport code.
        destination: Airport code.
        departure: Minutes after midnight, Eastern time.
        duration: Minutes.
        prices: By date and cabin; of every date, also where the record shows none.
        statuses: The record's entry by date.
    """

    number: str
    origin: str
    destination: str
    departure: int
    duration: int
    prices: dict[str, dict[str, int]] = field(default_factory=dict)
    statuses: dict[str, Record] = field(default_factory=dict)

    @property
    def arrival(self) -> int:
        """Minutes after midnight of the day of departure; over 1440 the next day."""
        return self.departure + self.duration

    def record(self) -> Record:
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
    days, minute = divmod(minutes, 1440)
    return f"{minute // 60:02d}:{minute % 60:02d}:00" + (f"+{days}" if days else "")


def _moment(day: date, minutes: int) -> datetime:
    return datetime(day.year, day.month, day.day) + timedelta(minutes=minutes)


def great_circle_miles(a: str, b: str) -> float:
    """Return the great-circle distance of two airports in statute miles."""
    lat1, lon1, lat2, lon2 = (radians(x) for code in (a, b) for x in AIRPORTS[code][2:4])
    half = sin((lat2 - lat1) / 2) ** 2 + cos(lat1) * cos(lat2) * sin((lon2 - lon1) / 2) ** 2
    return 2 * 3958.8 * asin(sqrt(half))


def _detour(origin: str, stop: str, goal: str) -> float:
    flown = great_circle_miles(origin, stop) + great_circle_miles(stop, goal)
    return flown / (great_circle_miles(origin, goal) + 150)


# --- flights ---------------------------------------------------------------------------------


def choose_routes(rng: random.Random) -> list[tuple[str, str, int]]:
    """Return 65 city pairs with their daily flights each way; 150 each way in all."""
    appeal = {
        (a, b): AIRPORTS[a][5] * AIRPORTS[b][5] * rng.uniform(0.6, 1.4)
        for a, b in permutations(AIRPORTS, 2)
        if a < b and great_circle_miles(a, b) > 180
    }
    ranked = sorted(appeal, key=lambda pair: -appeal[pair])
    chosen = ranked[:50]
    for pair in ranked[50:]:  # then the pairs that serve the least connected cities
        degree = {code: sum(code in other for other in chosen) for code in pair}
        if len(chosen) < 65 and min(degree.values()) < 4:
            chosen.append(pair)
    chosen += [pair for pair in ranked if pair not in chosen][: 65 - len(chosen)]
    return [(a, b, 3 if rank < 20 else 2) for rank, (a, b) in enumerate(chosen)]


def make_legs(rng: random.Random) -> list[Leg]:
    """Return the 300 flights, numbered, with prices and statuses."""
    legs: list[Leg] = []
    for a, b, daily in choose_routes(rng):
        for origin, destination in ((a, b), (b, a)):
            for slot in range(daily):
                local = (
                    rng.randrange(360, 1350, 15)
                    if daily < 3
                    else 390 + 300 * slot + rng.randrange(0, 240, 15)
                )
                departure = (local + 60 * AIRPORTS[origin][4]) % 1440
                duration = 5 * round((35 + great_circle_miles(a, b) / 7.9) / 5)
                legs.append(Leg("", origin, destination, departure, duration))
    rng.shuffle(legs)
    for index, leg in enumerate(legs, start=1):
        leg.number = f"MRD{index:03d}"
        _fill_dates(leg, rng)
    return legs


def _fill_dates(leg: Leg, rng: random.Random) -> None:
    miles = great_circle_miles(leg.origin, leg.destination)
    level = rng.uniform(0.85, 1.2)
    for offset in range(DAYS):
        day = FIRST_DAY + timedelta(days=offset)
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


def _status(leg: Leg, day: date, prices: dict[str, int], rng: random.Random) -> Record:
    if rng.random() < (0.06 if day <= NOW.date() else 0.012):
        return {"status": "cancelled"}
    if day > NOW.date():
        seats = {cabin: _seats_left(rng) for cabin in CABINS}
        return {"status": "available", "available_seats": seats, "prices": prices}
    late = rng.choice(
        (rng.randint(-6, 10), rng.randint(-2, 14), rng.randint(15, 70), rng.randint(0, 240))
    )
    leaves = _moment(day, leg.departure + late)
    arrives = leaves + timedelta(minutes=leg.duration + rng.randint(-14, 9))
    if leaves > NOW:
        word = "delayed" if late >= 15 else "on time"
        return {
            "status": word,
            "estimated_departure_time_est": leaves.isoformat(),
            "estimated_arrival_time_est": arrives.isoformat(),
        }
    done = arrives <= NOW
    return {
        "status": "landed" if done else "flying",
        "actual_departure_time_est": leaves.isoformat(),
        f"{'actual' if done else 'estimated'}_arrival_time_est": arrives.isoformat(),
    }


def _seats_left(rng: random.Random) -> int:
    """Return a few or many seats, in one case of six none."""
    few, many = rng.randint(1, 6), rng.randint(5, 20)
    return rng.choice((0 if few <= 3 else many, few, many))


# --- users -----------------------------------------------------------------------------------


def make_users(rng: random.Random) -> dict[str, Record]:
    """Return the 500 users, as yet without reservations."""
    names = rng.sample([(first, last) for first in FIRST_NAMES for last in LAST_NAMES], USERS)
    used: set[str] = set()
    return {(user := _user(first, last, used, rng)).pop("id"): user for first, last in names}


def _user(first: str, last: str, used: set[str], rng: random.Random) -> Record:
    home = rng.choice(sorted(AIRPORTS))
    handle = f"{first}.{last}{rng.randint(10, 9999)}".lower()
    return {
        "id": f"{first}_{last}_{rng.randint(1000, 9999)}".lower(),
        "name": {"first_name": first, "last_name": last},
        "address": {
            "address1": f"{rng.randint(11, 989)} {rng.choice(STREETS)}",
            "address2": rng.choice(("", f"Apt {rng.randint(1, 60)}", f"Unit {rng.randint(1, 99)}")),
            "city": AIRPORTS[home][0],
            "country": "USA",
            "state": AIRPORTS[home][1],
            "zip": f"{ZIP_PREFIXES[home]}{rng.randint(1, 99):02d}",
        },
        "email": f"{handle}@example.com",
        "dob": _birthday(rng, 1948, 2003),
        "payment_methods": _payment_methods(used, rng),
        "saved_passengers": [_passenger(last, rng) for _ in range(rng.choice((0, 1, 1, 2, 2, 3)))],
        "membership": rng.choices(MEMBERSHIPS, (40, 34, 26))[0],
        "reservations": [],
    }


def _birthday(rng: random.Random, first_year: int, last_year: int) -> str:
    return (
        date(rng.randint(first_year, last_year), 1, 1) + timedelta(days=rng.randrange(365))
    ).isoformat()


def _passenger(family: str, rng: random.Random) -> Record:
    last = family if rng.random() < 0.55 else rng.choice(LAST_NAMES)
    return {
        "first_name": rng.choice(FIRST_NAMES),
        "last_name": last,
        "dob": _birthday(rng, 1950, 2019),
    }


def _payment_id(source: str, used: set[str], rng: random.Random) -> str:
    while (key := f"{source}_{rng.randint(1000000, 9999999)}") in used:
        continue
    used.add(key)
    return key


def _payment_methods(used: set[str], rng: random.Random) -> dict[str, Record]:
    sources = ["credit_card"] * rng.choice((1, 1, 2))
    sources += ["gift_card"] * rng.choice((0, 1, 1, 2, 3))
    sources += ["certificate"] * rng.choice((0, 0, 1, 1, 2))
    rng.shuffle(sources)
    methods = {}
    for source in sources:
        key = _payment_id(source, used, rng)
        methods[key] = {"source": source, **_payment_fields(source, rng), "id": key}
    return methods


def _payment_fields(source: str, rng: random.Random) -> Record:
    if source == "credit_card":
        return {
            "brand": rng.choice(("visa", "mastercard")),
            "last_four": f"{rng.randint(0, 9999):04d}",
        }
    if source == "certificate":
        return {"amount": rng.choice((50, 100, 100, 150, 200, 250, 500))}
    return {"amount": rng.choice((rng.randint(5, 60), rng.randint(60, 300), rng.randint(200, 900)))}


# --- reservations ----------------------------------------------------------------------------


@dataclass
class Network:
    """Which flights leave a city, and what was already given out."""

    legs_from: Mapping[str, list[Leg]]
    used_payments: set[str]
    used_ids: set[str] = field(default_factory=set)

    def trip(self, origin: str, goal: str, day: date, rng: random.Random) -> list[tuple[Leg, date]]:
        """Return a direct or one-stop trip of that day; empty where there is none in the period."""
        direct = [[(leg, day)] for leg in self.legs_from[origin] if leg.destination == goal]
        if direct and rng.random() < 0.7:
            return rng.choice(direct)
        onward = [
            trip for first in self.legs_from[origin] for trip in self._connections(first, goal, day)
        ]
        return rng.choice(onward or direct or [[]])

    def _connections(self, first: Leg, goal: str, day: date) -> list[list[tuple[Leg, date]]]:
        days, landed = divmod(first.arrival, 1440)
        second_day = day + timedelta(days=days)
        if second_day >= FIRST_DAY + timedelta(days=DAYS) or first.destination == goal:
            return []
        if _detour(first.origin, first.destination, goal) > 1.5:
            return []
        return [
            [(first, day), (second, second_day)]
            for second in self.legs_from[first.destination]
            if second.destination == goal and landed + 40 <= second.departure <= landed + 360
        ]


def make_reservations(
    legs: list[Leg], users: dict[str, Record], rng: random.Random
) -> dict[str, Record]:
    """Return the 2,000 reservations, and list each under its user."""
    used_payments = {key for user in users.values() for key in user["payment_methods"]}
    network = Network(
        {c: [leg for leg in legs if leg.origin == c] for c in AIRPORTS}, used_payments
    )
    keys = rng.choices(
        list(users), [rng.choice((0.1, 1, 1, 1.5, 2)) for _ in users], k=RESERVATIONS
    )
    made: dict[str, Record] = {}
    for key in keys:
        record = _reservation(key, users[key], network, rng)
        made[record["reservation_id"]] = record
        users[key]["reservations"].append(record["reservation_id"])
    return made


def _reservation(user_id: str, user: Record, network: Network, rng: random.Random) -> Record:
    origin, goal, trip = _itinerary(user, network, rng)
    round_trip = trip[-1][0].destination == origin
    cabin = rng.choices(CABINS, (32, 43, 25))[0]
    passengers = _passengers(user, rng)
    total_bags = rng.choice((0, 0, 1, 1, 2, 3)) * len(passengers) // rng.choice((1, 2))
    free_bags = FREE_BAGS[user["membership"]][CABINS.index(cabin)] * len(passengers)
    flights = [_booked(leg, day, cabin, rng) for leg, day in trip]
    insurance = rng.choice(("yes", "no", "no"))
    nonfree = max(0, total_bags - free_bags)
    price = sum(f["price"] for f in flights) + (30 if insurance == "yes" else 0)
    return {
        "reservation_id": _reservation_id(network.used_ids, rng),
        "user_id": user_id,
        "origin": origin,
        "destination": goal,
        "flight_type": "round_trip" if round_trip else "one_way",
        "cabin": cabin,
        "flights": flights,
        "passengers": passengers,
        "payment_history": _payments(price * len(passengers) + 50 * nonfree, user, network, rng),
        "created_at": _booked_at(_moment(trip[0][1], trip[0][0].departure), rng),
        "total_baggages": total_bags,
        "nonfree_baggages": nonfree,
        "insurance": insurance,
    }


def _itinerary(
    user: Record, network: Network, rng: random.Random
) -> tuple[str, str, list[tuple[Leg, date]]]:
    home = next(code for code, airport in AIRPORTS.items() if airport[0] == user["address"]["city"])
    while True:
        origin = home if rng.random() < 0.6 else rng.choice(sorted(AIRPORTS))
        goal = rng.choice([code for code in sorted(AIRPORTS) if code != origin])
        start = rng.choice((rng.randrange(DAYS), rng.randrange(13, DAYS)))
        out = network.trip(origin, goal, FIRST_DAY + timedelta(days=start), rng)
        if out and rng.random() < 0.5:
            return origin, goal, out
        stay = start + rng.randint(2, 9)
        back = (
            network.trip(goal, origin, FIRST_DAY + timedelta(days=stay), rng) if stay < DAYS else []
        )
        if out and back:
            return origin, goal, out + back


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
    people += [_passenger(user["name"]["last_name"], rng) for _ in range(count - len(people))]
    return people[:count]


def _reservation_id(used: set[str], rng: random.Random) -> str:
    while True:
        key = "".join(rng.choices(string.ascii_uppercase + string.digits, k=6))
        if key not in used and not key.startswith("HAT"):  # where new bookings get their ids
            used.add(key)
            return key


def _booked_at(departure: datetime, rng: random.Random) -> str:
    latest = min(NOW - timedelta(minutes=5), departure - timedelta(hours=6))
    recent = latest > NOW - timedelta(hours=20) and rng.random() < 0.1
    back = timedelta(seconds=rng.randint(0, 70_000) if recent else rng.randint(90_000, 26 * 86_400))
    return (latest - back).isoformat()


def _payments(total: int, user: Record, network: Network, rng: random.Random) -> list[Record]:
    """Pay by credit card, after a gift card (still in the profile) or a certificate (used up)."""
    methods: Mapping[str, Record] = user["payment_methods"]
    card = rng.choice([key for key, method in methods.items() if method["source"] == "credit_card"])
    gifts = [key for key, method in methods.items() if method["source"] == "gift_card"]
    first, amount = card, total
    draw = rng.random()
    if draw < 0.2 and gifts:
        first, amount = rng.choice(gifts), min(total, rng.choice((total, rng.randint(20, 400))))
    elif draw < 0.32:
        first = _payment_id("certificate", network.used_payments, rng)
        amount = min(total, rng.choice((50, 100, 150, 250, 500)))
    rest = [{"payment_id": card, "amount": total - amount}] if amount < total else []
    return [{"payment_id": first, "amount": amount}, *rest]


# --- files -----------------------------------------------------------------------------------


def make_tables(seed: int) -> dict[str, dict[str, Record]]:
    """Return the three tables of one seed."""
    rng = random.Random(seed)
    legs = make_legs(rng)
    users = make_users(rng)
    reservations = make_reservations(legs, users, rng)
    return {
        "flights": {leg.number: leg.record() for leg in legs},
        "users": users,
        "reservations": reservations,
    }


def write_table(path: Path, table: Mapping[str, Record]) -> None:
    """Write one record a line, so that a change of one record is a change of one line."""
    lines = [f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in table.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8", newline="\n")


def main(arguments: list[str] | None = None) -> None:
    """Write the tables to the domain's ``db`` folder, or to another."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=2024)
    parser.add_argument("--out", type=Path, default=Path(__file__).resolve().parent / "db")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    for name, table in make_tables(options.seed).items():
        write_table(options.out / f"{name}.json", table)


if __name__ == "__main__":
    main()

"""Users: who they are, where they live, how they pay and whom they travel with."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from .airports import AIRPORTS
from .ids import Ids

Record = dict[str, Any]

USERS = 500
MEMBERSHIPS = ("regular", "silver", "gold")


def _read() -> dict[str, list[str]]:
    file = Path(__file__).resolve().parent.parent / "people.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


PEOPLE: Mapping[str, Sequence[str]] = _read()


def make_users(rng: random.Random, ids: Ids) -> dict[str, Record]:
    """Return the 500 users, as yet without reservations."""
    pairs = [(first, last) for first in PEOPLE["first_names"] for last in PEOPLE["last_names"]]
    names = rng.sample(pairs, USERS)
    return {(user := _user(first, last, rng, ids)).pop("id"): user for first, last in names}


def _user(first: str, last: str, rng: random.Random, ids: Ids) -> Record:
    home = rng.choice(sorted(AIRPORTS))
    handle = f"{first}.{last}{rng.randint(10, 9999)}".lower()
    return {
        "id": f"{first}_{last}_{rng.randint(1000, 9999)}".lower(),
        "name": {"first_name": first, "last_name": last},
        "address": _address(home, rng),
        "email": f"{handle}@example.com",
        "dob": _birthday(rng, 1948, 2003),
        "payment_methods": _payment_methods(rng, ids),
        "saved_passengers": [passenger(last, rng) for _ in range(rng.choice((0, 1, 1, 2, 2, 3)))],
        "membership": rng.choices(MEMBERSHIPS, (40, 34, 26))[0],
        "reservations": [],
    }


def _address(home: str, rng: random.Random) -> Record:
    airport = AIRPORTS[home]
    return {
        "address1": f"{rng.randint(11, 989)} {rng.choice(PEOPLE['streets'])}",
        "address2": rng.choice(("", f"Apt {rng.randint(1, 60)}", f"Unit {rng.randint(1, 99)}")),
        "city": airport.city,
        "country": "USA",
        "state": airport.state,
        "zip": f"{airport.zip}{rng.randint(1, 99):02d}",
    }


def _birthday(rng: random.Random, first_year: int, last_year: int) -> str:
    new_year = date(rng.randint(first_year, last_year), 1, 1)
    return (new_year + timedelta(days=rng.randrange(365))).isoformat()


def passenger(family: str, rng: random.Random) -> Record:
    """Return somebody who travels with a user, more often than not of the same last name."""
    last = family if rng.random() < 0.55 else rng.choice(PEOPLE["last_names"])
    return {
        "first_name": rng.choice(PEOPLE["first_names"]),
        "last_name": last,
        "dob": _birthday(rng, 1950, 2019),
    }


def _payment_methods(rng: random.Random, ids: Ids) -> dict[str, Record]:
    sources = ["credit_card"] * rng.choice((1, 1, 2))
    sources += ["gift_card"] * rng.choice((0, 1, 1, 2, 3))
    sources += ["certificate"] * rng.choice((0, 0, 1, 1, 2))
    rng.shuffle(sources)
    methods = {}
    for source in sources:
        key = ids.payment_method(source)
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

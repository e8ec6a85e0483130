"""The bundled airline database: made from a seed, at the paper's scale, and true to its rules."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Mapping
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pytest_taubench import Environment, load_domain
from pytest_taubench.bundled import domains_root

FOLDER = domains_root() / "airline"
TABLES = ("flights", "users", "reservations")
# Free checked bags a passenger: basic economy, economy, business.
ALLOWANCE = {"regular": (0, 1, 2), "silver": (1, 2, 3), "gold": (2, 3, 3)}
CABINS = ("basic_economy", "economy", "business")

Table = Mapping[str, Any]


def read(folder: Path, table: str) -> Table:
    found: Table = json.loads((folder / f"{table}.json").read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def flights() -> Table:
    return read(FOLDER / "db", "flights")


@pytest.fixture(scope="module")
def users() -> Table:
    return read(FOLDER / "db", "users")


@pytest.fixture(scope="module")
def reservations() -> Table:
    return read(FOLDER / "db", "reservations")


def generate(out: Path, *options: str) -> None:
    command = [sys.executable, str(FOLDER / "generate.py"), "--out", str(out), *options]
    subprocess.run(command, check=True, timeout=60)


def airports() -> ModuleType:
    specification = importlib.util.spec_from_file_location(
        "airline_airports", FOLDER / "generator" / "airports.py"
    )
    assert specification
    assert specification.loader
    module = importlib.util.module_from_spec(specification)
    sys.modules["airline_airports"] = module  # dataclasses look their module up
    specification.loader.exec_module(module)
    return module


def test_the_generator_makes_the_bundled_files_byte_for_byte(tmp_path: Path) -> None:
    generate(tmp_path)
    for table in TABLES:
        bundled = (FOLDER / "db" / f"{table}.json").read_bytes()
        assert (tmp_path / f"{table}.json").read_bytes() == bundled, table


def test_another_seed_makes_other_data(tmp_path: Path) -> None:
    generate(tmp_path, "--seed", "7")
    assert read(tmp_path, "users").keys() != read(FOLDER / "db", "users").keys()


def test_distances_are_those_of_the_map() -> None:
    # Great-circle distances as published by airport distance tables, in statute miles.
    published = {("JFK", "LAX"): 2475, ("ATL", "ORD"): 606, ("SEA", "MIA"): 2724}
    distance = airports().great_circle_miles
    for (a, b), miles in published.items():
        assert distance(a, b) == pytest.approx(miles, rel=0.01)


def test_the_scale_is_the_papers(flights: Table, users: Table, reservations: Table) -> None:
    assert (len(flights), len(users), len(reservations)) == (300, 500, 2000)
    airports = {flight["origin"] for flight in flights.values()}
    assert len(airports) == 20
    assert {len(flight["dates"]) for flight in flights.values()} == {30}


def test_every_airport_has_a_city_in_the_tools(flights: Table) -> None:
    domain = load_domain("airline")
    cities = Environment(domain.tools, domain.database).call("list_all_airports", {}).value
    assert cities.keys() == {flight["origin"] for flight in flights.values()}
    assert len(set(cities.values())) == 20


def test_only_flights_to_come_have_seats_and_prices(flights: Table) -> None:
    for flight in flights.values():
        for day, entry in flight["dates"].items():
            if entry["status"] == "available":
                assert day > "2024-05-15"
                assert entry["prices"].keys() == entry["available_seats"].keys() == set(CABINS)
            else:
                assert "prices" not in entry


def test_what_has_happened_lies_before_now(flights: Table) -> None:
    for flight in flights.values():
        for entry in flight["dates"].values():
            for key, moment in entry.items():
                if key.startswith("actual"):
                    assert moment <= "2024-05-15T15:00:00"
                elif key.startswith("estimated"):
                    assert moment > "2024-05-15T15:00:00"


def test_keys_are_unique_and_point_to_each_other(users: Table, reservations: Table) -> None:
    listed = [key for user in users.values() for key in user["reservations"]]
    assert sorted(listed) == sorted(reservations)
    for key, user in users.items():
        assert all(reservations[r]["user_id"] == key for r in user["reservations"])
    methods = [key for user in users.values() for key in user["payment_methods"]]
    assert len(set(methods)) == len(methods)


def test_booked_flights_exist_and_lead_from_origin_to_destination(
    flights: Table, reservations: Table
) -> None:
    for reservation in reservations.values():
        trip = reservation["flights"]
        for leg in trip:
            flight = flights[leg["flight_number"]]
            assert (leg["origin"], leg["destination"]) == (flight["origin"], flight["destination"])
            assert leg["date"] in flight["dates"]
        stops = [trip[0]["origin"], *(leg["destination"] for leg in trip)]
        assert all(a["destination"] == b["origin"] for a, b in pairwise(trip))
        round_trip = reservation["flight_type"] == "round_trip"
        assert stops[0] == reservation["origin"]
        assert stops[-1] == reservation["origin" if round_trip else "destination"]
        assert reservation["destination"] in stops


def test_a_connection_leaves_after_its_first_flight_lands(
    flights: Table, reservations: Table
) -> None:
    def moment(leg: Mapping[str, Any], which: str) -> float:
        clock, _, days = flights[leg["flight_number"]][f"scheduled_{which}_time_est"].partition("+")
        return datetime.fromisoformat(f"{leg['date']}T{clock}").timestamp() + 86400 * int(days or 0)

    for reservation in reservations.values():
        trip = reservation["flights"]
        for first, second in pairwise(trip):
            assert moment(first, "arrival") < moment(second, "departure")


def test_payments_add_up_to_fares_bags_and_insurance(reservations: Table) -> None:
    for reservation in reservations.values():
        fares = sum(leg["price"] for leg in reservation["flights"])
        insurance = 30 if reservation["insurance"] == "yes" else 0
        price = (fares + insurance) * len(reservation["passengers"])
        price += 50 * reservation["nonfree_baggages"]
        assert price == sum(p["amount"] for p in reservation["payment_history"])


def test_bags_beyond_the_allowance_are_those_paid_for(users: Table, reservations: Table) -> None:
    for reservation in reservations.values():
        per_passenger = ALLOWANCE[users[reservation["user_id"]]["membership"]]
        free = per_passenger[CABINS.index(reservation["cabin"])] * len(reservation["passengers"])
        over = max(0, reservation["total_baggages"] - free)
        assert reservation["nonfree_baggages"] == over


def test_reservations_are_within_what_can_be_booked(users: Table, reservations: Table) -> None:
    for reservation in reservations.values():
        assert 1 <= len(reservation["passengers"]) <= 5
        assert reservation["created_at"] < "2024-05-15T15:00:00"
        sources = [p["payment_id"].rsplit("_", 1)[0] for p in reservation["payment_history"]]
        assert sources.count("certificate") <= 1
        assert sources.count("credit_card") <= 1
        methods = users[reservation["user_id"]]["payment_methods"]
        kept = [p["payment_id"] for p in reservation["payment_history"]]
        # A certificate is gone once it was spent; all else is still in the profile.
        assert all((key in methods) != key.startswith("certificate") for key in kept)

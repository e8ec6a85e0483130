"""Flights: what is served, what can be booked, and at what price."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date as Date
from datetime import timedelta

from pytest_taubench import Overlay, ToolError

from .records import Cabin, FlightChoice, Frozen, Record

# More cities than one database uses, so that the tools serve other airline data as well.
CITIES = {
    "ATL": "Atlanta", "AUS": "Austin", "BNA": "Nashville", "BOS": "Boston", "CLT": "Charlotte",
    "DEN": "Denver", "DFW": "Dallas", "DTW": "Detroit", "EWR": "Newark", "IAD": "Washington",
    "IAH": "Houston", "JFK": "New York", "LAS": "Las Vegas", "LAX": "Los Angeles",
    "LGA": "LaGuardia", "MCO": "Orlando", "MIA": "Miami", "MSP": "Minneapolis", "ORD": "Chicago",
    "PDX": "Portland", "PHL": "Philadelphia", "PHX": "Phoenix", "SAN": "San Diego",
    "SEA": "Seattle", "SFO": "San Francisco", "SLC": "Salt Lake City",
}  # fmt: skip


def flight_on(db: Overlay, flight_number: str, date: str) -> Frozen:
    """Return what a flight does on one date."""
    flight = db.get("flights", flight_number)
    if flight is None:
        raise ToolError(f"there is no flight {flight_number!r}; search for flights by airport")
    if date not in flight["dates"]:
        raise ToolError(f"flight {flight_number} is not scheduled on {date!r} (dates: YYYY-MM-DD)")
    on_date: Frozen = flight["dates"][date]
    return on_date


def direct_offers(db: Overlay, origin: str, destination: str, date: str) -> list[Record]:
    """Return the direct flights that can be booked on a date."""
    return [
        _offer(flight, date)
        for flight in db.table("flights").values()
        if (flight["origin"], flight["destination"]) == (origin, destination)
        and _is_bookable(flight, date)
    ]


def connecting_offers(db: Overlay, origin: str, destination: str, date: str) -> list[list[Record]]:
    """Return the pairs of flights that can be booked from a date on, with one stop between them."""
    flights = db.table("flights").values()
    onward = [flight for flight in flights if flight["destination"] == destination]
    return [
        [_dated_offer(first, date), _dated_offer(second, second_date)]
        for first in flights
        if first["origin"] == origin and _is_bookable(first, date)
        for second in onward
        if (second_date := _connection_date(first, second, date))
        and _is_bookable(second, second_date)
    ]


def _is_bookable(flight: Frozen, date: str) -> bool:
    """Tell whether seats of a flight are sold for a date."""
    return bool(flight["dates"].get(date, {}).get("status") == "available")


def _offer(flight: Frozen, date: str) -> Record:
    """Return a flight as a search shows it: its schedule, and its seats and prices on the date."""
    shown = {key: value for key, value in flight.items() if key != "dates"}
    return {**shown, **flight["dates"][date]}


def _dated_offer(flight: Frozen, date: str) -> Record:
    """Return an offer that says its date, as flights of one trip may leave on two."""
    return {**_offer(flight, date), "date": date}


def _connection_date(first: Frozen, second: Frozen, date: str) -> str | None:
    """Return the date the second flight leaves on, or None where it cannot be reached."""
    if first["destination"] != second["origin"]:
        return None
    arrival, _, days_later = first["scheduled_arrival_time_est"].partition("+")
    if arrival > second["scheduled_departure_time_est"]:
        return None
    return (Date.fromisoformat(date) + timedelta(days=int(days_later or 0))).isoformat()


def served_cities(db: Overlay) -> dict[str, str]:
    """Return the city of each airport that flights serve; its code where the city is not known."""
    served = _served_airports(db)
    return {code: city for code, city in CITIES.items() if code in served} | {
        code: code for code in sorted(served - CITIES.keys())
    }


def _served_airports(db: Overlay) -> set[str]:
    """Return the codes of all airports that flights serve."""
    flights = db.table("flights").values()
    return {flight[end] for flight in flights for end in ("origin", "destination")}


def check_search(db: Overlay, origin: str, destination: str, date: str) -> None:
    """Refuse an airport that is not served and a date that does not exist."""
    served = _served_airports(db)
    for code in (origin, destination):
        if code not in served:
            raise ToolError(
                f"no airport {code!r} is served; use one of {', '.join(sorted(served))}"
            )
    _check_date(date)


def _check_date(date: str) -> None:
    try:
        Date.fromisoformat(date if re.fullmatch(r"\d{4}-\d\d-\d\d", date) else "")
    except ValueError:
        raise ToolError(f"{date!r} is no date of the calendar as YYYY-MM-DD") from None


def book_segment(db: Overlay, choice: FlightChoice, cabin: Cabin, travellers: int) -> Record:
    """Return the segment as a reservation keeps it, after checking that it can be booked."""
    number, date = choice["flight_number"], choice["date"]
    on_date = flight_on(db, number, date)
    if on_date["status"] != "available":
        raise ToolError(f"flight {number} on {date} cannot be booked: it is {on_date['status']}")
    seats = on_date["available_seats"][cabin]
    if seats < travellers:
        raise ToolError(
            f"flight {number} on {date} has {seats} seats left in {cabin}, {travellers} are needed"
        )
    flight = db.table("flights")[number]
    return {
        "flight_number": number,
        "date": date,
        "price": on_date["prices"][cabin],
        "origin": flight["origin"],
        "destination": flight["destination"],
    }


def kept_segment(reservation: Frozen, choice: FlightChoice, cabin: Cabin) -> Record | None:
    """Return a segment the reservation has in that cabin already, at the price it was booked for."""
    if cabin != reservation["cabin"]:
        return None
    wanted = (choice["flight_number"], choice["date"])
    booked: Sequence[Frozen] = reservation["flights"]
    return next((dict(f) for f in booked if (f["flight_number"], f["date"]) == wanted), None)

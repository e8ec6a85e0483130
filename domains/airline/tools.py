"""The airline's tools: what an agent can look up and change.

The tools hold the database consistent: flights exist and have seats, payments cover the price,
certificates are spent once. They do not hold the policy: whether a change may be made at all is
the agent's to decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date as Date
from datetime import timedelta
from typing import Any, Literal, TypedDict

from pytest_taubench import Overlay, ToolError, evaluate, tool

Cabin = Literal["basic_economy", "economy", "business"]
FlightType = Literal["one_way", "round_trip"]
YesNo = Literal["yes", "no"]
Record = dict[str, Any]
Frozen = Mapping[str, Any]

NOW = "2024-05-15T15:00:00"
BAG_PRICE = 50
INSURANCE_PRICE = 30
FIRST_RESERVATION_ID = "HATHAT"
FIRST_CERTIFICATE_ID = 3221322

# More cities than one database uses, so that the tools serve other airline data as well.
CITIES = {
    "ATL": "Atlanta", "AUS": "Austin", "BNA": "Nashville", "BOS": "Boston", "CLT": "Charlotte",
    "DEN": "Denver", "DFW": "Dallas", "DTW": "Detroit", "EWR": "Newark", "IAD": "Washington",
    "IAH": "Houston", "JFK": "New York", "LAS": "Las Vegas", "LAX": "Los Angeles",
    "LGA": "LaGuardia", "MCO": "Orlando", "MIA": "Miami", "MSP": "Minneapolis", "ORD": "Chicago",
    "PDX": "Portland", "PHL": "Philadelphia", "PHX": "Phoenix", "SAN": "San Diego",
    "SEA": "Seattle", "SFO": "San Francisco", "SLC": "Salt Lake City",
}  # fmt: skip


class FlightChoice(TypedDict):
    """One flight segment: the flight number and its date of departure as YYYY-MM-DD."""

    flight_number: str
    date: str


class Passenger(TypedDict):
    """A traveller, with the date of birth as YYYY-MM-DD."""

    first_name: str
    last_name: str
    dob: str


class PaymentChoice(TypedDict):
    """A payment method of the user's profile and the amount in dollars it pays."""

    payment_id: str
    amount: float


# --- reading ---------------------------------------------------------------------------------


@tool(kind="read")
def get_user_details(db: Overlay, user_id: str) -> Frozen:
    """Get a user's profile: name, address, payment methods, membership, reservation ids.

    Args:
        user_id: The user's id, such as 'nora_weber_1234'.
    """
    return _user(db, user_id)


@tool(kind="read")
def get_reservation_details(db: Overlay, reservation_id: str) -> Frozen:
    """Get a reservation: flights, cabin, passengers, payments, bags, insurance, status.

    Args:
        reservation_id: The reservation's id of six characters, such as '8JX2WO'.
    """
    return _reservation(db, reservation_id)


@tool(kind="read")
def list_all_airports(db: Overlay) -> dict[str, str]:
    """List the airports served, by code, with their cities."""
    served = _airports(db)
    return {code: city for code, city in CITIES.items() if code in served} | {
        code: code for code in sorted(served - CITIES.keys())
    }


@tool(kind="read")
def get_flight_status(db: Overlay, flight_number: str, date: str) -> str:
    """Get the status of a flight on one date.

    Args:
        flight_number: The flight number, such as 'MRD012'.
        date: The date of departure as YYYY-MM-DD.
    """
    status: str = _flight_on(db, flight_number, date)["status"]
    return status


@tool(kind="read")
def search_direct_flight(db: Overlay, origin: str, destination: str, date: str) -> list[Record]:
    """Search the direct flights between two airports that can be booked on one date.

    Args:
        origin: Airport code of the departure, such as 'JFK'.
        destination: Airport code of the arrival, such as 'SEA'.
        date: The date of departure as YYYY-MM-DD.
    """
    _check_search(db, origin, destination, date)
    return [
        _offer(flight, date)
        for flight in db.table("flights").values()
        if (flight["origin"], flight["destination"]) == (origin, destination)
        and _bookable(flight, date)
    ]


@tool(kind="read")
def search_onestop_flight(
    db: Overlay, origin: str, destination: str, date: str
) -> list[list[Record]]:
    """Search the connections with one stop between two airports that can be booked on one date.

    Each result is the two flights in order; each shows its own date, price and seats.

    Args:
        origin: Airport code of the departure, such as 'JFK'.
        destination: Airport code of the arrival, such as 'SEA'.
        date: The date of departure of the first flight as YYYY-MM-DD.
    """
    _check_search(db, origin, destination, date)
    flights = db.table("flights").values()
    onward = [flight for flight in flights if flight["destination"] == destination]
    return [
        [_dated_offer(first, date), _dated_offer(second, second_date)]
        for first in flights
        if first["origin"] == origin and _bookable(first, date)
        for second in onward
        if (second_date := _connection_date(first, second, date)) and _bookable(second, second_date)
    ]


# --- changing --------------------------------------------------------------------------------


@tool(kind="write")
def book_reservation(
    db: Overlay,
    user_id: str,
    origin: str,
    destination: str,
    flight_type: FlightType,
    cabin: Cabin,
    flights: list[FlightChoice],
    passengers: list[Passenger],
    payment_methods: list[PaymentChoice],
    total_baggages: int,
    nonfree_baggages: int,
    insurance: YesNo,
) -> Record:
    """Book a reservation. The payments must add up to the total price exactly.

    Args:
        user_id: The id of the user who books.
        origin: Airport code where the trip starts.
        destination: Airport code of the trip's goal; of a round trip, where it turns.
        flight_type: Whether the trip includes the way back.
        cabin: The cabin, the same for all flights and passengers.
        flights: Every flight segment in order, those of the way back included.
        passengers: Every traveller.
        payment_methods: Which payment methods of the profile pay how much.
        total_baggages: Checked bags in all.
        nonfree_baggages: Those of the checked bags that are paid for.
        insurance: Whether travel insurance is bought, for every passenger.
    """
    _user(db, user_id)
    _check_party(flights, passengers)
    _check_baggages(total_baggages, nonfree_baggages)
    booked = [_book_segment(db, flight, cabin, len(passengers)) for flight in flights]
    total = sum(flight["price"] for flight in booked) * len(passengers)
    total += BAG_PRICE * nonfree_baggages
    total += INSURANCE_PRICE * len(passengers) if insurance == "yes" else 0
    payments: list[Record] = [
        {"payment_id": p["payment_id"], "amount": _money(p["amount"])} for p in payment_methods
    ]
    _check_payments(db, user_id, payments, total)
    for payment in payments:
        _spend(db, user_id, payment["payment_id"], payment["amount"])
    reservation_id = _next_reservation_id(db)
    db.edit("users", user_id)["reservations"].append(reservation_id)
    return db.create(
        "reservations",
        reservation_id,
        {
            "reservation_id": reservation_id,
            "user_id": user_id,
            "origin": origin,
            "destination": destination,
            "flight_type": flight_type,
            "cabin": cabin,
            "flights": booked,
            "passengers": [dict(passenger) for passenger in passengers],
            "payment_history": payments,
            "created_at": NOW,
            "total_baggages": total_baggages,
            "nonfree_baggages": nonfree_baggages,
            "insurance": insurance,
        },
    )


@tool(kind="write")
def cancel_reservation(db: Overlay, reservation_id: str) -> Record:
    """Cancel a whole reservation; every payment goes back to where it came from.

    Args:
        reservation_id: The reservation's id, such as '8JX2WO'.
    """
    _open_reservation(db, reservation_id)
    reservation = db.edit("reservations", reservation_id)
    history = reservation["payment_history"]
    history += [{"payment_id": p["payment_id"], "amount": -p["amount"]} for p in history]
    reservation["status"] = "cancelled"
    return reservation


@tool(kind="write")
def update_reservation_flights(
    db: Overlay, reservation_id: str, cabin: Cabin, flights: list[FlightChoice], payment_id: str
) -> Record:
    """Change the flights or the cabin of a reservation, and pay or refund the difference.

    Give the whole new itinerary. A flight that is kept in the same cabin keeps its price.

    Args:
        reservation_id: The reservation's id, such as '8JX2WO'.
        cabin: The cabin of the whole reservation after the change.
        flights: Every flight segment in order, also those that stay as they are.
        payment_id: The gift card or credit card of the profile that pays or gets the difference.
    """
    reservation = _open_reservation(db, reservation_id)
    _check_party(flights, reservation["passengers"])
    travellers = len(reservation["passengers"])
    changed = [
        _kept_segment(reservation, flight, cabin) or _book_segment(db, flight, cabin, travellers)
        for flight in flights
    ]
    new_price, old_price = (
        sum(flight["price"] for flight in trip) for trip in (changed, reservation["flights"])
    )
    difference = (new_price - old_price) * travellers
    edited = _settle(db, reservation, payment_id, difference)
    edited["flights"] = changed
    edited["cabin"] = cabin
    return edited


@tool(kind="write")
def update_reservation_baggages(
    db: Overlay,
    reservation_id: str,
    total_baggages: int,
    nonfree_baggages: int,
    payment_id: str,
) -> Record:
    """Set the checked bags of a reservation, and pay for those newly not free.

    Args:
        reservation_id: The reservation's id, such as '8JX2WO'.
        total_baggages: Checked bags in all after the change.
        nonfree_baggages: Those of the checked bags that are paid for, after the change.
        payment_id: The gift card or credit card of the profile that pays.
    """
    reservation = _open_reservation(db, reservation_id)
    _check_baggages(total_baggages, nonfree_baggages)
    price = BAG_PRICE * max(0, nonfree_baggages - reservation["nonfree_baggages"])
    edited = _settle(db, reservation, payment_id, price)
    edited["total_baggages"] = total_baggages
    edited["nonfree_baggages"] = nonfree_baggages
    return edited


@tool(kind="write")
def update_reservation_passengers(
    db: Overlay, reservation_id: str, passengers: list[Passenger]
) -> Record:
    """Replace the passengers of a reservation; their number stays.

    Args:
        reservation_id: The reservation's id, such as '8JX2WO'.
        passengers: Every passenger after the change, also those who stay.
    """
    count = len(_open_reservation(db, reservation_id)["passengers"])
    if len(passengers) != count:
        raise ToolError(
            f"reservation {reservation_id} is for {count} passengers and {len(passengers)} were "
            "given; their number cannot change"
        )
    reservation = db.edit("reservations", reservation_id)
    reservation["passengers"] = [dict(passenger) for passenger in passengers]
    return reservation


@tool(kind="write")
def send_certificate(db: Overlay, user_id: str, amount: float) -> str:
    """Give a user a travel certificate. Not to be used without a reason in the policy.

    Args:
        user_id: The id of the user who receives it.
        amount: Its worth in dollars.
    """
    _user(db, user_id)
    if amount <= 0:
        raise ToolError(f"a certificate is worth more than 0 dollars, not {amount:g}")
    key = _next_certificate_id(db)
    db.edit("users", user_id)["payment_methods"][key] = {
        "source": "certificate",
        "amount": _money(amount),
        "id": key,
    }
    return f"{key} of {amount:g} dollars was added to the profile of {user_id}"


# --- neither ---------------------------------------------------------------------------------


@tool(kind="generic")
def calculate(db: Overlay, expression: str) -> float:
    """Work out an arithmetic expression, to two decimals.

    Args:
        expression: Numbers, + - * / and parentheses, such as '2 * (164 + 30)'.
    """
    return round(float(evaluate(expression)), 2)


@tool(kind="generic")
def think(db: Overlay, thought: str) -> str:
    """Write a thought down. It looks nothing up and changes nothing.

    Args:
        thought: What to reason through.
    """
    return ""


@tool(kind="generic", ends_episode=True)
def transfer_to_human_agents(db: Overlay, summary: str) -> str:
    """Hand the conversation over to a human agent, which ends it here.

    Args:
        summary: What the user wants and what was done so far.
    """
    return "Transfer successful"


# --- records ---------------------------------------------------------------------------------


def _user(db: Overlay, user_id: str) -> Frozen:
    user = db.get("users", user_id)
    if user is None:
        raise ToolError(f"there is no user {user_id!r}; ask the user for their user id")
    return user


def _reservation(db: Overlay, reservation_id: str) -> Frozen:
    reservation = db.get("reservations", reservation_id)
    if reservation is None:
        raise ToolError(
            f"there is no reservation {reservation_id!r}; the user's profile lists their ids"
        )
    return reservation


def _open_reservation(db: Overlay, reservation_id: str) -> Frozen:
    reservation = _reservation(db, reservation_id)
    if reservation.get("status") == "cancelled":
        raise ToolError(f"reservation {reservation_id} is cancelled and cannot be changed")
    return reservation


def _next_reservation_id(db: Overlay) -> str:
    """Count up in letters from the first id to one that is free, so that ids never run out."""
    number = _letters_to_number(FIRST_RESERVATION_ID)
    while (key := _number_to_letters(number)) in db.table("reservations"):
        number += 1
    return key


def _letters_to_number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A")
    return number


def _number_to_letters(number: int) -> str:
    letters = ""
    while number or not letters:
        number, digit = divmod(number, 26)
        letters = chr(ord("A") + digit) + letters
    return letters


def _next_certificate_id(db: Overlay) -> str:
    """Count up to an id that no profile holds and no reservation was paid with."""
    held = {key for user in db.table("users").values() for key in user["payment_methods"]}
    spent = {
        payment["payment_id"]
        for reservation in db.table("reservations").values()
        for payment in reservation["payment_history"]
    }
    number = FIRST_CERTIFICATE_ID
    while (key := f"certificate_{number}") in held or key in spent:
        number += 1
    return key


# --- flights ---------------------------------------------------------------------------------


def _flight_on(db: Overlay, flight_number: str, date: str) -> Frozen:
    flight = db.get("flights", flight_number)
    if flight is None:
        raise ToolError(f"there is no flight {flight_number!r}; search for flights by airport")
    if date not in flight["dates"]:
        raise ToolError(f"flight {flight_number} is not scheduled on {date!r} (dates: YYYY-MM-DD)")
    on_date: Frozen = flight["dates"][date]
    return on_date


def _bookable(flight: Frozen, date: str) -> bool:
    return bool(flight["dates"].get(date, {}).get("status") == "available")


def _offer(flight: Frozen, date: str) -> Record:
    shown = {key: value for key, value in flight.items() if key != "dates"}
    return {**shown, **flight["dates"][date]}


def _dated_offer(flight: Frozen, date: str) -> Record:
    return {**_offer(flight, date), "date": date}


def _connection_date(first: Frozen, second: Frozen, date: str) -> str | None:
    """Return the date the second flight leaves on, or None where it cannot be reached."""
    if first["destination"] != second["origin"]:
        return None
    arrival, _, days_later = first["scheduled_arrival_time_est"].partition("+")
    if arrival > second["scheduled_departure_time_est"]:
        return None
    return (Date.fromisoformat(date) + timedelta(days=int(days_later or 0))).isoformat()


def _airports(db: Overlay) -> set[str]:
    flights = db.table("flights").values()
    return {flight[end] for flight in flights for end in ("origin", "destination")}


def _check_search(db: Overlay, origin: str, destination: str, date: str) -> None:
    served = _airports(db)
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


def _book_segment(db: Overlay, choice: FlightChoice, cabin: Cabin, travellers: int) -> Record:
    """Return the segment as a reservation keeps it, after checking that it can be booked."""
    number, date = choice["flight_number"], choice["date"]
    on_date = _flight_on(db, number, date)
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


def _kept_segment(reservation: Frozen, choice: FlightChoice, cabin: Cabin) -> Record | None:
    """Return a segment the reservation has in that cabin already, at the price it was booked for."""
    if cabin != reservation["cabin"]:
        return None
    wanted = (choice["flight_number"], choice["date"])
    booked: Sequence[Frozen] = reservation["flights"]
    return next((dict(f) for f in booked if (f["flight_number"], f["date"]) == wanted), None)


# --- checks and payments ---------------------------------------------------------------------


def _check_party(flights: Sequence[FlightChoice], passengers: Sequence[Any]) -> None:
    for what, given in (("flight", flights), ("passenger", passengers)):
        if not given:
            raise ToolError(f"a reservation needs at least one {what}")


def _check_baggages(total: int, nonfree: int) -> None:
    if not 0 <= nonfree <= total:
        raise ToolError(f"nonfree_baggages ({nonfree}) must be from 0 to total_baggages ({total})")


def _money(amount: float) -> float:
    """Return whole dollars as an integer, as the records hold them."""
    return int(amount) if amount == int(amount) else amount


def _payment_method(db: Overlay, user_id: str, payment_id: str) -> Frozen:
    methods: Mapping[str, Frozen] = _user(db, user_id)["payment_methods"]
    if payment_id not in methods:
        raise ToolError(
            f"{payment_id!r} is no payment method of {user_id}; they are {', '.join(methods)}"
        )
    return methods[payment_id]


def _check_payments(db: Overlay, user_id: str, payments: Sequence[Record], total: float) -> None:
    for payment in _once_each(payments):
        if payment["amount"] < 0:
            raise ToolError(f"{payment['payment_id']} cannot pay {payment['amount']} dollars")
        _check_covers(db, user_id, payment["payment_id"], payment["amount"])
    paid = sum(payment["amount"] for payment in payments)
    if paid != total:
        raise ToolError(f"the total price is {total} dollars, but the payments add up to {paid}")


def _once_each(payments: Sequence[Record]) -> Iterator[Record]:
    seen: set[str] = set()
    for payment in payments:
        if payment["payment_id"] in seen:
            raise ToolError(f"{payment['payment_id']} is listed twice; give its whole amount once")
        seen.add(payment["payment_id"])
        yield payment


def _check_covers(db: Overlay, user_id: str, payment_id: str, amount: float) -> None:
    method = _payment_method(db, user_id, payment_id)
    if method["source"] != "credit_card" and method["amount"] < amount:
        raise ToolError(f"{payment_id} holds {method['amount']} dollars, {amount} are needed")


def _settle(db: Overlay, reservation: Frozen, payment_id: str, amount: float) -> Record:
    """Take a difference from one payment method, or refund it; return the reservation to edit."""
    user_id = reservation["user_id"]
    if _payment_method(db, user_id, payment_id)["source"] == "certificate":
        raise ToolError("a certificate cannot pay for a change; use a gift card or a credit card")
    _check_covers(db, user_id, payment_id, amount)
    edited = db.edit("reservations", reservation["reservation_id"])
    if amount:
        _spend(db, user_id, payment_id, amount)
        edited["payment_history"].append({"payment_id": payment_id, "amount": amount})
    return edited


def _spend(db: Overlay, user_id: str, payment_id: str, amount: float) -> None:
    """Lower a gift card by the amount; a certificate is gone whatever it paid."""
    source = _payment_method(db, user_id, payment_id)["source"]
    if source == "credit_card":
        return
    methods = db.edit("users", user_id)["payment_methods"]
    if source == "certificate":
        del methods[payment_id]
    else:
        methods[payment_id]["amount"] -= amount

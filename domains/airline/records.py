"""Records of the airline: what they are, how they are found, how new ones are numbered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from pytest_taubench import Overlay, ToolError

Cabin = Literal["basic_economy", "economy", "business"]
FlightType = Literal["one_way", "round_trip"]
YesNo = Literal["yes", "no"]
Record = dict[str, Any]
Frozen = Mapping[str, Any]

FIRST_RESERVATION_ID = "HATHAT"
FIRST_CERTIFICATE_ID = 3221322


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


def find_user(db: Overlay, user_id: str) -> Frozen:
    """Return the profile of a user."""
    user = db.get("users", user_id)
    if user is None:
        raise ToolError(f"there is no user {user_id!r}; ask the user for their user id")
    return user


def find_reservation(db: Overlay, reservation_id: str) -> Frozen:
    """Return a reservation, cancelled or not."""
    reservation = db.get("reservations", reservation_id)
    if reservation is None:
        raise ToolError(
            f"there is no reservation {reservation_id!r}; the user's profile lists their ids"
        )
    return reservation


def find_open_reservation(db: Overlay, reservation_id: str) -> Frozen:
    """Return a reservation that can still be changed."""
    reservation = find_reservation(db, reservation_id)
    if reservation.get("status") == "cancelled":
        raise ToolError(f"reservation {reservation_id} is cancelled and cannot be changed")
    return reservation


def enter_reservation(db: Overlay, user_id: str, fields: Record) -> Record:
    """Create a reservation of a user, numbered and listed in the profile; return it."""
    key = next_reservation_id(db)
    db.edit("users", user_id)["reservations"].append(key)
    return db.create("reservations", key, {"reservation_id": key, "user_id": user_id, **fields})


def next_reservation_id(db: Overlay) -> str:
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


def next_certificate_id(db: Overlay) -> str:
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


def check_party(flights: Sequence[FlightChoice], passengers: Sequence[Any]) -> None:
    """Refuse a trip without flights or without passengers."""
    for what, given in (("flight", flights), ("passenger", passengers)):
        if not given:
            raise ToolError(f"a reservation needs at least one {what}")


def check_same_number(reservation: Frozen, passengers: Sequence[Passenger]) -> None:
    """Refuse passengers that are more or fewer than a reservation is for."""
    count = len(reservation["passengers"])
    if len(passengers) != count:
        raise ToolError(
            f"reservation {reservation['reservation_id']} is for {count} passengers and "
            f"{len(passengers)} were given; their number cannot change"
        )


def check_baggages(total: int, nonfree: int) -> None:
    """Refuse numbers of bags that cannot be."""
    if not 0 <= nonfree <= total:
        raise ToolError(f"nonfree_baggages ({nonfree}) must be from 0 to total_baggages ({total})")

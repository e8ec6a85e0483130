"""The airline's tools: what an agent can look up and change.

The tools hold the database consistent: flights exist and have seats, payments cover the price,
certificates are spent once. They do not hold the policy: whether a change may be made at all is
the agent's to decide.
"""

from __future__ import annotations

from pytest_taubench import Overlay, evaluate, tool

from .flights import (
    book_segment,
    check_search,
    connecting_offers,
    direct_offers,
    flight_on,
    kept_segment,
    served_cities,
)
from .payments import BAG_PRICE, fare, give_certificate, pay, settle, total_price
from .records import (
    Cabin,
    FlightChoice,
    FlightType,
    Frozen,
    Passenger,
    PaymentChoice,
    Record,
    YesNo,
    check_baggages,
    check_party,
    check_same_number,
    enter_reservation,
    find_open_reservation,
    find_reservation,
    find_user,
)

NOW = "2024-05-15T15:00:00"


# --- reading ---------------------------------------------------------------------------------


@tool(kind="read")
def get_user_details(db: Overlay, user_id: str) -> Frozen:
    """Get a user's profile: name, address, payment methods, membership, reservation ids.

    Args:
        user_id: The user's id, such as 'nora_weber_1234'.
    """
    return find_user(db, user_id)


@tool(kind="read")
def get_reservation_details(db: Overlay, reservation_id: str) -> Frozen:
    """Get a reservation: flights, cabin, passengers, payments, bags, insurance, status.

    Args:
        reservation_id: The reservation's id of six characters, such as '8JX2WO'.
    """
    return find_reservation(db, reservation_id)


@tool(kind="read")
def list_all_airports(db: Overlay) -> dict[str, str]:
    """List the airports served, by code, with their cities."""
    return served_cities(db)


@tool(kind="read")
def get_flight_status(db: Overlay, flight_number: str, date: str) -> str:
    """Get the status of a flight on one date.

    Args:
        flight_number: The flight number, such as 'MRD012'.
        date: The date of departure as YYYY-MM-DD.
    """
    status: str = flight_on(db, flight_number, date)["status"]
    return status


@tool(kind="read")
def search_direct_flight(db: Overlay, origin: str, destination: str, date: str) -> list[Record]:
    """Search the direct flights between two airports that can be booked on one date.

    Args:
        origin: Airport code of the departure, such as 'JFK'.
        destination: Airport code of the arrival, such as 'SEA'.
        date: The date of departure as YYYY-MM-DD.
    """
    check_search(db, origin, destination, date)
    return direct_offers(db, origin, destination, date)


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
    check_search(db, origin, destination, date)
    return connecting_offers(db, origin, destination, date)


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
    find_user(db, user_id)
    check_party(flights, passengers)
    check_baggages(total_baggages, nonfree_baggages)
    booked = [book_segment(db, flight, cabin, len(passengers)) for flight in flights]
    total = total_price(booked, len(passengers), nonfree_baggages, insurance)
    return enter_reservation(
        db,
        user_id,
        {
            "origin": origin,
            "destination": destination,
            "flight_type": flight_type,
            "cabin": cabin,
            "flights": booked,
            "passengers": [dict(passenger) for passenger in passengers],
            "payment_history": pay(db, user_id, payment_methods, total),
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
    find_open_reservation(db, reservation_id)
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
    reservation = find_open_reservation(db, reservation_id)
    check_party(flights, reservation["passengers"])
    travellers = len(reservation["passengers"])
    changed = [
        kept_segment(reservation, flight, cabin) or book_segment(db, flight, cabin, travellers)
        for flight in flights
    ]
    difference = fare(changed, travellers) - fare(reservation["flights"], travellers)
    edited = settle(db, reservation, payment_id, difference)
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
    reservation = find_open_reservation(db, reservation_id)
    check_baggages(total_baggages, nonfree_baggages)
    price = BAG_PRICE * max(0, nonfree_baggages - reservation["nonfree_baggages"])
    edited = settle(db, reservation, payment_id, price)
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
    check_same_number(find_open_reservation(db, reservation_id), passengers)
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
    find_user(db, user_id)
    key = give_certificate(db, user_id, amount)
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

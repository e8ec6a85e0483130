"""Payments: the price, whether it is covered, and what paying it does to the payment methods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pytest_taubench import Overlay, ToolError

from .records import Frozen, PaymentChoice, Record, YesNo, find_user, next_certificate_id

BAG_PRICE = 50
INSURANCE_PRICE = 30


def fare(flights: Iterable[Frozen], travellers: int) -> float:
    """Return what the seats of a trip cost for all travellers."""
    return sum(flight["price"] for flight in flights) * travellers


def total_price(
    flights: Iterable[Frozen], travellers: int, nonfree_baggages: int, insurance: YesNo
) -> float:
    """Return what a new reservation costs."""
    insured = travellers if insurance == "yes" else 0
    return fare(flights, travellers) + BAG_PRICE * nonfree_baggages + INSURANCE_PRICE * insured


def money(amount: float) -> float:
    """Return whole dollars as an integer, as the records hold them."""
    return int(amount) if amount == int(amount) else amount


def payment_method(db: Overlay, user_id: str, payment_id: str) -> Frozen:
    """Return a payment method of a user's profile."""
    methods: Mapping[str, Frozen] = find_user(db, user_id)["payment_methods"]
    if payment_id not in methods:
        raise ToolError(
            f"{payment_id!r} is no payment method of {user_id}; they are {', '.join(methods)}"
        )
    return methods[payment_id]


def pay(db: Overlay, user_id: str, choices: Sequence[PaymentChoice], total: float) -> list[Record]:
    """Pay a total from the chosen payment methods; return the payments as the records hold them."""
    payments: list[Record] = [
        {"payment_id": choice["payment_id"], "amount": money(choice["amount"])}
        for choice in choices
    ]
    _check_payments(db, user_id, payments, total)
    for payment in payments:
        spend(db, user_id, payment["payment_id"], payment["amount"])
    return payments


def _check_payments(db: Overlay, user_id: str, payments: Sequence[Record], total: float) -> None:
    """Refuse payments that a profile does not hold or that do not add up to the total."""
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
    method = payment_method(db, user_id, payment_id)
    if method["source"] != "credit_card" and method["amount"] < amount:
        raise ToolError(f"{payment_id} holds {method['amount']} dollars, {amount} are needed")


def settle(db: Overlay, reservation: Frozen, payment_id: str, amount: float) -> Record:
    """Take a difference from one payment method, or refund it; return the reservation to edit."""
    user_id = reservation["user_id"]
    if payment_method(db, user_id, payment_id)["source"] == "certificate":
        raise ToolError("a certificate cannot pay for a change; use a gift card or a credit card")
    _check_covers(db, user_id, payment_id, amount)
    edited = db.edit("reservations", reservation["reservation_id"])
    if amount:
        spend(db, user_id, payment_id, amount)
        edited["payment_history"].append({"payment_id": payment_id, "amount": amount})
    return edited


def spend(db: Overlay, user_id: str, payment_id: str, amount: float) -> None:
    """Lower a gift card by the amount; a certificate is gone whatever it paid."""
    source = payment_method(db, user_id, payment_id)["source"]
    if source == "credit_card":
        return
    methods = db.edit("users", user_id)["payment_methods"]
    if source == "certificate":
        del methods[payment_id]
    else:
        methods[payment_id]["amount"] -= amount


def give_certificate(db: Overlay, user_id: str, amount: float) -> str:
    """Add a certificate to a user's profile; return its id."""
    if amount <= 0:
        raise ToolError(f"a certificate is worth more than 0 dollars, not {amount:g}")
    key = next_certificate_id(db)
    db.edit("users", user_id)["payment_methods"][key] = {
        "source": "certificate",
        "amount": money(amount),
        "id": key,
    }
    return key

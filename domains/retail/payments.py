"""Payments of an order: who can pay or be refunded, and what that does to a gift card."""

from __future__ import annotations

from typing import Any, Literal

from pytest_taubench import Overlay, ToolError

from .records import Record, find_user


def find_payment_method(db: Overlay, order: Record, method_id: str) -> Record:
    """Return a payment method of the order's user, or refuse the call."""
    methods = find_user(db, order["user_id"])["payment_methods"]
    if method_id not in methods:
        raise ToolError(
            f"the profile has no payment method {method_id}; it has {', '.join(methods)}"
        )
    method: Record = methods[method_id]
    return method


def require_cover(method: Record, amount: float) -> None:
    """Refuse the call where a gift card holds less than the amount."""
    if method["source"] == "gift_card" and method["balance"] < amount:
        raise ToolError(
            f"{method['id']} holds {method['balance']:.2f}, which does not cover {amount:.2f}"
        )


def single_payment(order: Record) -> Record:
    """Return the one payment of an order, or refuse the call."""
    history = order["payment_history"]
    if len(history) != 1 or history[0]["transaction_type"] != "payment":
        raise ToolError(f"order {order['order_id']} was not paid by one single payment")
    payment: Record = history[0]
    return payment


def paid_by_method(order: Record) -> dict[str, float]:
    """Return what each payment method has paid so far, less what it got back."""
    paid: dict[str, float] = {}
    for entry in order["payment_history"]:
        sign = 1 if entry["transaction_type"] == "payment" else -1
        before = paid.get(entry["payment_method_id"], 0)
        paid[entry["payment_method_id"]] = round(before + sign * entry["amount"], 2)
    return paid


def book(
    db: Overlay,
    order: dict[str, Any],
    kind: Literal["payment", "refund"],
    amount: float,
    method_id: str,
) -> None:
    """Enter a payment or refund in the order, and move a gift card's balance at once."""
    order["payment_history"].append(
        {"transaction_type": kind, "amount": amount, "payment_method_id": method_id}
    )
    if find_payment_method(db, order, method_id)["source"] == "gift_card":
        card = db.edit("users", order["user_id"])["payment_methods"][method_id]
        card["balance"] = round(card["balance"] + (amount if kind == "refund" else -amount), 2)


def book_difference(db: Overlay, order: dict[str, Any], difference: float, method_id: str) -> None:
    """Charge what an order now costs more, or refund what it costs less."""
    if difference:
        kind: Literal["payment", "refund"] = "payment" if difference > 0 else "refund"
        book(db, order, kind, abs(difference), method_id)


def require_refundable(db: Overlay, order: Record, method_id: str) -> None:
    """Refuse the call unless a return can be refunded to a payment method."""
    method = find_payment_method(db, order, method_id)
    original = order["payment_history"][0]["payment_method_id"]
    if method["source"] != "gift_card" and method_id != original:
        raise ToolError(f"the refund can go to {original}, which paid the order, or to a gift card")

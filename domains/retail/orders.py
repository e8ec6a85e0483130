"""The records behind the retail tools: finding them, and what must hold before they change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pytest_taubench import Overlay, ToolError

Record = Mapping[str, Any]


def address(
    address1: str, address2: str, city: str, state: str, country: str, zip: str
) -> dict[str, str]:
    """Return an address as the records hold it."""
    return {
        "address1": address1,
        "address2": address2,
        "city": city,
        "country": country,
        "state": state,
        "zip": zip,
    }


def find_user(db: Overlay, user_id: str) -> Record:
    """Return a user, or refuse the call."""
    user = db.get("users", user_id)
    if user is None:
        raise ToolError(f"there is no user {user_id}")
    return user


def find_product(db: Overlay, product_id: str) -> Record:
    """Return a product type, or refuse the call."""
    product = db.get("products", product_id)
    if product is None:
        raise ToolError(f"there is no product {product_id}; an item id is looked up as an item")
    return product


def find_order(db: Overlay, order_id: str) -> Record:
    """Return an order, or refuse the call."""
    order = db.get("orders", order_id)
    if order is None:
        raise ToolError(f"there is no order {order_id}; order ids look like #W1234567")
    return order


def require_status(order: Record, status: str, done: str) -> None:
    """Refuse the call unless the order has that status."""
    if order["status"] != status:
        raise ToolError(
            f"order {order['order_id']} is {order['status']!r}; only a {status} order can be {done}"
        )


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


def positions(order: Record, item_ids: Sequence[str]) -> list[int]:
    """Return where the items are in the order, each place taken once."""
    if not item_ids:
        raise ToolError("name at least one item")
    free = [item["item_id"] for item in order["items"]]
    positions = []
    for item_id in item_ids:
        if item_id not in free:
            count = item_ids.count(item_id)
            raise ToolError(f"order {order['order_id']} does not hold item {item_id} x {count}")
        position = free.index(item_id)
        free[position] = ""
        positions.append(position)
    return positions


def swaps_of(
    db: Overlay, order: Record, item_ids: Sequence[str], new_item_ids: Sequence[str]
) -> dict[int, Record]:
    """Return the variant that each place of the order is to have instead."""
    if len(item_ids) != len(new_item_ids):
        raise ToolError(f"{len(item_ids)} items but {len(new_item_ids)} new items; give as many")
    places = zip(positions(order, item_ids), new_item_ids, strict=True)
    return {
        place: _variant(db, order["items"][place]["product_id"], new_id) for place, new_id in places
    }


def _variant(db: Overlay, product_id: str, item_id: str) -> Record:
    product = find_product(db, product_id)
    variant: Record | None = product["variants"].get(item_id)
    if variant is None:
        raise ToolError(f"item {item_id} is not a variant of {product['name']} ({product_id})")
    if not variant["available"]:
        raise ToolError(f"item {item_id} is not available; choose another variant")
    return variant


def price_difference(order: Record, swaps: Mapping[int, Record]) -> float:
    """Return what the new variants cost more than the old ones, to the cent."""
    dearer = (new["price"] - order["items"][place]["price"] for place, new in swaps.items())
    return float(round(sum(dearer), 2))

"""The tools of the retail domain."""

from __future__ import annotations

from typing import Literal

from pytest_taubench import Overlay, ToolError, evaluate, tool

from .items import positions, price_difference, require_changes, swap, swaps_of
from .payments import (
    book,
    book_difference,
    find_payment_method,
    paid_by_method,
    require_cover,
    require_refundable,
    single_payment,
)
from .records import (
    Record,
    address,
    find_item,
    find_order,
    find_product,
    find_user,
    find_user_by_email,
    find_user_by_name,
    order_with_status,
)


@tool(kind="generic")
def calculate(db: Overlay, expression: str) -> str:
    """Work out an arithmetic expression; the result is rounded to two decimals.

    Args:
        expression: Numbers, + - * / and parentheses, e.g. "(54.2 + 3) * 2".
    """
    return str(round(float(evaluate(expression)), 2))


@tool(kind="generic")
def think(db: Overlay, thought: str) -> str:
    """Write a thought down. It changes nothing and looks nothing up.

    Args:
        thought: What to keep in mind.
    """
    return ""


@tool(kind="generic", ends_episode=True)
def transfer_to_human_agents(db: Overlay, summary: str) -> str:
    """Hand the customer over to a human agent, which ends the conversation.

    Args:
        summary: What the customer needs and what has been done so far.
    """
    return "Transfer successful"


@tool(kind="read")
def find_user_id_by_email(db: Overlay, email: str) -> str:
    """Find a user id by e-mail address.

    Args:
        email: The e-mail address, in any case.
    """
    return find_user_by_email(db, email)


@tool(kind="read")
def find_user_id_by_name_zip(db: Overlay, first_name: str, last_name: str, zip: str) -> str:
    """Find a user id by first name, last name and ZIP code.

    Args:
        first_name: The first name, in any case.
        last_name: The last name, in any case.
        zip: The ZIP code of the profile's address.
    """
    return find_user_by_name(db, first_name, last_name, zip)


@tool(kind="read")
def get_user_details(db: Overlay, user_id: str) -> Record:
    """Look a user up: name, address, e-mail address, payment methods and order ids.

    Args:
        user_id: The user id, e.g. "ada_okafor_1234".
    """
    return find_user(db, user_id)


@tool(kind="read")
def get_order_details(db: Overlay, order_id: str) -> Record:
    """Look an order up: items, status, address, parcels and payments.

    Args:
        order_id: The order id with its "#", e.g. "#W0000001".
    """
    return find_order(db, order_id)


@tool(kind="read")
def list_all_product_types(db: Overlay) -> dict[str, str]:
    """List the names of all product types, each with its product id."""
    products = db.table("products").values()
    return dict(sorted((product["name"], product["product_id"]) for product in products))


@tool(kind="read")
def get_product_details(db: Overlay, product_id: str) -> Record:
    """Look a product type up, with all its variants: options, price and availability.

    Args:
        product_id: The product id, which is not an item id.
    """
    return find_product(db, product_id)


@tool(kind="read")
def get_item_details(db: Overlay, item_id: str) -> Record:
    """Look one variant of a product up: options, price and availability.

    Args:
        item_id: The item id, which is not a product id.
    """
    return find_item(db, item_id)


@tool(kind="write")
def cancel_pending_order(
    db: Overlay, order_id: str, reason: Literal["no longer needed", "ordered by mistake"]
) -> Record:
    """Cancel a whole pending order and refund it to where the money came from.

    Args:
        order_id: The order id with its "#".
        reason: Why the customer cancels.
    """
    order_with_status(db, order_id, "pending", "cancelled")
    order = db.edit("orders", order_id)
    order["status"] = "cancelled"
    order["cancel_reason"] = reason
    for method_id, amount in paid_by_method(order).items():
        if amount > 0:
            book(db, order, "refund", amount, method_id)
    return order


@tool(kind="write")
def modify_pending_order_address(
    db: Overlay,
    order_id: str,
    address1: str,
    address2: str,
    city: str,
    state: str,
    country: str,
    zip: str,
) -> Record:
    """Change where a pending order is shipped to. The profile's address stays as it is.

    Args:
        order_id: The order id with its "#".
        address1: Number and street.
        address2: Apartment, unit or suite; "" if there is none.
        city: The city.
        state: The state, e.g. "CA".
        country: The country, e.g. "USA".
        zip: The ZIP code.
    """
    order_with_status(db, order_id, "pending", "modified")
    order = db.edit("orders", order_id)
    order["address"] = address(address1, address2, city, state, country, zip)
    return order


@tool(kind="write")
def modify_pending_order_payment(db: Overlay, order_id: str, payment_method_id: str) -> Record:
    """Charge a pending order to another payment method and refund the first one.

    Args:
        order_id: The order id with its "#".
        payment_method_id: A payment method of the profile, other than the one that paid.
    """
    order = order_with_status(db, order_id, "pending", "modified")
    method = find_payment_method(db, order, payment_method_id)
    paid = single_payment(order)
    if paid["payment_method_id"] == payment_method_id:
        raise ToolError(f"{order_id} was paid with {payment_method_id} already; name another")
    require_cover(method, paid["amount"])
    order = db.edit("orders", order_id)
    book(db, order, "payment", paid["amount"], payment_method_id)
    book(db, order, "refund", paid["amount"], paid["payment_method_id"])
    return order


@tool(kind="write")
def modify_pending_order_items(
    db: Overlay,
    order_id: str,
    item_ids: list[str],
    new_item_ids: list[str],
    payment_method_id: str,
) -> Record:
    """Change items of a pending order to other variants of the same products. Works once an order.

    Args:
        order_id: The order id with its "#".
        item_ids: The items to change; an item that is there twice may be named twice.
        new_item_ids: What each becomes, in the same order.
        payment_method_id: Where the difference in price is charged or refunded to.
    """
    order = order_with_status(db, order_id, "pending", "modified")
    swaps = swaps_of(db, order, item_ids, new_item_ids)
    require_changes(order, swaps)
    difference = price_difference(order, swaps)
    require_cover(find_payment_method(db, order, payment_method_id), difference)
    order = db.edit("orders", order_id)
    swap(order, swaps)
    order["status"] = "pending (item modified)"
    book_difference(db, order, difference, payment_method_id)
    return order


@tool(kind="write")
def return_delivered_order_items(
    db: Overlay, order_id: str, item_ids: list[str], payment_method_id: str
) -> Record:
    """Ask for the return of items of a delivered order. Works once an order.

    Args:
        order_id: The order id with its "#".
        item_ids: The items to return; an item that is there twice may be named twice.
        payment_method_id: Where the refund goes: what paid the order, or a gift card.
    """
    order = order_with_status(db, order_id, "delivered", "returned")
    positions(order, item_ids)
    require_refundable(db, order, payment_method_id)
    order = db.edit("orders", order_id)
    order["status"] = "return requested"
    order["return_items"] = sorted(item_ids)
    order["return_payment_method_id"] = payment_method_id
    return order


@tool(kind="write")
def exchange_delivered_order_items(
    db: Overlay,
    order_id: str,
    item_ids: list[str],
    new_item_ids: list[str],
    payment_method_id: str,
) -> Record:
    """Ask for the exchange of items of a delivered order, each within its product type. Works once.

    Args:
        order_id: The order id with its "#".
        item_ids: The items to exchange; an item that is there twice may be named twice.
        new_item_ids: What each is exchanged for, in the same order.
        payment_method_id: Where the difference in price is charged or refunded to.
    """
    order = order_with_status(db, order_id, "delivered", "exchanged")
    difference = price_difference(order, swaps_of(db, order, item_ids, new_item_ids))
    require_cover(find_payment_method(db, order, payment_method_id), difference)
    order = db.edit("orders", order_id)
    order["status"] = "exchange requested"
    # Sorted, so that naming the same items in another order leaves the same record.
    order["exchange_items"] = sorted(item_ids)
    order["exchange_new_items"] = sorted(new_item_ids)
    order["exchange_payment_method_id"] = payment_method_id
    order["exchange_price_difference"] = difference
    return order


@tool(kind="write")
def modify_user_address(
    db: Overlay,
    user_id: str,
    address1: str,
    address2: str,
    city: str,
    state: str,
    country: str,
    zip: str,
) -> Record:
    """Change the address in a user's profile. Orders keep the address they have.

    Args:
        user_id: The user id.
        address1: Number and street.
        address2: Apartment, unit or suite; "" if there is none.
        city: The city.
        state: The state, e.g. "CA".
        country: The country, e.g. "USA".
        zip: The ZIP code.
    """
    find_user(db, user_id)
    user = db.edit("users", user_id)
    user["address"] = address(address1, address2, city, state, country, zip)
    return user

"""Records of the shop: what they are, how they are found, and when an order may change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
    return _there(db.get("users", user_id), f"there is no user {user_id}")


def find_user_by_email(db: Overlay, email: str) -> str:
    """Return the id of the user with an e-mail address, or refuse the call."""
    for user_id, user in db.table("users").items():
        if user["email"].lower() == email.strip().lower():
            return str(user_id)
    raise ToolError(f"no user has the e-mail address {email!r}; ask for name and ZIP code")


def find_user_by_name(db: Overlay, first_name: str, last_name: str, zip: str) -> str:
    """Return the id of the user of that name in a ZIP code, or refuse the call."""
    wanted = (first_name.strip().lower(), last_name.strip().lower(), zip.strip())
    for user_id, user in db.table("users").items():
        name = user["name"]
        found = (name["first_name"].lower(), name["last_name"].lower(), user["address"]["zip"])
        if found == wanted:
            return str(user_id)
    raise ToolError(f"no user is called {first_name} {last_name} in ZIP code {zip}")


def find_product(db: Overlay, product_id: str) -> Record:
    """Return a product type, or refuse the call."""
    missing = f"there is no product {product_id}; an item id is looked up as an item"
    return _there(db.get("products", product_id), missing)


def find_item(db: Overlay, item_id: str) -> Record:
    """Return a variant with the product it is of, or refuse the call."""
    for product in db.table("products").values():
        if item_id in product["variants"]:
            variant = product["variants"][item_id]
            return {"name": product["name"], "product_id": product["product_id"], **variant}
    raise ToolError(f"there is no item {item_id}")


def find_order(db: Overlay, order_id: str) -> Record:
    """Return an order, or refuse the call."""
    missing = f"there is no order {order_id}; order ids look like #W1234567"
    return _there(db.get("orders", order_id), missing)


def order_with_status(db: Overlay, order_id: str, status: str, done: str) -> Record:
    """Return an order that has that status, or refuse the call."""
    order = find_order(db, order_id)
    if order["status"] != status:
        raise ToolError(
            f"order {order_id} is {order['status']!r}; only a {status} order can be {done}"
        )
    return order


def _there(record: Record | None, missing: str) -> Record:
    if record is None:
        raise ToolError(missing)
    return record

"""A small shop in memory, and tasks of it, to lint."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import pytest

from pytest_taubench.environment import Database, Overlay, tool
from pytest_taubench.environment.domain import Domain
from pytest_taubench.errors import ToolError
from pytest_taubench.lint import Case
from pytest_taubench.schema import Task

ADA = {
    "name": {"first_name": "Ada", "last_name": "Kern"},
    "zip": "60601",
    "street": "5 Old Road",
    "payment_methods": {
        "card_11112222": {"source": "credit_card", "brand": "visa", "last_four": "4321"},
        "gift_33334444": {"source": "gift_card", "balance": 50},
    },
    "orders": ["#S100001", "#S100002", "#S100003"],
}
LAMP = {"name": "Desk Lamp", "product": "lamp_900", "item": "lamp_100001", "price": 20.0}
VASE = {"name": "Glass Vase", "product": "vase_900", "item": "vase_100001", "price": 12.5}
OLD_LAMP = {"color": "white", "base": "clamp"}
ORDERS = {
    "#S100001": {"user": "ada_1234", "status": "pending", "items": [{**LAMP, "options": OLD_LAMP}]},
    "#S100002": {"user": "ada_1234", "status": "pending", "items": [VASE]},
    "#S100003": {"user": "ada_1234", "status": "sent", "items": [VASE]},
}
PRODUCTS = {
    "lamp_900": {
        "name": "Desk Lamp",
        "variants": {
            "lamp_100001": {"options": {"color": "white", "base": "clamp"}, "price": 20.0},
            "lamp_100002": {"options": {"color": "black", "base": "clamp"}, "price": 23.0},
            "lamp_100003": {"options": {"color": "black", "base": "foot"}, "price": 18.0},
        },
    },
}


@tool(kind="read")
def find_user(db: Overlay, first_name: str, zip: str) -> str:
    """Find a user."""
    for key, user in db.table("users").items():
        if (user["name"]["first_name"], user["zip"]) == (first_name, zip):
            return key
    raise ToolError("no such user")


@tool(kind="read")
def get_user(db: Overlay, user_id: str) -> Mapping[str, Any]:
    """Get a user."""
    return found(db, "users", user_id)


@tool(kind="read")
def get_order(db: Overlay, order_id: str) -> Mapping[str, Any]:
    """Get an order."""
    return found(db, "orders", order_id)


@tool(kind="read")
def get_product(db: Overlay, product_id: str) -> Mapping[str, Any]:
    """Get a product."""
    return found(db, "products", product_id)


@tool(kind="write")
def cancel_order(db: Overlay, order_id: str, reason: Literal["mistake", "too late"]) -> str:
    """Cancel an order."""
    if found(db, "orders", order_id)["status"] != "pending":
        raise ToolError("only a pending order can be cancelled")
    db.edit("orders", order_id).update(status="cancelled", reason=reason)
    return "done"


@tool(kind="write")
def swap_item(db: Overlay, order_id: str, item: str, new_item: str, payment: str) -> str:
    """Swap an item."""
    if item not in [each["item"] for each in found(db, "orders", order_id)["items"]]:
        raise ToolError("no such item in the order")
    variants = found(db, "products", "lamp_900")["variants"]
    methods = found(db, "users", "ada_1234")["payment_methods"]
    if new_item not in variants or payment not in methods:
        raise ToolError("no such item or payment")
    db.edit("orders", order_id)["swap"] = [item, new_item, payment]
    return "done"


@tool(kind="write")
def return_item(db: Overlay, order_id: str, item: str, payment: str) -> str:
    """Return an item."""
    if item not in [each["item"] for each in found(db, "orders", order_id)["items"]]:
        raise ToolError("no such item in the order")
    db.edit("orders", order_id)["returned"] = [item, payment]
    return "done"


@tool(kind="write")
def set_street(db: Overlay, user_id: str, street: str) -> str:
    """Change a street."""
    found(db, "users", user_id)
    db.edit("users", user_id)["street"] = street
    return "done"


@tool(kind="generic", ends_episode=True)
def transfer(db: Overlay, summary: str) -> str:
    """Transfer to a person."""
    return "transferred"


def found(db: Overlay, table: str, key: str) -> Mapping[str, Any]:
    record = db.get(table, key)
    if record is None:
        raise ToolError(f"no {key}")
    return record


TOOLS = (
    find_user,
    get_user,
    get_order,
    get_product,
    cancel_order,
    swap_item,
    return_item,
    set_street,
    transfer,
)

MakeCase = Callable[..., Case]


@pytest.fixture(scope="session")
def shop() -> Domain:
    tables = {"users": {"ada_1234": ADA}, "orders": ORDERS, "products": PRODUCTS}
    return Domain("shop", Path(), "Be kind.", {each.name: each for each in TOOLS}, Database(tables))


@pytest.fixture
def case(shop: Domain) -> MakeCase:
    """Make a case of an instruction, gold actions as (tool, arguments), and further fields."""

    def make(instruction: str, *actions: tuple[str, dict[str, Any]], **fields: Any) -> Case:
        given = [{"name": name, "arguments": arguments} for name, arguments in actions]
        fields = {"user_id": "ada_1234", **fields}
        data = {"id": "t", "domain": "shop", "instruction": instruction, "actions": given}
        return Case(Task.model_validate({**data, **fields}), shop)

    return make

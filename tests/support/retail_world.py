"""A shop of two products and six orders, whose every price is known by heart."""

from __future__ import annotations

from typing import Any

from pytest_taubench import Database, Environment
from pytest_taubench.environment.environment import ToolResult

CARD, OTHER_CARD, PAYPAL, GIFT = "credit_card_1", "credit_card_2", "paypal_3", "gift_card_4"
ADDRESS = {
    "address1": "1 Elm Row",
    "address2": "",
    "city": "Boise",
    "country": "USA",
    "state": "ID",
    "zip": "83701",
}
NEW_ADDRESS = {
    "address1": "9 Oak Row",
    "address2": "Apt 2",
    "city": "Omaha",
    "state": "NE",
    "country": "USA",
    "zip": "68101",
}
MUG = {
    "m-red": ("red", 10.10, True),
    "m-blue": ("blue", 10.30, True),
    "m-gold": ("gold", 60.00, True),
    "m-gone": ("grey", 9.00, False),
}
LAMP = {"l-small": ("small", 40.00, True), "l-large": ("large", 55.25, True)}


def product(product_id: str, name: str, option: str, variants: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": name,
        "product_id": product_id,
        "variants": {
            item_id: {
                "item_id": item_id,
                "options": {option: value},
                "available": available,
                "price": price,
            }
            for item_id, (value, price, available) in variants.items()
        },
    }


PRODUCTS = {
    "p-mug": product("p-mug", "Mug", "color", MUG),
    "p-lamp": product("p-lamp", "Lamp", "size", LAMP),
}


def line(product_id: str, item_id: str) -> dict[str, Any]:
    variant = PRODUCTS[product_id]["variants"][item_id]
    return {
        "name": PRODUCTS[product_id]["name"],
        "product_id": product_id,
        "item_id": item_id,
        "price": variant["price"],
        "options": dict(variant["options"]),
    }


def order(order_id: str, status: str, items: list[dict[str, Any]], paid_with: str) -> Any:
    amount = round(sum(item["price"] for item in items), 2)
    payment = {"transaction_type": "payment", "amount": amount, "payment_method_id": paid_with}
    return {
        "order_id": order_id,
        "user_id": "ada_kern_1",
        "address": dict(ADDRESS),
        "items": items,
        "fulfillments": [],
        "status": status,
        "payment_history": [payment],
    }


def shop_database() -> Database:
    red, small = line("p-mug", "m-red"), line("p-lamp", "l-small")
    orders = [
        order("#W1", "pending", [dict(red), dict(small)], CARD),  # 50.10
        order("#W2", "pending", [dict(red)], GIFT),  # 10.10
        order("#W3", "delivered", [dict(red), dict(small)], CARD),
        order("#W4", "delivered", [dict(red), dict(red), dict(small)], PAYPAL),
        order("#W5", "processed", [dict(red)], CARD),
        order("#W6", "pending", [dict(red), dict(red)], CARD),  # 20.20
    ]
    user = {
        "name": {"first_name": "Ada", "last_name": "Kern"},
        "address": dict(ADDRESS),
        "email": "ada.kern@example.com",
        "payment_methods": {
            CARD: {"source": "credit_card", "id": CARD, "brand": "visa", "last_four": "0001"},
            OTHER_CARD: {"source": "credit_card", "id": OTHER_CARD, "brand": "visa"},
            PAYPAL: {"source": "paypal", "id": PAYPAL},
            GIFT: {"source": "gift_card", "id": GIFT, "balance": 30},
        },
        "orders": [order["order_id"] for order in orders],
    }
    return Database(
        {
            "products": PRODUCTS,
            "users": {"ada_kern_1": user},
            "orders": {order["order_id"]: order for order in orders},
        }
    )


def succeed(environment: Environment, name: str, **arguments: Any) -> ToolResult:
    result = environment.call(name, arguments)
    assert result.ok, result.content
    return result


def refusal(environment: Environment, name: str, **arguments: Any) -> str:
    before = environment.changes()
    result = environment.call(name, arguments)
    assert not result.ok
    assert environment.changes() == before
    return result.content


def order_after(environment: Environment, order_id: str) -> dict[str, Any]:
    after = environment.changes()["orders"][order_id].after
    assert isinstance(after, dict)
    return after


def gift_balance(environment: Environment) -> float:
    after = environment.changes()["users"]["ada_kern_1"].after
    return float(after["payment_methods"][GIFT]["balance"])

"""Make the retail database from a seed: ``python generate.py [--seed N] [--out DIR]``.

The same seed gives the same bytes. What the shop sells and who shops there is in ``catalogue.toml``
and ``people.toml``; record fields follow the τ-bench paper's retail domain (arXiv 2406.12045).
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

Record = dict[str, Any]
Table = dict[str, Record]

SEED = 2406
USERS = 500
ORDERS = 1000
NAMESAKES = 24
FOLDER = Path(__file__).resolve().parent


class Numbers:
    """Ids that look arbitrary and never repeat.

    Args:
        rng: Where they are drawn from.
    """

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._used: set[str] = set()

    def draw(self, prefix: str, digits: int) -> str:
        """Return ``prefix`` and ``digits`` digits, the first of them not 0."""
        while True:
            number = self._rng.randrange(10 ** (digits - 1), 10**digits)
            if (made := f"{prefix}{number}") not in self._used:
                self._used.add(made)
                return made


def make_products(catalogue: Sequence[Record], rng: random.Random, numbers: Numbers) -> Table:
    """Return the products, each with the variants that are stocked."""
    products: Table = {}
    for kind in catalogue:
        product_id = numbers.draw("", 10)
        variants = {v["item_id"]: v for v in _variants(kind, rng, numbers)}
        products[product_id] = {
            "name": kind["name"],
            "product_id": product_id,
            "variants": variants,
        }
    return products


def _variants(kind: Record, rng: random.Random, numbers: Numbers) -> Iterator[Record]:
    names = list(kind["options"])
    combinations = list(itertools.product(*kind["options"].values()))
    prices: set[float] = set()
    for values in rng.sample(combinations, kind["variants"]):
        options = dict(zip(names, values, strict=True))
        # "The cheapest" has to name one variant, so no two of a product cost the same.
        while (price := _price(kind, options, rng)) in prices:
            pass
        prices.add(price)
        yield {
            "item_id": numbers.draw("", 10),
            "options": options,
            "available": rng.random() < 0.78,
            "price": price,
        }


def _price(kind: Record, options: Mapping[str, str], rng: random.Random) -> float:
    factor = rng.uniform(0.96, 1.06)
    for name in kind["dearer"]:
        values = kind["options"][name]
        factor += 0.35 * values.index(options[name]) / (len(values) - 1)
    return float(round(kind["price"] * factor, 2))


def make_users(people: Record, rng: random.Random, numbers: Numbers) -> Table:
    """Return the users; some share first and last name, none of these share the ZIP code."""
    names = list(itertools.product(people["first_names"], people["last_names"]))
    drawn = rng.sample(names, USERS - NAMESAKES)
    drawn += rng.sample(drawn, NAMESAKES)
    users: Table = {}
    taken: set[tuple[str, str, str]] = set()
    for first, last in drawn:
        address = _address(people, rng)
        while (first, last, address["zip"]) in taken:
            address = _address(people, rng)
        taken.add((first, last, address["zip"]))
        user_id = numbers.draw(f"{first}_{last}_".lower(), 4)
        users[user_id] = {
            "name": {"first_name": first, "last_name": last},
            "address": address,
            "email": numbers.draw(f"{first[0]}.{last}".lower(), 3) + "@example.com",
            "payment_methods": {m["id"]: m for m in _payment_methods(rng, numbers)},
            "orders": [],
        }
    return dict(sorted(users.items(), key=lambda _: rng.random()))


def _address(people: Record, rng: random.Random) -> Record:
    place = rng.choice(people["cities"])
    second = rng.choice(
        ["", f"Apt {rng.randint(1, 40)}{rng.choice('ABCD')}", f"Unit {rng.randint(2, 99)}"]
    )
    return {
        "address1": f"{rng.randint(11, 989)} {rng.choice(people['streets'])}",
        "address2": second,
        "city": place["city"],
        "country": "USA",
        "state": place["state"],
        "zip": f"{place['zip']}{rng.randint(1, 60):02d}",
    }


def _payment_methods(rng: random.Random, numbers: Numbers) -> Iterator[Record]:
    count = rng.choices([1, 2, 3, 4], [44, 36, 15, 5])[0]
    for source in rng.sample(["credit_card", "credit_card", "gift_card", "paypal"], count):
        method: Record = {"source": source, "id": numbers.draw(f"{source}_", 7)}
        if source == "credit_card":
            method["brand"] = rng.choice(["visa", "mastercard"])
            method["last_four"] = f"{rng.randrange(10_000):04d}"
        elif source == "gift_card":
            method["balance"] = rng.randint(0, 40) * 8
        yield method


def make_orders(
    users: Table, products: Table, people: Record, rng: random.Random, numbers: Numbers
) -> Table:
    """Return the orders, and enter each in its user's list."""
    orders: Table = {}
    # A squared weight gives the few who order often and the many who ordered once or never.
    weights = [rng.random() ** 2 for _ in users]
    for user_id in rng.choices(list(users), weights, k=ORDERS):
        user = users[user_id]
        order_id = numbers.draw("#W", 7)
        items = _items(products, rng)
        status = rng.choices(["pending", "delivered", "processed", "cancelled"], [42, 40, 10, 8])[0]
        elsewhere = rng.random() < 0.12
        orders[order_id] = {
            "order_id": order_id,
            "user_id": user_id,
            "address": _address(people, rng) if elsewhere else dict(user["address"]),
            "items": items,
            "fulfillments": _fulfillments(items, status, rng, numbers),
            "status": status,
            "payment_history": _payment_history(user, items, status, rng),
        }
        user["orders"].append(order_id)
    return orders


def _items(products: Table, rng: random.Random) -> list[Record]:
    count = rng.choices([1, 2, 3, 4, 5], [20, 25, 23, 18, 14])[0]
    kinds = rng.sample(list(products.values()), count)
    if count > 1 and rng.random() < 0.1:
        kinds[1] = kinds[0]
    items: list[Record] = []
    for kind in kinds:
        had = {item["item_id"] for item in items}
        variant = rng.choice([v for v in kind["variants"].values() if v["item_id"] not in had])
        items.append(
            {
                "name": kind["name"],
                "product_id": kind["product_id"],
                "item_id": variant["item_id"],
                "price": variant["price"],
                "options": dict(variant["options"]),
            }
        )
    return items


def _fulfillments(
    items: list[Record], status: str, rng: random.Random, numbers: Numbers
) -> list[Record]:
    if status not in ("processed", "delivered"):
        return []
    ids = [item["item_id"] for item in items]
    cut = rng.randrange(1, len(ids)) if len(ids) > 2 and rng.random() < 0.25 else len(ids)
    parcels = [ids[:cut], ids[cut:]]
    return [{"tracking_id": [numbers.draw("", 12)], "item_ids": ids} for ids in parcels if ids]


def _payment_history(
    user: Record, items: list[Record], status: str, rng: random.Random
) -> list[Record]:
    entry = {
        "transaction_type": "payment",
        "amount": round(sum(item["price"] for item in items), 2),
        "payment_method_id": rng.choice(list(user["payment_methods"])),
    }
    return [entry, entry | {"transaction_type": "refund"}] if status == "cancelled" else [entry]


def write_table(table: Table, path: Path) -> None:
    """Write a table with one record a line, so that a change shows as the records it touches."""
    lines = (f"{json.dumps(key)}: {json.dumps(record)}" for key, record in table.items())
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8", newline="\n")


def generate(seed: int, out: Path) -> None:
    """Write ``products.json``, ``users.json`` and ``orders.json`` into ``out``."""
    rng = random.Random(seed)
    numbers = Numbers(rng)
    catalogue = tomllib.loads((FOLDER / "catalogue.toml").read_text(encoding="utf-8"))
    people = tomllib.loads((FOLDER / "people.toml").read_text(encoding="utf-8"))
    products = make_products(catalogue["product"], rng, numbers)
    users = make_users(people, rng, numbers)
    orders = make_orders(users, products, people, rng, numbers)
    out.mkdir(parents=True, exist_ok=True)
    for name, table in {"products": products, "users": users, "orders": orders}.items():
        write_table(table, out / f"{name}.json")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Make the retail database from a seed.")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--out", type=Path, default=FOLDER / "db")
    arguments = parser.parse_args()
    generate(arguments.seed, arguments.out)


if __name__ == "__main__":
    main()

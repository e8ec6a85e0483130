"""The bundled retail database is what its generator makes, and is sound."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pytest_taubench import Database
from pytest_taubench.bundled import domains_root

FOLDER = domains_root() / "retail"
TABLES = ("products", "users", "orders")


def generate(out: Path, *options: str) -> dict[str, bytes]:
    command = [sys.executable, str(FOLDER / "generate.py"), "--out", str(out), *options]
    subprocess.run(command, check=True)
    return {name: (out / f"{name}.json").read_bytes() for name in TABLES}


@pytest.fixture(scope="module")
def database() -> Database:
    return Database.load(FOLDER / "db")


def test_the_generator_makes_the_bundled_bytes(tmp_path: Path) -> None:
    made = generate(tmp_path)
    assert made == {name: (FOLDER / "db" / f"{name}.json").read_bytes() for name in TABLES}


def test_another_seed_makes_another_shop(tmp_path: Path) -> None:
    made = generate(tmp_path, "--seed", "7")
    assert made["orders"] != (FOLDER / "db" / "orders.json").read_bytes()


def test_the_shop_has_the_size_of_the_papers(database: Database) -> None:
    assert {name: len(database.table(name)) for name in TABLES} == {
        "products": 50,
        "users": 500,
        "orders": 1000,
    }


def test_each_product_has_4_to_12_variants_of_distinct_options_and_prices(
    database: Database,
) -> None:
    for product in database.table("products").values():
        variants = list(product["variants"].values())
        assert 4 <= len(variants) <= 12
        assert len({v["price"] for v in variants}) == len(variants)
        assert len({tuple(v["options"].items()) for v in variants}) == len(variants)
        assert any(v["available"] for v in variants)


def test_all_variants_of_a_product_have_the_same_options(database: Database) -> None:
    for product in database.table("products").values():
        assert len({tuple(v["options"]) for v in product["variants"].values()}) == 1


def test_records_stand_under_their_own_ids(database: Database) -> None:
    for product_id, product in database.table("products").items():
        assert product["product_id"] == product_id
        assert all(v["item_id"] == item_id for item_id, v in product["variants"].items())
    for order_id, order in database.table("orders").items():
        assert order["order_id"] == order_id
    for user in database.table("users").values():
        assert all(m["id"] == method_id for method_id, m in user["payment_methods"].items())


def test_item_ids_are_unique_across_products(database: Database) -> None:
    ids = [i for product in database.table("products").values() for i in product["variants"]]
    assert len(ids) == len(set(ids))


def test_nobody_can_be_mistaken_for_somebody_else(database: Database) -> None:
    users = list(database.table("users").values())
    emails = Counter(user["email"] for user in users)
    people = Counter(
        (user["name"]["first_name"], user["name"]["last_name"], user["address"]["zip"])
        for user in users
    )
    assert max(emails.values()) == 1
    assert max(people.values()) == 1


def test_some_users_share_their_name_in_different_places(database: Database) -> None:
    names = Counter(tuple(user["name"].values()) for user in database.table("users").values())
    assert sum(count > 1 for count in names.values()) >= 10


def test_each_user_has_one_to_four_payment_methods(database: Database) -> None:
    counts = {len(user["payment_methods"]) for user in database.table("users").values()}
    assert counts == {1, 2, 3, 4}


def test_orders_and_users_name_one_another(database: Database) -> None:
    users: Any = database.table("users")
    listed = {order_id: user_id for user_id in users for order_id in users[user_id]["orders"]}
    assert listed == {i: order["user_id"] for i, order in database.table("orders").items()}


def test_an_order_holds_what_the_catalogue_says_and_was_paid_for(database: Database) -> None:
    products: Any = database.table("products")
    users: Any = database.table("users")
    for order in database.table("orders").values():
        for item in order["items"]:
            variant = products[item["product_id"]]["variants"][item["item_id"]]
            assert (item["price"], item["options"]) == (variant["price"], variant["options"])
        first = order["payment_history"][0]
        assert first["amount"] == round(sum(item["price"] for item in order["items"]), 2)
        assert first["payment_method_id"] in users[order["user_id"]]["payment_methods"]


def test_what_was_sent_has_parcels_that_hold_each_item_once(database: Database) -> None:
    for order in database.table("orders").values():
        sent = [i for parcel in order["fulfillments"] for i in parcel["item_ids"]]
        if order["status"] in ("processed", "delivered"):
            assert sent == [item["item_id"] for item in order["items"]]
        else:
            assert sent == []


def test_a_cancelled_order_was_refunded(database: Database) -> None:
    for order in database.table("orders").values():
        kinds = [entry["transaction_type"] for entry in order["payment_history"]]
        assert kinds == (["payment", "refund"] if order["status"] == "cancelled" else ["payment"])


def test_all_four_statuses_occur_often(database: Database) -> None:
    statuses = Counter(order["status"] for order in database.table("orders").values())
    assert set(statuses) == {"pending", "processed", "delivered", "cancelled"}
    assert min(statuses.values()) >= 50

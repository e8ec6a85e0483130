"""The retail tools on a shop small enough to reckon by hand."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_taubench import Database, Environment, load_domain
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


def shop() -> Database:
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


@pytest.fixture(scope="module")
def domain() -> Any:
    return load_domain("retail").with_data(database=shop())


@pytest.fixture
def environment(domain: Any) -> Environment:
    made: Environment = domain.environment()
    return made


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


class TestFinding:
    def test_an_email_address_is_found_in_any_case(self, environment: Environment) -> None:
        found = succeed(environment, "find_user_id_by_email", email="Ada.Kern@Example.com")
        assert found.content == "ada_kern_1"

    def test_an_unknown_email_address_is_refused(self, environment: Environment) -> None:
        said = refusal(environment, "find_user_id_by_email", email="ada@example.com")
        assert "ada@example.com" in said

    def test_a_name_is_found_in_any_case_with_its_zip(self, environment: Environment) -> None:
        who = {"first_name": "ada", "last_name": "KERN", "zip": "83701"}
        assert succeed(environment, "find_user_id_by_name_zip", **who).content == "ada_kern_1"

    @pytest.mark.parametrize("wrong", [{"zip": "83702"}, {"first_name": "Eda"}])
    def test_a_name_with_a_wrong_part_is_refused(
        self, environment: Environment, wrong: dict[str, str]
    ) -> None:
        who = {"first_name": "Ada", "last_name": "Kern", "zip": "83701", **wrong}
        assert "no user" in refusal(environment, "find_user_id_by_name_zip", **who)

    def test_product_types_are_listed_by_name(self, environment: Environment) -> None:
        listed = succeed(environment, "list_all_product_types").value
        assert listed == {"Lamp": "p-lamp", "Mug": "p-mug"}
        assert list(listed) == ["Lamp", "Mug"]

    def test_one_variant_is_found_by_its_item_id(self, environment: Environment) -> None:
        item = succeed(environment, "get_item_details", item_id="l-large").value
        assert (item["name"], item["price"], item["options"]) == ("Lamp", 55.25, {"size": "large"})

    @pytest.mark.parametrize(
        ("name", "argument", "unknown"),
        [
            ("get_user_details", "user_id", "ada"),
            ("get_order_details", "order_id", "W1"),
            ("get_product_details", "product_id", "m-red"),
            ("get_item_details", "item_id", "p-mug"),
        ],
    )
    def test_an_unknown_id_is_named_in_the_refusal(
        self, environment: Environment, name: str, argument: str, unknown: str
    ) -> None:
        assert unknown in refusal(environment, name, **{argument: unknown})

    def test_reading_changes_nothing(self, environment: Environment) -> None:
        succeed(environment, "get_user_details", user_id="ada_kern_1")
        succeed(environment, "get_order_details", order_id="#W1")
        succeed(environment, "get_product_details", product_id="p-mug")
        assert environment.changes() == {}


class TestCalculate:
    @pytest.mark.parametrize(
        ("expression", "result"),
        [("54.04 + 41.64", "95.68"), ("10 / 4", "2.5"), ("2 * (3 - 8)", "-10.0"), ("1/3", "0.33")],
    )
    def test_the_result_is_text_rounded_to_cents(
        self, environment: Environment, expression: str, result: str
    ) -> None:
        assert succeed(environment, "calculate", expression=expression).content == result

    @pytest.mark.parametrize("expression", ["9**9**9", "1/0", "__import__('os')", "2 +", ""])
    def test_what_is_no_plain_arithmetic_is_refused(
        self, environment: Environment, expression: str
    ) -> None:
        refusal(environment, "calculate", expression=expression)


def test_only_a_transfer_ends_the_episode(domain: Any) -> None:
    ending = {name for name, tool in domain.tools.items() if tool.ends_episode}
    assert ending == {"transfer_to_human_agents"}


def test_a_thought_is_answered_with_nothing(environment: Environment) -> None:
    assert succeed(environment, "think", thought="hm").content == ""


class TestCancel:
    def test_the_card_that_paid_is_refunded(self, environment: Environment) -> None:
        succeed(environment, "cancel_pending_order", order_id="#W1", reason="no longer needed")
        after = order_after(environment, "#W1")
        assert after["status"] == "cancelled"
        assert after["cancel_reason"] == "no longer needed"
        assert after["payment_history"][1:] == [
            {"transaction_type": "refund", "amount": 50.10, "payment_method_id": CARD}
        ]
        assert "users" not in environment.changes()

    def test_a_gift_card_has_its_money_back_at_once(self, environment: Environment) -> None:
        succeed(environment, "cancel_pending_order", order_id="#W2", reason="ordered by mistake")
        assert gift_balance(environment) == 40.10

    def test_after_a_change_of_payment_only_the_new_method_is_refunded(
        self, environment: Environment
    ) -> None:
        succeed(
            environment,
            "modify_pending_order_payment",
            order_id="#W1",
            payment_method_id=PAYPAL,
        )
        succeed(environment, "cancel_pending_order", order_id="#W1", reason="no longer needed")
        assert order_after(environment, "#W1")["payment_history"][3:] == [
            {"transaction_type": "refund", "amount": 50.10, "payment_method_id": PAYPAL}
        ]

    def test_another_reason_is_refused(self, environment: Environment) -> None:
        said = refusal(environment, "cancel_pending_order", order_id="#W1", reason="too dear")
        assert "no longer needed" in said

    @pytest.mark.parametrize("order_id", ["#W3", "#W5"])
    def test_an_order_on_its_way_is_refused(self, environment: Environment, order_id: str) -> None:
        refusal(environment, "cancel_pending_order", order_id=order_id, reason="no longer needed")

    def test_a_second_cancellation_is_refused(self, environment: Environment) -> None:
        call = {"order_id": "#W2", "reason": "no longer needed"}
        succeed(environment, "cancel_pending_order", **call)
        assert "cancelled" in refusal(environment, "cancel_pending_order", **call)
        assert gift_balance(environment) == 40.10


class TestAddresses:
    def test_an_order_moves_and_the_profile_stays(self, environment: Environment) -> None:
        succeed(environment, "modify_pending_order_address", order_id="#W1", **NEW_ADDRESS)
        assert order_after(environment, "#W1")["address"] == NEW_ADDRESS
        assert list(environment.changes()) == ["orders"]

    def test_a_profile_moves_and_the_orders_stay(self, environment: Environment) -> None:
        succeed(environment, "modify_user_address", user_id="ada_kern_1", **NEW_ADDRESS)
        assert environment.changes()["users"]["ada_kern_1"].after["address"] == NEW_ADDRESS
        assert list(environment.changes()) == ["users"]

    def test_moving_back_leaves_no_change(self, environment: Environment) -> None:
        succeed(environment, "modify_user_address", user_id="ada_kern_1", **NEW_ADDRESS)
        succeed(environment, "modify_user_address", user_id="ada_kern_1", **ADDRESS)
        assert environment.changes() == {}

    @pytest.mark.parametrize("order_id", ["#W3", "#W5", "#W9"])
    def test_an_order_that_is_not_pending_is_refused(
        self, environment: Environment, order_id: str
    ) -> None:
        said = refusal(
            environment, "modify_pending_order_address", order_id=order_id, **NEW_ADDRESS
        )
        assert order_id in said

    def test_an_unknown_user_is_refused(self, environment: Environment) -> None:
        refusal(environment, "modify_user_address", user_id="nobody", **NEW_ADDRESS)


class TestPayment:
    name = "modify_pending_order_payment"

    def test_the_new_method_pays_and_the_old_is_refunded(self, environment: Environment) -> None:
        succeed(environment, self.name, order_id="#W1", payment_method_id=PAYPAL)
        after = order_after(environment, "#W1")
        assert after["status"] == "pending"
        assert after["payment_history"][1:] == [
            {"transaction_type": "payment", "amount": 50.10, "payment_method_id": PAYPAL},
            {"transaction_type": "refund", "amount": 50.10, "payment_method_id": CARD},
        ]

    def test_a_gift_card_pays_at_once(self, environment: Environment) -> None:
        succeed(environment, self.name, order_id="#W6", payment_method_id=GIFT)
        assert gift_balance(environment) == 9.80  # 30 - 20.20

    def test_a_gift_card_that_paid_is_refunded_at_once(self, environment: Environment) -> None:
        succeed(environment, self.name, order_id="#W2", payment_method_id=CARD)
        assert gift_balance(environment) == 40.10

    def test_a_gift_card_that_holds_too_little_is_refused(self, environment: Environment) -> None:
        said = refusal(environment, self.name, order_id="#W1", payment_method_id=GIFT)
        assert "30.00" in said
        assert "50.10" in said

    @pytest.mark.parametrize(
        ("order_id", "method"), [("#W1", CARD), ("#W1", "paypal_9"), ("#W3", PAYPAL)]
    )
    def test_the_same_method_an_unknown_one_or_a_sent_order_is_refused(
        self, environment: Environment, order_id: str, method: str
    ) -> None:
        refusal(environment, self.name, order_id=order_id, payment_method_id=method)

    def test_a_second_change_is_refused(self, environment: Environment) -> None:
        succeed(environment, self.name, order_id="#W1", payment_method_id=PAYPAL)
        said = refusal(environment, self.name, order_id="#W1", payment_method_id=OTHER_CARD)
        assert "single" in said


class TestModifyItems:
    name = "modify_pending_order_items"

    def modify(self, environment: Environment, order_id: str, swaps: Any, method: str) -> None:
        old, new = zip(*swaps, strict=True)
        succeed(
            environment,
            self.name,
            order_id=order_id,
            item_ids=list(old),
            new_item_ids=list(new),
            payment_method_id=method,
        )

    def test_each_item_gets_its_own_price_and_options(self, environment: Environment) -> None:
        """KNOWN_FAULTS 29: all items had the price and options of the last one."""
        self.modify(environment, "#W1", [("l-small", "l-large"), ("m-red", "m-blue")], CARD)
        after = order_after(environment, "#W1")
        assert after["items"] == [line("p-mug", "m-blue"), line("p-lamp", "l-large")]
        assert after["status"] == "pending (item modified)"
        # 15.25 for the lamp and 0.20 for the mug
        assert after["payment_history"][1:] == [
            {"transaction_type": "payment", "amount": 15.45, "payment_method_id": CARD}
        ]

    def test_two_of_the_same_item_can_become_different_ones(self, environment: Environment) -> None:
        self.modify(environment, "#W6", [("m-red", "m-blue"), ("m-red", "m-gold")], CARD)
        items = order_after(environment, "#W6")["items"]
        assert [item["item_id"] for item in items] == ["m-blue", "m-gold"]

    def test_the_order_in_which_items_are_named_does_not_matter(self, domain: Any) -> None:
        swaps = [("l-small", "l-large"), ("m-red", "m-blue")]
        one, other = domain.environment(), domain.environment()
        self.modify(one, "#W1", swaps, CARD)
        self.modify(other, "#W1", swaps[::-1], CARD)
        assert one.changes() == other.changes()

    def test_a_cheaper_item_is_refunded_to_the_method_named(self, domain: Any) -> None:
        gold = order("#W7", "pending", [line("p-mug", "m-gold")], CARD)
        tables = {name: dict(shop().table(name)) for name in shop().tables}
        tables["orders"]["#W7"] = gold
        environment = domain.with_data(database=Database(tables)).environment()
        self.modify(environment, "#W7", [("m-gold", "m-red")], GIFT)
        assert gift_balance(environment) == 79.90  # 30 + (60 - 10.10)

    def test_a_gift_card_pays_the_difference_at_once(self, environment: Environment) -> None:
        self.modify(environment, "#W1", [("l-small", "l-large")], GIFT)
        assert gift_balance(environment) == 14.75  # 30 - 15.25

    @pytest.mark.parametrize(
        ("old", "new", "method", "reason"),
        [
            (["m-red"], ["m-gold"], GIFT, "cover"),
            (["m-red"], ["m-gone"], CARD, "not available"),
            (["m-red"], ["l-large"], CARD, "not a variant"),
            (["m-red"], ["m-red"], CARD, "stay"),
            (["m-blue"], ["m-gold"], CARD, "does not hold"),
            (["m-red", "m-red"], ["m-blue", "m-gold"], CARD, "does not hold"),
            (["m-red"], ["m-blue", "m-gold"], CARD, "as many"),
            ([], [], CARD, "at least one"),
            (["m-red"], ["m-blue"], "paypal_9", "paypal_9"),
        ],
    )
    def test_a_wrong_swap_is_refused_with_the_reason(
        self, environment: Environment, old: list[str], new: list[str], method: str, reason: str
    ) -> None:
        said = refusal(
            environment,
            self.name,
            order_id="#W1",
            item_ids=old,
            new_item_ids=new,
            payment_method_id=method,
        )
        assert reason in said

    @pytest.mark.parametrize(
        ("name", "arguments"),
        [
            (
                "modify_pending_order_items",
                {"item_ids": ["l-small"], "new_item_ids": ["l-large"], "payment_method_id": CARD},
            ),
            ("modify_pending_order_payment", {"payment_method_id": PAYPAL}),
            ("modify_pending_order_address", NEW_ADDRESS),
            ("cancel_pending_order", {"reason": "no longer needed"}),
        ],
    )
    def test_after_its_items_are_modified_an_order_stays_as_it_is(
        self, environment: Environment, name: str, arguments: dict[str, Any]
    ) -> None:
        self.modify(environment, "#W1", [("m-red", "m-blue")], CARD)
        assert "item modified" in refusal(environment, name, order_id="#W1", **arguments)


class TestReturn:
    name = "return_delivered_order_items"

    @pytest.mark.parametrize("method", [CARD, GIFT])
    def test_the_refund_goes_to_what_paid_or_to_a_gift_card(
        self, environment: Environment, method: str
    ) -> None:
        succeed(
            environment,
            self.name,
            order_id="#W3",
            item_ids=["m-red", "l-small"],
            payment_method_id=method,
        )
        after = order_after(environment, "#W3")
        assert after["status"] == "return requested"
        assert after["return_items"] == ["l-small", "m-red"]
        assert after["return_payment_method_id"] == method
        assert "users" not in environment.changes()

    @pytest.mark.parametrize(
        ("order_id", "items", "method", "reason"),
        [
            ("#W3", ["m-red"], PAYPAL, CARD),
            ("#W3", ["m-blue"], CARD, "m-blue"),
            ("#W3", ["m-red", "m-red"], CARD, "m-red"),
            ("#W3", [], CARD, "at least one"),
            ("#W1", ["m-red"], CARD, "pending"),
            ("#W5", ["m-red"], CARD, "processed"),
        ],
    )
    def test_a_wrong_return_is_refused_with_the_reason(
        self, environment: Environment, order_id: str, items: list[str], method: str, reason: str
    ) -> None:
        said = refusal(
            environment, self.name, order_id=order_id, item_ids=items, payment_method_id=method
        )
        assert reason in said

    def test_two_of_the_same_item_can_be_returned(self, environment: Environment) -> None:
        succeed(
            environment,
            self.name,
            order_id="#W4",
            item_ids=["m-red", "m-red"],
            payment_method_id=PAYPAL,
        )
        assert order_after(environment, "#W4")["return_items"] == ["m-red", "m-red"]

    def test_a_second_return_is_refused(self, environment: Environment) -> None:
        call = {"order_id": "#W3", "payment_method_id": CARD}
        succeed(environment, self.name, item_ids=["m-red"], **call)
        assert "return requested" in refusal(environment, self.name, item_ids=["l-small"], **call)


class TestExchange:
    name = "exchange_delivered_order_items"

    def test_items_are_kept_sorted_with_the_difference(self, environment: Environment) -> None:
        succeed(
            environment,
            self.name,
            order_id="#W3",
            item_ids=["m-red", "l-small"],
            new_item_ids=["m-blue", "l-large"],
            payment_method_id=OTHER_CARD,
        )
        after = order_after(environment, "#W3")
        assert after["status"] == "exchange requested"
        assert after["exchange_items"] == ["l-small", "m-red"]
        assert after["exchange_new_items"] == ["l-large", "m-blue"]
        assert after["exchange_payment_method_id"] == OTHER_CARD
        assert after["exchange_price_difference"] == 15.45
        assert len(after["payment_history"]) == 1

    def test_the_same_variant_can_replace_a_broken_piece(self, environment: Environment) -> None:
        succeed(
            environment,
            self.name,
            order_id="#W3",
            item_ids=["m-red"],
            new_item_ids=["m-red"],
            payment_method_id=CARD,
        )
        assert order_after(environment, "#W3")["exchange_price_difference"] == 0

    @pytest.mark.parametrize(
        ("order_id", "new", "method", "reason"),
        [
            ("#W3", "m-gone", CARD, "not available"),
            ("#W3", "l-large", CARD, "not a variant"),
            ("#W3", "m-gold", GIFT, "cover"),
            ("#W3", "m-blue", "paypal_9", "paypal_9"),
            ("#W1", "m-blue", CARD, "pending"),
        ],
    )
    def test_a_wrong_exchange_is_refused_with_the_reason(
        self, environment: Environment, order_id: str, new: str, method: str, reason: str
    ) -> None:
        said = refusal(
            environment,
            self.name,
            order_id=order_id,
            item_ids=["m-red"],
            new_item_ids=[new],
            payment_method_id=method,
        )
        assert reason in said

    def test_after_an_exchange_nothing_can_be_returned(self, environment: Environment) -> None:
        succeed(
            environment,
            self.name,
            order_id="#W3",
            item_ids=["m-red"],
            new_item_ids=["m-blue"],
            payment_method_id=CARD,
        )
        refusal(
            environment,
            "return_delivered_order_items",
            order_id="#W3",
            item_ids=["l-small"],
            payment_method_id=CARD,
        )

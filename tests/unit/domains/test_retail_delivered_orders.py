"""Returns and exchanges of what was delivered, and who is paid."""

from __future__ import annotations

import pytest
from retail_world import CARD, GIFT, OTHER_CARD, PAYPAL, order_after, refusal, succeed

from pytest_taubench import Environment


class TestReturn:
    name = "return_delivered_order_items"

    @pytest.mark.parametrize("method", [CARD, GIFT])
    def test_the_refund_goes_to_what_paid_or_to_a_gift_card(
        self, shop: Environment, method: str
    ) -> None:
        succeed(
            shop,
            self.name,
            order_id="#W3",
            item_ids=["m-red", "l-small"],
            payment_method_id=method,
        )
        after = order_after(shop, "#W3")
        assert after["status"] == "return requested"
        assert after["return_items"] == ["l-small", "m-red"]
        assert after["return_payment_method_id"] == method
        assert "users" not in shop.changes()

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
        self, shop: Environment, order_id: str, items: list[str], method: str, reason: str
    ) -> None:
        said = refusal(shop, self.name, order_id=order_id, item_ids=items, payment_method_id=method)
        assert reason in said

    def test_two_of_the_same_item_can_be_returned(self, shop: Environment) -> None:
        succeed(
            shop,
            self.name,
            order_id="#W4",
            item_ids=["m-red", "m-red"],
            payment_method_id=PAYPAL,
        )
        assert order_after(shop, "#W4")["return_items"] == ["m-red", "m-red"]

    def test_a_second_return_is_refused(self, shop: Environment) -> None:
        call = {"order_id": "#W3", "payment_method_id": CARD}
        succeed(shop, self.name, item_ids=["m-red"], **call)
        assert "return requested" in refusal(shop, self.name, item_ids=["l-small"], **call)


class TestExchange:
    name = "exchange_delivered_order_items"

    def test_items_are_kept_sorted_with_the_difference(self, shop: Environment) -> None:
        succeed(
            shop,
            self.name,
            order_id="#W3",
            item_ids=["m-red", "l-small"],
            new_item_ids=["m-blue", "l-large"],
            payment_method_id=OTHER_CARD,
        )
        after = order_after(shop, "#W3")
        assert after["status"] == "exchange requested"
        assert after["exchange_items"] == ["l-small", "m-red"]
        assert after["exchange_new_items"] == ["l-large", "m-blue"]
        assert after["exchange_payment_method_id"] == OTHER_CARD
        assert after["exchange_price_difference"] == 15.45
        assert len(after["payment_history"]) == 1

    def test_the_same_variant_can_replace_a_broken_piece(self, shop: Environment) -> None:
        succeed(
            shop,
            self.name,
            order_id="#W3",
            item_ids=["m-red"],
            new_item_ids=["m-red"],
            payment_method_id=CARD,
        )
        assert order_after(shop, "#W3")["exchange_price_difference"] == 0

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
        self, shop: Environment, order_id: str, new: str, method: str, reason: str
    ) -> None:
        said = refusal(
            shop,
            self.name,
            order_id=order_id,
            item_ids=["m-red"],
            new_item_ids=[new],
            payment_method_id=method,
        )
        assert reason in said

    def test_after_an_exchange_nothing_can_be_returned(self, shop: Environment) -> None:
        succeed(
            shop,
            self.name,
            order_id="#W3",
            item_ids=["m-red"],
            new_item_ids=["m-blue"],
            payment_method_id=CARD,
        )
        said = refusal(
            shop,
            "return_delivered_order_items",
            order_id="#W3",
            item_ids=["l-small"],
            payment_method_id=CARD,
        )
        assert "exchange requested" in said

"""How the rule agent turns what a customer said into write calls that the policy allows."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import retail_language as language
from retail_shop import Shop


class Refusal(Exception):
    """The shop's rules forbid it, or it cannot be done; the text is what the customer is told."""


class Missing(Exception):
    """Something must be asked first; the text is the question."""


@dataclass
class Step:
    """One write call, and how it is put to the customer."""

    tool: str
    arguments: dict[str, Any]
    words: str
    refund: float = 0.0  # what the customer gets back; negative where they pay


class Planner:
    """Turns what the customer said into write calls that the policy allows."""

    def __init__(self, shop: Shop, said: str, before: str) -> None:
        self.shop = shop
        self.said = said
        self.before = before

    def plan(self) -> list[Step]:
        steps: dict[tuple[str, str], list[tuple[dict[str, Any], str]]] = {}
        single: list[Step] = []
        for clause in language.clauses(self.said):
            intent = language.intent(clause)
            if intent in ("return", "exchange", "modify"):
                for order, item, about in self._items(intent, clause):
                    tool = "modify" if order["status"].startswith("pending") else intent
                    tool = (
                        "exchange" if tool == "modify" and order["status"] == "delivered" else tool
                    )
                    entries = steps.setdefault((tool, order["order_id"]), [])
                    if all(item is not other for other, _ in entries):
                        entries.append((item, about))
            elif intent == "cancel":
                single += self._cancel(clause)
            elif intent == "address":
                single += self._address(clause)
            elif intent == "payment" and not steps:
                single += self._payment_changes(clause)
        # Addresses and payments come first: after items are modified, nothing else can be.
        grouped = [self._with_items(*key, entries) for key, entries in steps.items()]
        unique = {json.dumps([s.tool, s.arguments]): s for s in [*single, *grouped]}
        return list(unique.values())

    def _items(self, intent: str, clause: str) -> list[tuple[dict[str, Any], dict[str, Any], str]]:
        """The items of the customer's orders that a clause speaks of, and what is said of each."""
        status = ("delivered",) if intent in ("return", "exchange") else ("pending", "delivered")
        orders = self._orders(clause) or self._orders(self.said) or list(self.shop.orders.values())
        for source in (clause, self.said, self.before):
            found = [
                (order, item, about)
                for order in orders
                for item, about in language.spoken_of(order["items"], source)
            ]
            if found:
                break
        else:
            if re.search(r"\b(?:all|everything|whole|entire|both)\b", clause):
                found = [
                    (o, i, clause) for o in orders for i in o["items"] if o["status"] in status
                ]
            if not found:
                raise Missing("Which items is it about, and in which order?")
        left_out = language.left_out(self.said)
        found = [e for e in found if not language.spoken_of([e[1]], left_out)] or found
        allowed = [entry for entry in found if entry[0]["status"] in status]
        if not allowed:
            order = found[0][0]
            raise Refusal(f"that is not possible: order {order['order_id']} is {order['status']}.")
        if intent == "modify" and any(entry[0]["status"] == "pending" for entry in allowed):
            allowed = [entry for entry in allowed if entry[0]["status"] == "pending"]
        return self._one_each(allowed, clause)

    def _one_each(self, found: list[Any], clause: str) -> list[Any]:
        """Where several items of one kind match, ask which, unless all are meant."""
        kinds: dict[str, list[Any]] = {}
        for entry in found:
            kinds.setdefault(entry[1]["product_id"], []).append(entry)
        chosen = []
        for entries in kinds.values():
            if len(entries) > 1 and not re.search(r"\b(?:all|both|two|every|everything)\b", clause):
                entries = language.best_described(entries, self.said)
            if len(entries) > 1 and not re.search(r"\b(?:all|both|two|every|everything)\b", clause):
                listed = "\n".join(
                    f"- {o['order_id']}: {language.describe(i)}" for o, i, _ in entries
                )
                raise Missing(f"Which one of these do you mean?\n{listed}")
            chosen += entries
        return chosen

    def _with_items(self, tool: str, order_id: str, entries: list[Any]) -> Step:
        order = self.shop.orders[order_id]
        items = [item for item, _ in entries]
        ids = [item["item_id"] for item in items]
        names = ", ".join(language.describe(item) for item in items)
        if tool == "return":
            method = self._method(order, returning=True)
            total = round(sum(item["price"] for item in items), 2)
            words = f"Return from order {order_id}: {names}. Refund of ${total:.2f} to {self._name(method)}."
            return Step("return_delivered_order_items", {"order_id": order_id, "item_ids": ids, "payment_method_id": method}, words, total)  # fmt: skip
        new = [self._variant(item, about, len(entries)) for item, about in entries]
        difference = round(sum(n["price"] for n in new) - sum(i["price"] for i in items), 2)
        method = self._method(order, returning=False)
        self._check_cover(method, difference)
        goal = ", ".join(f"{language.describe(i)} -> {language.describe({**i, **n})}" for i, n in zip(items, new, strict=True))  # fmt: skip
        money = (
            f"${difference:.2f} to pay with"
            if difference > 0
            else f"${-difference:.2f} refunded to"
        )
        verb = "Exchange" if tool == "exchange" else "Modify"
        words = f"{verb} in order {order_id}: {goal}. Difference: {money} {self._name(method)}."
        name = (
            "exchange_delivered_order_items" if tool == "exchange" else "modify_pending_order_items"
        )
        return Step(name, {"order_id": order_id, "item_ids": ids, "new_item_ids": [n["item_id"] for n in new], "payment_method_id": method}, words, -difference)  # fmt: skip

    def _variant(self, item: dict[str, Any], about: str, count: int) -> dict[str, Any]:
        product = self.shop.product(item["product_id"])
        wanted = about if count > 1 else f"{about} {self.said}"
        matching = language.matching_variants(product, item, wanted)
        if not matching:
            raise Refusal(f"such a {product['name']} is not available.")
        if len(matching) > 1:
            listed = "\n".join(f"- {language.describe({**item, **v})}" for v in matching[:8])
            raise Missing(f"Which of these options would you like?\n{listed}")
        return matching[0]

    def _cancel(self, clause: str) -> list[Step]:
        several = re.search(r"\b(?:all|both|every|each|everything|orders)\b", clause)
        orders = self._orders(clause) or self._orders(self.said)
        pending = [order for order in self.shop.orders.values() if order["status"] == "pending"]
        if not orders:
            described = [o for o in pending if language.spoken_of(o["items"], self.said)]
            orders = described if described and not several else pending
        if orders and all(order["status"] != "pending" for order in orders):
            raise Refusal(
                f"order {orders[0]['order_id']} is {orders[0]['status']} and cannot be cancelled."
            )
        pending = self._allowed([order for order in orders if order["status"] == "pending"])
        if len(pending) > 1 and "cheapest" in clause:
            pending = [min(pending, key=_total)]
        if len(pending) > 1 and not several and not language.order_ids(clause):
            raise Missing(
                "Which order do you want to cancel? Please give me its id, or an item in it."
            )
        if not pending:
            raise Refusal("you have no such pending order that could be cancelled.")
        item = re.search(r"\b(?:only|just)\b", clause) or not re.search(
            r"\border|\beverything\b", clause
        )
        if (
            item
            and len(pending) == 1
            and len(pending[0]["items"]) > 1
            and language.spoken_of(pending[0]["items"], clause)
        ):
            raise Refusal("a single item cannot be cancelled, only the whole order.")
        reason = language.reason(self.said)
        if reason is None:
            raise Missing(
                "What is the reason for the cancellation: no longer needed, or ordered by mistake?"
            )
        return [
            Step(
                "cancel_pending_order",
                {"order_id": order["order_id"], "reason": reason},
                f"Cancel the whole order {order['order_id']} ({reason}); "
                f"${_total(order):.2f} go back to the original payment method.",
                _total(order),
            )
            for order in pending
        ]

    def _address(self, clause: str) -> list[Step]:
        new = self._new_address(clause)
        if new is None:
            raise Missing("What is the complete new address (street, city, state and zip code)?")
        lines = filter(
            None, [new["address1"], new["address2"], new["city"], f"{new['state']} {new['zip']}"]
        )
        words = ", ".join(lines)
        steps = []
        for order in self._addressed_orders(clause):
            if order["status"] != "pending":
                raise Refusal(
                    f"order {order['order_id']} is {order['status']}; its address cannot be changed."
                )
            steps.append(Step("modify_pending_order_address", {"order_id": order["order_id"], **new}, f"Change the address of order {order['order_id']} to {words}."))  # fmt: skip
        if language.means_profile(clause) or not steps:
            steps.append(Step("modify_user_address", {"user_id": self.shop.user_id, **new}, f"Change the address in your profile to {words}."))  # fmt: skip
        return steps

    def _addressed_orders(self, clause: str) -> list[dict[str, Any]]:
        """The orders whose address is to be changed; none where it is the profile's alone."""
        source = re.search(
            r"(?:one|address) (?:that |on |of |from )(?:my )?(?:order )?#?W\d{7}", clause
        )
        source = source and language.means_profile(clause)
        ids = [] if source else self._orders(clause) or self._orders(self.said)
        if ids or not re.search(r"\border", clause) or source:
            return ids
        pending = self._allowed([o for o in self.shop.orders.values() if o["status"] == "pending"])
        named = [order for order in pending if language.spoken_of(order["items"], self.said)]
        if len(named) == 1 or re.search(r"\b(?:all|both|every|each|orders)\b", clause):
            return named if len(named) == 1 and "orders" not in clause else pending
        if len(pending) > 1:
            raise Missing("Which order is it? Please give me the order id, or an item in it.")
        return pending

    def _new_address(self, clause: str) -> dict[str, str] | None:
        """The address that was spelled out, or that of the profile or of another order."""
        spelled = language.address(self.said)
        if spelled is not None:
            return spelled
        if language.names_profile_address(self.said):
            return dict(self.shop.user["address"])
        orders = self._orders(self.said)
        if orders and not language.names_profile_address(clause):
            return dict(orders[-1]["address"])
        known = [order["address"] for order in self.shop.orders.values()]
        for address in [self.shop.user["address"], *known]:
            if re.search(rf"\b{re.escape(address['city'])}\b", clause, re.I):
                return dict(address)
        return None

    def _allowed(self, orders: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The orders that the customer did not take out again."""
        ids, but = language.excluded(self.said)
        low, high = language.total_limit(self.said)
        return [
            order
            for order in orders
            if order["order_id"] not in ids
            and not (but and language.spoken_of(order["items"], but))
            and low < _total(order) < high
        ]

    def _payment_changes(self, clause: str) -> list[Step]:
        if "half" in clause:
            raise Refusal("an order is paid with one payment method; it cannot be split.")
        pending = [o for o in self.shop.orders.values() if o["status"] == "pending"]
        described = [o for o in pending if language.spoken_of(o["items"], self.said)]
        orders = self._orders(clause) or self._orders(self.said) or described or pending
        if len(orders) > 1 and not re.search(r"\b(?:both|all|orders|each)\b", self.said):
            raise Missing(
                "Which order's payment do you want to change? Please give me the order id."
            )
        steps = []
        for order in orders:
            if order["status"] != "pending":
                raise Refusal(
                    f"order {order['order_id']} is {order['status']}; its payment cannot be changed."
                )
            method = self._method(order, returning=False, other=True)
            self._check_cover(method, _total(order))
            steps.append(Step("modify_pending_order_payment", {"order_id": order["order_id"], "payment_method_id": method}, f"Pay order {order['order_id']} (${_total(order):.2f}) with {self._name(method)}."))  # fmt: skip
        return steps

    def _orders(self, text: str) -> list[dict[str, Any]]:
        ids = language.order_ids(text)
        if ids and not set(ids) & set(self.shop.orders):
            raise Refusal(f"order {ids[0]} is not one of your orders, so I can do nothing with it.")
        return self._allowed([self.shop.orders[i] for i in ids if i in self.shop.orders])

    def _method(self, order: dict[str, Any], *, returning: bool, other: bool = False) -> str:
        methods = self.shop.user["payment_methods"]
        original = order["payment_history"][0]["payment_method_id"]
        named = language.payment(self.said, methods, original)
        if other:
            named = [m for m in named if m != original] or named
        if len(named) != 1:
            listed = ", ".join(self._name(m) for m in methods)
            raise Missing(
                f"Which payment method should I use for order {order['order_id']}? You have: {listed}."
            )
        if returning and named[0] != original and methods[named[0]]["source"] != "gift_card":
            raise Refusal("a refund can go only to the original payment method or to a gift card.")
        return named[0]

    def _check_cover(self, method: str, amount: float) -> None:
        details = self.shop.user["payment_methods"][method]
        if details["source"] == "gift_card" and details["balance"] < amount:
            raise Refusal(
                f"your gift card holds ${details['balance']:.2f}, which does not cover ${amount:.2f}."
            )

    def _name(self, method: str) -> str:
        return language.method_name(self.shop.user["payment_methods"][method])


def _total(order: dict[str, Any]) -> float:
    return round(sum(item["price"] for item in order["items"]), 2)

"""A real agent without a model: keyword rules and look-ups for the retail domain.

It knows what any agent knows: the policy's rules (written into its code by hand), the tools, and
what the user says. Run it over the bundled retail tasks, with no key and no network:

    pytest --tau-suite=retail --tau-agent=examples/rule_agent.py:RuleAgent --tau-trials=4

The agent has the ``respond(text) -> text`` shape: it makes as many tool calls as it likes in one turn.
What it understands of a request is in ``retail_language.py`` beside it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_taubench import AgentContext

import sys  # isort: skip

sys.path.insert(0, str(Path(__file__).parent))

import retail_language as language

ELSE = "Is there anything else I can help you with?"
CONFIRM = "Do you confirm (yes/no)?"


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


@dataclass
class Shop:
    """Look-ups through the tools; what was read is kept for the conversation."""

    tools: dict[str, Any]
    user: dict[str, Any] = field(default_factory=dict)
    user_id: str = ""
    orders: dict[str, dict[str, Any]] = field(default_factory=dict)
    products: dict[str, dict[str, Any]] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)

    def call(self, tool: str, **arguments: Any) -> str:
        return str(self.tools[tool](**arguments))

    def read(self, tool: str, **arguments: Any) -> Any:
        answer = self.call(tool, **arguments)
        if answer.startswith("Error"):
            return None
        try:
            return json.loads(answer)
        except ValueError:
            return answer

    def identify(self, text: str) -> bool:
        """Find the customer by e-mail, else by name and ZIP code, and read their orders."""
        for email in language.emails(text):
            self.user_id = self.user_id or self.read("find_user_id_by_email", email=email) or ""
        for first, last, zip_code in [] if self.user_id else language.names_with_zip(text):
            found = self.read(
                "find_user_id_by_name_zip", first_name=first, last_name=last, zip=zip_code
            )
            self.user_id = self.user_id or found or ""
        if self.user_id:
            self.refresh()
        return bool(self.user_id)

    def refresh(self) -> None:
        """Read the profile and all orders again, as after a write."""
        self.user = self.read("get_user_details", user_id=self.user_id)
        for order_id in self.user["orders"]:
            self.orders[order_id] = self.read("get_order_details", order_id=order_id)

    def product(self, product_id: str) -> dict[str, Any]:
        if product_id not in self.products:
            self.products[product_id] = self.read("get_product_details", product_id=product_id)
        return self.products[product_id]

    def product_types(self) -> dict[str, str]:
        self.types = self.types or self.read("list_all_product_types")
        return self.types


class RuleAgent:
    """Identifies the customer, understands one request at a time, proposes, and acts on a yes."""

    def __init__(self, context: AgentContext) -> None:
        self.shop = Shop({tool.__name__: tool for tool in context.tools})
        self.wish: list[str] = []  # what the customer said of the request under way
        self.before = ""  # the request before it, for "then return it instead"
        self.plan: list[Step] = []
        self.asked: list[str] = []
        self.money = ""  # what the last write calls come to, for "how much is it in total?"
        self.failures = 0

    def respond(self, text: str) -> str:
        if not self.shop.user_id:
            return self._identify(text)
        if self.plan:
            if language.says_yes(text):
                return self._carry_out()
            self.plan = []
            if language.takes_back(text):
                return self._finish("All right, I leave everything as it is.")
        return self._handle(text)

    def _identify(self, text: str) -> str:
        self.wish.append(text)
        if self.shop.identify("\n".join(self.wish)):
            name = self.shop.user["name"]["first_name"]
            said, self.wish = " ".join(self.wish), []
            return f"Thank you, {name}. {self._handle(said)}"
        self.failures += 1
        if self.failures == 1:
            return (
                "Hello! Could you please tell me your email address, or your first name, last "
                "name and zip code?"
            )
        return (
            "I could not find an account with that. What is your email address, and what are "
            "your first and last name and zip code?"
        )

    def _handle(self, text: str) -> str:
        """Understand the request as far as it was told, and propose, ask, answer or refuse."""
        self.wish.append(text)
        said = " ".join(self.wish)
        if language.wants_person(said):
            self.shop.call("transfer_to_human_agents", summary=said[:500])
            return "You are being transferred to a human agent. Please hold on."
        try:
            self.plan = Planner(self.shop, said, self.before).plan()
        except Missing as question:
            if self.asked.count(str(question)) < 2:
                self.asked.append(str(question))
                return str(question)
            return self._finish("I am sorry, I could not find out what is to be done.")
        except Refusal as refusal:
            return self._finish(f"I am sorry, but {refusal}")
        told = answers(self.shop, text)
        if not told and not self.plan and self.money and language.asks_amount(text):
            told = self.money
        if self.plan:
            steps = "\n".join(f"- {step.words}" for step in self.plan)
            return f"{told}\nThis is what I would do:\n{steps}\n{CONFIRM}".strip()
        if told:
            return self._finish(told)
        if len(self.wish) > 2:
            return self._finish("I am sorry, I cannot help with that.")
        return "How can I help you? Please tell me what to do, and with which order and items."

    def _carry_out(self) -> str:
        results = [self.shop.call(step.tool, **step.arguments) for step in self.plan]
        self.shop.refresh()
        failed = [result for result in results if result.startswith("Error")]
        done = [
            s.words for s, result in zip(self.plan, results, strict=True) if result not in failed
        ]
        amounts = [s.refund for s, r in zip(self.plan, results, strict=True) if r not in failed]
        self.money = language.settlement(amounts)
        self.plan = []
        parts = [f"It has been done: {' '.join(done)} {self.money}"] if done else []
        if failed:
            parts.append(f"Unfortunately, this was not possible: {' '.join(failed)}")
        return self._finish("\n".join(parts))

    def _finish(self, text: str) -> str:
        self.before = " ".join(self.wish) or self.before
        self.wish, self.plan, self.asked = [], [], []
        return f"{text}\n{ELSE}"


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


def answers(shop: Shop, text: str) -> str:
    """What the customer asked to know, from profile, orders and catalogue."""
    lines: list[str] = []
    for question in filter(language.asks, language.clauses(text)):
        if re.search(r"gift card|balance", question, re.I):
            lines += [language.method_name(m) for m in shop.user["payment_methods"].values()]
        names = language.product_names(shop.product_types(), question)
        catalogue = re.search(
            r"how many|option|available|cheapest|in stock|sell|price|cost", question, re.I
        )
        orders = [shop.orders[i] for i in language.order_ids(question) if i in shop.orders]
        orders += [
            o
            for o in shop.orders.values()
            if o not in orders and language.spoken_of(o["items"], question)
        ]
        if names and (catalogue or not orders):
            lines += [language.catalogue_entry(shop.product(shop.types[name])) for name in names]
        if (
            not names
            and not orders
            and re.search(r"\border|track|total|address|spent|paid", question, re.I)
        ):
            orders = list(shop.orders.values())
        lines += [language.order_summary(order) for order in orders]
        if re.search(r"how many (?:product|type|different)", question, re.I):
            lines.append(f"There are {len(shop.product_types())} product types.")
    return "\n".join(dict.fromkeys(lines))

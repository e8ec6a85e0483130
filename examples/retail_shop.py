"""The shop as the rule agent sees it through its tools."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

import retail_language as language


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
            self.refresh_user()
            for order_id in self.user["orders"]:
                self.orders[order_id] = self.read("get_order_details", order_id=order_id)
        return bool(self.user_id)

    def refresh_user(self) -> None:
        self.user = self.read("get_user_details", user_id=self.user_id)

    def write(self, tool: str, **arguments: Any) -> str:
        """Make a write call; its answer is the record as it is now."""
        answer = self.call(tool, **arguments)
        record = {} if answer.startswith("Error") else json.loads(answer)
        if "order_id" in record:
            self.orders[record["order_id"]] = record
        return answer

    def product(self, product_id: str) -> dict[str, Any]:
        if product_id not in self.products:
            self.products[product_id] = self.read("get_product_details", product_id=product_id)
        return self.products[product_id]

    def product_types(self) -> dict[str, str]:
        self.types = self.types or self.read("list_all_product_types")
        return self.types


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

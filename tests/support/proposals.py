"""Words for write actions, as an agent would put them to the user; rendered from arguments and records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_taubench.environment.environment import Environment
from pytest_taubench.schema import Action

Record = Mapping[str, Any]
STYLES = 3
_ASK = (
    "Do you confirm (yes/no)?",
    "Shall I go ahead with this?",
    "Would you like me to proceed? Please reply **yes** or **no**.",
)
_MONTHS = {"05": "May", "06": "June", "04": "April"}


def proposal(actions: Sequence[Action], environment: Environment, style: int) -> str:
    """What the actions would do, and the question whether to do it."""
    lines = [words(action, environment, style) for action in actions]
    if style == 1:
        return f"All right. I would {' Then I would '.join(lines)} {_ASK[style]}"
    lead = "This is what I would do:" if style == 0 else "Here is a **summary**:"
    listed = "\n".join(f"- {line[0].upper()}{line[1:]}" for line in lines)
    return f"{lead}\n{listed}\n\n{_ASK[style]}"


def words(action: Action, environment: Environment, style: int) -> str:
    """One action in words; its first letter is small."""
    told = _Telling(action, environment, style)
    return getattr(told, action.name)()  # type: ignore[no-any-return]


def payment_name(user: Record, method: str, style: int) -> str:
    """A payment method as agents name it: by kind, brand and last digits, or with its id."""
    details = user["payment_methods"][method]
    kind = details["source"]
    if kind == "paypal":
        name = "PayPal"
    elif kind == "credit_card":
        brand = details["brand"].capitalize() if details["brand"] == "visa" else "Mastercard"
        name = f"{brand} credit card ending in {details['last_four']}"
    elif kind == "certificate":
        name = f"certificate of ${details['amount']}"
    else:
        name = f"gift card (balance ${details.get('balance', details.get('amount'))})"
    return f"{name} ({method})" if style == 2 else f"your {name}"


class _Telling:
    """One method a write tool, named like it."""

    def __init__(self, action: Action, environment: Environment, style: int) -> None:
        self.arguments = action.arguments
        self.environment = environment
        self.style = style

    def _record(self, table: str, key: str) -> Any:
        record = self.environment.overlay.get(table, key)
        assert record is not None, (table, key)
        return record

    def _order(self) -> Any:
        return self._record("orders", self.arguments["order_id"])

    def _reservation(self) -> Any:
        return self._record("reservations", self.arguments["reservation_id"])

    def _payment(self, user: Record, method: str) -> str:
        return payment_name(user, method, self.style)

    def _item(self, item: Record) -> str:
        pairs = item["options"].items()
        if self.style == 1:
            options = ", ".join(f"{value} {key}" if value in ("yes", "no") else value for key, value in pairs)  # fmt: skip
            return f"{item['name']} ({options}) at ${item['price']:.2f}"
        mark = ": " if self.style == 2 else " "
        options = ", ".join(f"{key}{mark}{value}" for key, value in pairs)
        return f"{item['name']} ({options}; ${item['price']:.2f})"

    def _items(self) -> list[Any]:
        left = list(self._order()["items"])
        chosen = []
        for wanted in self.arguments["item_ids"]:
            item = next(item for item in left if item["item_id"] == wanted)
            left.remove(item)
            chosen.append(item)
        return chosen

    def _address(self) -> str:
        a = self.arguments
        lines = [a["address1"], a["address2"], a["city"], f"{a['state']} {a['zip']}", a["country"]]
        return ", ".join(line for line in lines if line)

    # -- retail -----------------------------------------------------------------------

    def cancel_pending_order(self) -> str:
        order = self._order()
        total = sum(item["price"] for item in order["items"])
        return (
            f"cancel order {order['order_id']} (reason: {self.arguments['reason']}). "
            f"${total:.2f} will be refunded to the original payment method."
        )

    def modify_pending_order_address(self) -> str:
        return f"change the address of order {self.arguments['order_id']} to {self._address()}."

    def modify_user_address(self) -> str:
        return f"change the address in your profile to {self._address()}."

    def modify_pending_order_payment(self) -> str:
        order = self._order()
        user = self._record("users", order["user_id"])
        method = self._payment(user, self.arguments["payment_method_id"])
        before = self._payment(user, order["payment_history"][0]["payment_method_id"])
        change = f" instead of {before}" if self.style == 1 else ""
        return f"have order {order['order_id']} paid with {method}{change}."

    def return_delivered_order_items(self) -> str:
        user = self._record("users", self._order()["user_id"])
        listed = ", ".join(map(self._item, self._items()))
        total = sum(item["price"] for item in self._items())
        method = self._payment(user, self.arguments["payment_method_id"])
        return f"return from order {self.arguments['order_id']}: {listed}. The refund of ${total:.2f} goes to {method}."

    def exchange_delivered_order_items(self) -> str:
        return self._other_variants("exchange")

    def modify_pending_order_items(self) -> str:
        return self._other_variants("modify" if self.style != 1 else "change")

    def _other_variants(self, verb: str) -> str:
        user = self._record("users", self._order()["user_id"])
        pairs, difference = [], 0.0
        for item, new_id in zip(self._items(), self.arguments["new_item_ids"], strict=True):
            variant = self._record("products", item["product_id"])["variants"][new_id]
            new = {"name": item["name"], **variant}
            arrow = " to " if self.style == 1 else " -> "
            pairs.append(f"{self._item(item)}{arrow}{self._item(new)}")
            difference += new["price"] - item["price"]
        way = "charged to" if difference > 0 else "refunded to"
        method = self._payment(user, self.arguments["payment_method_id"])
        return (
            f"{verb} items of order {self.arguments['order_id']}: {'; '.join(pairs)}. "
            f"The price difference of ${abs(difference):.2f} will be {way} {method}."
        )

    # -- airline ----------------------------------------------------------------------

    def _flights(self) -> str:
        return ", ".join(f"{f['flight_number']} on {self._date(f['date'])}" for f in self.arguments["flights"])  # fmt: skip

    def _date(self, date: str) -> str:
        _, month, day = date.split("-")
        return date if self.style == 2 else f"{_MONTHS[month]} {int(day)}"

    def _cabin(self, cabin: str) -> str:
        return cabin.replace("_", " ")

    def _people(self) -> str:
        return ", ".join(f"{p['first_name']} {p['last_name']} (born {p['dob']})" for p in self.arguments["passengers"])  # fmt: skip

    def book_reservation(self) -> str:
        a = self.arguments
        user = self._record("users", a["user_id"])
        paid = " and ".join(
            f"${p['amount']} with {self._payment(user, p['payment_id'])}"
            for p in a["payment_methods"]
        )
        if self.style == 2:
            insurance = f"travel insurance: {a['insurance']}"
            bags = f"checked bags: {a['total_baggages']}"
        else:
            insurance = "with travel insurance" if a["insurance"] == "yes" else "without travel insurance"  # fmt: skip
            bags = f"{a['total_baggages']} checked bags"
        kind = a["flight_type"].replace("_", " " if self.style else "-")
        return (
            f"book a {kind} reservation from {a['origin']} to {a['destination']} in {self._cabin(a['cabin'])}: "
            f"{self._flights()}, for {self._people()}, {bags} ({a['nonfree_baggages']} to be paid), {insurance}. "
            f"You pay {paid}."
        )

    def cancel_reservation(self) -> str:
        r = self._reservation()
        return (
            f"cancel reservation {r['reservation_id']} from {r['origin']} to {r['destination']}. "
            "The refund goes to the original payment methods within five to seven business days."
        )

    def update_reservation_flights(self) -> str:
        r = self._reservation()
        method = self._payment(self._record("users", r["user_id"]), self.arguments["payment_id"])
        return (
            f"change reservation {r['reservation_id']} to {self._cabin(self.arguments['cabin'])} with these flights: "
            f"{self._flights()}. The difference is settled with {method}."
        )

    def update_reservation_baggages(self) -> str:
        a, r = self.arguments, self._reservation()
        method = self._payment(self._record("users", r["user_id"]), a["payment_id"])
        added = a["total_baggages"] - r["total_baggages"]
        cost = 50 * (a["nonfree_baggages"] - r["nonfree_baggages"])
        return (
            f"add {added} checked bags to reservation {r['reservation_id']}, which makes {a['total_baggages']} in all; "
            f"${cost} will be charged to {method}."
        )

    def update_reservation_passengers(self) -> str:
        return f"set the passengers of reservation {self.arguments['reservation_id']} to {self._people()}."

    def send_certificate(self) -> str:
        return f"send you a certificate of ${self.arguments['amount']}."

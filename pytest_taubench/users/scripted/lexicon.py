"""Words that name the same kind of thing, and words by which an agent asks for a fact."""

from __future__ import annotations

import re

# Values of one family exclude each other: who wants black does not want white.
FAMILIES: dict[str, tuple[str, ...]] = {
    "payment": ("gift card", "credit card", "paypal", "certificate"),
    "color": (
        "black",
        "white",
        "red",
        "blue",
        "green",
        "grey",
        "silver",
        "gold",
        "purple",
        "pink",
        "brown",
        "beige",
        "yellow",
        "orange",
        "navy",
        "ivory",
        "teal",
        "coral",
        "mint",
        "cream",
        "sand",
        "graphite",
        "plum",
        "indigo",
        "charcoal",
        "maroon",
        "bronze",
        "olive",
        "turquoise",
        "lavender",
        "burgundy",
        "khaki",
    ),
    "cabin": ("basic economy", "economy", "business", "first class"),
    "size": ("extra large", "extra small", "small", "medium", "large"),
    "flight_type": ("one way", "round trip"),
}
_SPELLINGS = {
    "gray": "grey",
    "giftcard": "gift card",
    "gift cards": "gift card",
    "gc": "gift card",
    "pay pal": "paypal",
    "credit cards": "credit card",
    "mastercard": "credit card",
    "visa": "credit card",
    "certificates": "certificate",
    "voucher": "certificate",
    "vouchers": "certificate",
    "colour": "color",
    "xl": "extra large",
    "one-way": "one way",
    "round-trip": "round trip",
    "basic_economy": "basic economy",
    "credit_card": "credit card",
    "gift_card": "gift card",
}
_SPELLING = re.compile(
    r"(?<![A-Za-z])("
    + "|".join(sorted(map(re.escape, _SPELLINGS), key=len, reverse=True))
    + r")(?![A-Za-z])"
)

# How an agent names the fact it asks for. The first that matches a piece of a question counts.
SLOTS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (slot, re.compile(pattern, re.I))
    for slot, pattern in (
        ("email", r"e-?mail"),
        ("zip", r"\bzip\b|post(?:al)? ?code|zipcode"),
        ("user_id", r"user[ _-]?(?:id|name)|account (?:id|number)|customer id|member(?:ship)? (?:id|number)"),
        ("reservation_id", r"(?:reservation|booking|confirmation)s?[ _-]*(?:ids?|numbers?|codes?)|which (?:reservation|booking|trip)"),
        ("order_id", r"orders?[ _-]*(?:ids?\b|numbers?|#(?!W?\d))|which (?:of (?:your|the) )?(?:\w+ )?orders?\b"),
        ("item", r"which (?:\w+ )?(?:items?|products?|things?)\b|what (?:items?|products?)\b"),
        ("passengers", r"passengers?|travell?ers?\b|who (?:is|will|will be|are|is going to) (?:be )?(?:fly|travel)|how many people"),
        ("date_of_birth", r"date of birth|birth ?dates?|\bdob\b|birthday"),
        ("insurance", r"insurance"),
        ("bags", r"\bbags?\b|baggage|luggage|suitcases?"),
        ("cabin", r"\bcabin\b|class of (?:service|travel)|which class"),
        ("flight_type", r"one[- ]way|round[- ]trip"),
        ("payment", r"payment|refund(?:ed)? (?:method|to)|\bpay\b|paypal|gift card|credit card|certificates?|method of (?:payment|refund)|which card|card should"),
        ("reason", r"\breasons?\b|\bwhy\b|no longer needed|ordered by mistake"),
        ("phone", r"phone|telephone"),
        ("address", r"address|street|where (?:should|do you want)"),
        ("name", r"\bnames?\b"),
        ("origin", r"depart(?:ure|ing)? (?:city|airport|from)|flying from|\borigin\b"),
        ("destination", r"destination|flying to|arrival (?:city|airport)"),
        ("date", r"\bdates?\b|which day|what day|when (?:would|do|did|are)"),
        ("flight", r"which flights?|flight numbers?"),
    )
)  # fmt: skip
IDENTITY = frozenset({"name", "zip", "email", "user_id", "date_of_birth", "phone"})

ALIASES = {
    "zip_code": "zip",
    "zipcode": "zip",
    "postal_code": "zip",
    "dob": "date_of_birth",
    "birthday": "date_of_birth",
    "order": "order_id",
    "orders": "order_id",
    "order_ids": "order_id",
    "reservation": "reservation_id",
    "reservations": "reservation_id",
    "reservation_ids": "reservation_id",
    "payment_method": "payment",
    "payment_method_id": "payment",
    "refund": "payment",
    "baggage": "bags",
    "baggages": "bags",
    "passenger": "passengers",
    "colour": "color",
    "class": "cabin",
    "dates": "date",
}

# What the user's wish does with the thing; two different ones contradict each other.
OPERATIONS: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.I)
    for name, pattern in (
        ("cancel", r"(?<!noise )(?<!noise-)\bcancel\w*"),
        ("return", r"\breturn(?!\w*\s+(?:flight|trip|leg|label))(?:s|ed|ing)?\b|\bsend(?:ing)? \w+ back\b"),
        ("exchange", r"\bexchang\w*|\bswap\w*|\breplac\w*"),
        ("modify", r"\bmodif\w*|\bchang(?:e|ed|es|ing)\b|\bswitch\w*|\bupdat\w*|\bupgrad\w*|\bdowngrad\w*"),
        ("book", r"\b(?:re)?book(?:s|ed|ing)?\b(?! id| number)"),
        ("remove", r"\bremov(?:e|es|ed|ing)\b|\btak(?:e|en|ing) (?:\w+ ){0,3}(?:out|off)\b"),
        ("add", r"\badd(?:s|ed|ing)?\b"),
    )
}  # fmt: skip
IDENTIFIERS: dict[str, re.Pattern[str]] = {
    "order_id": re.compile(r"#?W\d{7}\b"),
    "item_id": re.compile(r"(?<![\w#_-])\d{10}\b"),
    "reservation_id": re.compile(r"\b(?=[A-Z0-9]*\d|[A-Z]{6}\b)[A-Z0-9]{6}\b(?<!\d{6})"),
    "payment_id": re.compile(r"\b(?:credit_card|gift_card|paypal|certificate)_\d+\b"),
    "flight": re.compile(r"\bHAT\d{3}\b|\b[A-Z]{2,3}\d{3,4}\b"),
}


def canonical(text: str) -> str:
    """Lower the text and write each family's values in one way."""
    text = text.lower().replace("’", "'")
    return _SPELLING.sub(lambda match: _SPELLINGS[match[1]], text)


def slot_name(name: str) -> str:
    """Return the one name of a fact: ``Zip code`` is ``zip``."""
    key = re.sub(r"[\s-]+", "_", name.strip().lower())
    return ALIASES.get(key, key)


def family_values(text: str, family: str) -> set[str]:
    """Return the values of a family that a text mentions, the longest match of each place."""
    values = sorted(FAMILIES[family], key=len, reverse=True)
    pattern = re.compile(r"(?<![\w])(" + "|".join(map(re.escape, values)) + r")(?![\w])")
    return set(pattern.findall(canonical(text)))


def operations(text: str) -> set[str]:
    """Return the operations a text speaks of."""
    return {name for name, pattern in OPERATIONS.items() if pattern.search(text)}


def identifiers(text: str, kind: str) -> set[str]:
    """Return the ids of a kind in a text; an order's id has its ``#`` in any case.

    A flight number can look like a reservation's id; it is one only where the text says so.
    """
    found = set(IDENTIFIERS[kind].findall(text))
    if kind == "reservation_id":
        found -= {code for code in found if _is_flight_number(code, text)}
    return {f"#{i.lstrip('#')}" for i in found} if kind == "order_id" else found


def _is_flight_number(code: str, text: str) -> bool:
    named = rf"(?:reservation|booking|confirmation|trip)s?\W+(?:(?!flights?\b)\w+\W+){{0,3}}{code}"
    return re.fullmatch(r"[A-Z]{3}\d{3}", code) is not None and not re.search(named, text, re.I)

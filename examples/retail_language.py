"""What the rule agent understands of a customer's English, and how it words what it found."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

Item = dict[str, Any]

_NAME = r"([A-Z][\w'’-]+) (?:[A-Z][\w'’-]+ )?([A-Z][\w'’-]+)"
_STREET = re.compile(
    r"(?P<address1>\d{1,5} (?:[A-Z]\w+ )+(?:Street|Avenue|Road|Lane|Drive|Boulevard|Way|Court|Place|Terrace|Parkway|Square|Row|Alley))"
    r"(?:,? (?P<address2>(?:Apt|Apartment|Suite|Unit|Floor|#)\.? ?[\w-]+))?,? (?P<city>[A-Z][a-z]+(?: [A-Z][a-z]+)*),? (?P<state>[A-Z]{2}),? (?:USA,? )?(?P<zip>\d{5})"
)
_VERBS = (
    r"(?:return|exchange|cancel|modify|change|switch|swap|replace|send|get|know|update|upgrade)"
)
_NUMBERS = {"1": "one", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six"}
_GENERIC = {"set", "pair"}


def plain_wish(text: str) -> str:
    """The many ways to say "I want", said in one."""
    return re.sub(r"\bI(?:'d like| would like| need)\b", "I want", text)


def excluded(text: str) -> tuple[list[str], str]:
    """The order ids a text takes out again, and what it says after "except"."""
    ids = [
        "#" + found
        for stretch in re.findall(r"(?:\bleave|\bexcept|\bkeep|\bnot|\bwithout|n't want)((?:[\s,]+(?:orders?|and|out|for)?\s*#?W\d{7})+)", text)
        for found in re.findall(r"W\d{7}", stretch)
    ]  # fmt: skip
    ids += [
        i
        for only in re.findall(r"\b[Oo]nly (#?W\d{7})", text)
        for i in order_ids(text)
        if only not in i
    ]
    but = re.findall(r"\b(?:except|but not|other than|apart from)\b([^.;]*)", text)
    return ids, " ".join(but)


def left_out(text: str) -> str:
    """What the customer wants to have left out of a return or an exchange."""
    return " ".join(re.findall(r"\bleave (?:the )?([\w ,-]+?) out of it", text))


def total_limit(text: str) -> tuple[float, float]:
    """The bounds that "under $400" and "over $100" set to an order's total."""
    under = re.search(r"\b(?:under|below|less than|cheaper than) \$(\d+)", text)
    over = re.search(r"\b(?:over|above|more than) \$(\d+)", text)
    return (float(over[1]) if over else 0.0, float(under[1]) if under else float("inf"))


def means_profile(text: str) -> bool:
    """Is the profile's address what is to be changed, not what is to be copied?"""
    said = re.sub(
        r"\b(?:to|as|at|with|for) (?:the )?(?:\w+ )?(?:one|address) (?:that is )?(?:in|of|on|from) my (?:\w+ )?(?:profile|account)",
        "",
        text.lower(),
    )
    said = re.sub(r"address in my profile (?:instead|stays)[^.]*", "", said)
    return bool(re.search(r"\b(?:profile|default address|account)\b", said))


def names_profile_address(text: str) -> bool:
    return bool(
        re.search(
            r"\b(?:to|as|at|with|for|the) (?:the )?(?:\w+ )?(?:one|address) (?:that is )?(?:in|of|on|from) my (?:\w+ )?(?:profile|account)|my (?:home|default|profile) address",
            text,
            re.I,
        )
    )


def emails(text: str) -> list[str]:
    return re.findall(r"[\w.+-]+@[\w-]+\.[\w.]*\w", text)


def names_with_zip(text: str) -> list[tuple[str, str, str]]:
    """Names and ZIP codes in a text; the last told come first."""
    names = re.findall(rf"(?:[Nn]ame is|I'm|I am|[Ii]t's|[Tt]his is|[Nn]ame:) {_NAME}", text)
    zips = re.findall(r"(?<![#\d$_])\b(\d{5})\b", text)
    return [(first, last, code) for first, last in reversed(names) for code in reversed(zips)]


def order_ids(text: str) -> list[str]:
    return list(dict.fromkeys("#" + i for i in re.findall(r"#?(W\d{7})\b", text)))


def says_yes(text: str) -> bool:
    said = text.strip().lower()
    return bool(re.match(r"(?:yes|yep|sure|ok(?:ay)?, (?:yes|do)|confirm|go ahead|correct)", said)) and not re.search(r"\b(?:but|instead|not)\b", said[:60])  # fmt: skip


def takes_back(text: str) -> bool:
    return bool(re.search(r"leave it|keep (?:it|them|everything|the)|changed my mind and|never mind|don't (?:do|cancel|return|want to) (?:it|that|anything)", text, re.I)) and not re.search(_VERBS, text, re.I)  # fmt: skip


def wants_person(text: str) -> bool:
    """Only what no tool can do is handed over; see the policy."""
    return bool(re.search(
        r"never (?:came|arrived)|not arrived|invoice|new (?:credit card|payment method)|change (?:of )?my (?:last |first )?(?:name|e-?mail)|"
        r"damage claim|place (?:a|an) (?:new )?order|undo", text, re.I))  # fmt: skip


def clauses(text: str) -> list[str]:
    """Sentences, and parts of sentences that begin with a verb of their own."""
    parts = re.split(rf"(?<=[.!?;])\s+(?=[A-Z#])|;|(?:,? and|, then|, but)(?: I)?(?: also)?(?: want to| would like to)? (?={_VERBS}\b)", text)  # fmt: skip
    return [part.strip() for part in parts if part and part.strip()]


def asks(clause: str) -> bool:
    return bool(
        re.search(
            r"\?|\b(?:know|wonder|tell me|how (?:much|many)|what|which|whether|check|list)\b",
            clause,
            re.I,
        )
    )


def intent(clause: str) -> str | None:
    """The kind of write call a clause asks for."""
    said = clause.lower()
    if re.search(r"\bcancel", said) and not re.search(r"cancell?ed|cancellation", said):
        return "cancel"
    changing = re.search(
        r"\b(?:modify|change|switch|update|correct|replace|swap|upgrade|move)\b", said
    )
    placing = re.search(
        r"\b(?:ship|shipped|send|sent|go|goes|deliver|delivered|have|want|should)\b", said
    )
    if (changing or placing) and ("address" in said or _STREET.search(clause)):
        return "address"
    if re.search(r"\b(?:ship|shipped|send|sent) (?:\S+ ){0,4}(?:there|to)\b", said):
        return "address"
    if re.search(r"\bexchange|\bswap|\breplace", said):
        return "exchange"
    if re.search(r"\breturn\b|\bsend back|\bgive back", said):
        return "return"
    if re.search(
        r"payment|\bpay\b|\bpaid with|\bcharged\b|\buse my .* for order", said
    ) and not re.search(r"difference|refund", said):
        return "payment"
    wanting = r"\bwant\b.*\b(?:in|as|with|instead of|changed)\b|\bshould be\b|\binstead of\b|\bchanged to\b|\bwant (?:a|the) (?:\w+er|cheapest)\b"
    return "modify" if changing or re.search(wanting, said) else None


def asks_amount(text: str) -> bool:
    return bool(
        re.search(r"how much|total|sum|altogether|difference|get back|amount|refund", text, re.I)
    )


def settlement(amounts: list[float]) -> str:
    """What several write calls come to for the customer."""
    total = round(sum(amounts), 2)
    if not total:
        return ""
    return (
        f"In total you get ${total:.2f} back." if total > 0 else f"In total you pay ${-total:.2f}."
    )


def reason(text: str) -> str | None:
    found = re.findall(r"no longer need|don't need|do not need|mistake", text, re.I)
    if not found:
        return None
    return "ordered by mistake" if "mistake" in found[-1].lower() else "no longer needed"


def payment(text: str, methods: dict[str, Any], original: str) -> list[str]:
    """The payment methods that a text can mean."""
    said = text.lower()
    said = re.sub(r"was paid with [^.]*", "", said)
    exact = [method for method in methods if method in said]
    if exact:
        return exact[-1:]
    by_digits = [m for m, d in methods.items() if d.get("last_four") and d["last_four"] in said]
    if by_digits:
        return by_digits
    kinds = {"paypal": "paypal", "gift card": "gift_card", "giftcard": "gift_card", "credit card": "credit_card", r"(?<!gift )card\b": "credit_card", "visa": "visa", "mastercard": "mastercard", "original": "", "same (?:payment|method|card)": ""}  # fmt: skip
    said = re.sub(
        r"(?:instead of|not|rather than|was paid with) (?:my |the )?(?:\w+ ){0,2}(?:paypal|card|visa|mastercard)(?: ending in \d+)?",
        "",
        said,
    )
    places = [(m.end(), kind) for word, kind in kinds.items() for m in re.finditer(word, said)]
    if not places:
        return list(methods) if len(methods) == 1 else []
    kind = max(places)[1]
    if not kind:
        return [original]
    return [m for m, d in methods.items() if kind in (d["source"], d.get("brand"))]


def address(text: str) -> dict[str, str] | None:
    found = list(_STREET.finditer(text))
    if not found:
        return None
    parts = {key: value or "" for key, value in found[-1].groupdict().items()}
    return {**parts, "country": "USA"}


def spoken_of(items: list[Item], text: str) -> list[tuple[Item, str]]:
    """The items a text names by id or kind, each with the stretch of text that is about it."""
    places = []
    for item in items:
        found = re.search(re.escape(item["item_id"]), text) or _kind_pattern(item["name"]).search(
            text
        )
        if found:
            places.append((found.start(), item))
    places.sort(key=lambda place: place[0])
    starts = sorted({start for start, _ in places})
    ends = dict(pairwise([*starts, len(text)]))
    return [(item, _before(text, start) + text[start : ends[start]]) for start, item in places]


def _before(text: str, start: int) -> str:
    """The words right before a noun: "the black" of "the black lamp"."""
    return " ".join(re.split(r"[,.;]|\band\b|\bfor\b|\bto\b", text[:start])[-1].split()[-3:]) + " "


def _kind_pattern(name: str) -> re.Pattern[str]:
    """A product's full name, or its last telling word where no other word leads on to another."""
    words = [word for word in name.split() if word.lower() not in _GENERIC]
    head = re.escape(words[-1].rstrip("s"))
    return re.compile(
        rf"\b(?:{re.escape(name)}|{head})(?:e?s)?\b(?! (?:organizer|camera|drill)\b)", re.I
    )


def best_described(entries: list[Any], text: str) -> list[Any]:
    """The entries whose options the text names most of."""
    scores = [
        sum(_has(text, str(value)) for value in item["options"].values()) for _, item, _ in entries
    ]
    return [e for e, score in zip(entries, scores, strict=True) if score == max(scores)]


def product_names(types: dict[str, str], text: str) -> list[str]:
    return [name for name in types if _kind_pattern(name).search(text)]


def matching_variants(product: dict[str, Any], item: Item, text: str) -> list[dict[str, Any]]:
    """The available variants that fit what is said, the most like the old item."""
    text = re.sub(r"(?:in|of|from) (?:my )?(?:pending |delivered )?order #?W\d{7}", "", text)
    text = re.sub(
        r"(?:instead of|rather than) [\w -]+?(?=[,.;]|$| and\b| with\b| in\b|, )", "", text
    )
    target = re.split(r"\b(?:for|to|into|with|in|as|be|a|cheapest)\b", text, maxsplit=1)[-1]
    wanted = _wanted_options(product, target)
    available = [v for v in product["variants"].values() if v["available"]]
    same = re.search(r"\b(?:exact(?:ly)? )?same (?:item|one|variant|thing|model)\b", text, re.I)
    fitting = [
        variant
        for variant in available
        if all(str(variant["options"].get(key)) in values for key, values in wanted.items())
        and (same or wanted or variant["item_id"] != item["item_id"])
    ]
    if not same:
        fitting = [v for v in fitting if v["item_id"] != item["item_id"]] or fitting
    told = [v for v in fitting if describe({**item, **v}) in text]
    if told:
        return told[-1:]
    for pick, words in ((min, r"cheapest|least expensive"), (max, r"most expensive")):
        if fitting and re.search(words, text, re.I):
            return [pick(fitting, key=lambda variant: variant["price"])]
    if not wanted and not same:
        return fitting
    likeness = [
        sum(v["options"][k] == old for k, old in item["options"].items() if k not in wanted)
        for v in fitting
    ]
    return [v for v, score in zip(fitting, likeness, strict=True) if score == max(likeness)]


def _wanted_options(product: dict[str, Any], text: str) -> dict[str, set[str]]:
    wanted: dict[str, set[str]] = {}
    for variant in product["variants"].values():
        for key, value in variant["options"].items():
            if str(value).isdigit():
                number = rf"(?:{value}|{_NUMBERS.get(str(value), value)})"
                if re.search(
                    rf"\b{number} {key}|\b{number} {key.rstrip('s')}\b|\b{key}s? {number}\b",
                    text,
                    re.I,
                ):
                    wanted.setdefault(key, set()).add(str(value))
            elif value in ("yes", "no"):
                if re.search(rf"\b(?:no|without|non|not?) (?:\w+ )?{key}", text, re.I):
                    wanted[key] = {"no"}
                elif re.search(rf"\b{key}", text, re.I):
                    wanted[key] = {"yes"}
            elif _has(text, str(value)):
                wanted.setdefault(key, set()).add(str(value))
    return wanted


def _has(text: str, value: str) -> bool:
    loose = re.escape(value.lower()).replace(r"\ ", r"[ -]?")
    if len(value) <= 2 and value.isalpha():
        return re.search(rf"(?<![\w'’]){re.escape(value)}(?![\w'’])", text) is not None
    return re.search(rf"(?<![\w.]){loose}(?![\w])", text.lower()) is not None


def describe(item: Item) -> str:
    options = ", ".join(f"{key} {value}" for key, value in item["options"].items())
    return f"{item['name']} ({options}; ${item['price']:.2f})"


def method_name(method: dict[str, Any]) -> str:
    kind = method["source"].replace("_", " ")
    if "balance" in method:
        return f"{kind} with a balance of ${method['balance']:.2f}"
    return (
        f"{method['brand']} {kind} ending in {method['last_four']}" if "brand" in method else kind
    )


def catalogue_entry(product: dict[str, Any]) -> str:
    available = [v for v in product["variants"].values() if v["available"]]
    ordered = sorted(available, key=lambda variant: variant["price"])
    listed = "; ".join(describe({"name": "", **v}).strip() for v in ordered)
    return (
        f"{product['name']}: {len(available)} options are available, from the cheapest up: {listed}"
    )


def order_summary(order: dict[str, Any]) -> str:
    items = "; ".join(describe(item) for item in order["items"])
    tracking = ", ".join(t for parcel in order["fulfillments"] for t in parcel["tracking_id"])
    total = round(sum(item["price"] for item in order["items"]), 2)
    where = order["address"]
    return (
        f"Order {order['order_id']} is {order['status']}: {items}. Total: ${total:.2f}. Address: "
        f"{where['address1']}, {where['city']}. Tracking: {tracking or 'none yet'}."
    )

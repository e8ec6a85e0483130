"""Payment methods as people and agents name them, and whether two names can mean the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pytest_taubench.schema import Request
from pytest_taubench.users.scripted.lexicon import slot_name
from pytest_taubench.users.scripted.sentences import split_sentences

_METHOD = re.compile(
    r"(?P<id>\b(?:credit_card|gift_card|paypal|certificate)_\d+)"
    r"|(?P<gift>\bgift[ _]?cards?)|(?P<paypal>\bpay ?pal\b)|(?P<certificate>\bcertificates?|\bvouchers?)"
    r"|(?:(?P<brand>\bvisa|\bmastercard|\bamerican express|\bamex|\bdiners(?: club)?|\bdiscover)(?: (?:credit |debit )?cards?)?|\bcredit[ _]cards?|\bcards?(?= ending))"
    r"(?:[ (,]*(?:ending|that ends|number)?(?: in| with)?[ *x.•#]*(?<!\d)(?P<digits>\d{4})(?!\d))?",
    re.I,
)
# What money is taken away from, or was paid with before, is not what will be used.
_NOT_USED = re.compile(
    r"\b(?:instead of|rather than|not|other than|from|was paid (?:with|on|by)|were paid (?:with|on|by)|"
    r"(?:i|you) (?:had )?(?:originally )?paid (?:\w+ ){0,3}with)\s+(?:\w+ ){0,2}$",
    re.I,
)
_SHORT = 8  # words of "Please use my Mastercard for all of it."
_ORIGINAL = re.compile(r"\boriginal (?:form of )?payment", re.I)
_UNDECIDED = re.compile(r"\?|\b(?:if|or|unless|how much|what|which|balance|left|remains?|holds?)\b", re.I)  # fmt: skip


@dataclass(frozen=True)
class Method:
    """A payment method as far as a text names it; an empty part is not named."""

    kind: str
    brand: str = ""
    digits: str = ""
    key: str = ""

    def may_be(self, other: Method) -> bool:
        """Can both names mean one method?"""
        return self.kind == other.kind and all(
            not mine or not theirs or mine == theirs
            for mine, theirs in (
                (self.brand, other.brand),
                (self.digits, other.digits),
                (self.key, other.key),
            )
        )


def methods_in(text: str) -> list[Method]:
    """Return the payment methods that a text says are used, in its order."""
    found: list[Method] = []
    for match in _METHOD.finditer(text):
        before = text[: match.start()]
        if match["id"] and found and before.endswith("("):
            found[-1] = replace(found[-1], key=match["id"])  # "PayPal (paypal_1234567)"
        elif not _NOT_USED.search(before):
            found.append(_method(match))
    return found


def against_payment(proposal: str, wanted: Sequence[str]) -> list[str]:
    """Return what in a proposal goes against the payment methods that are wanted.

    Of one wanted method it is enough that it is named; of several none but these may be.
    """
    meant = [method for value in wanted for method in _meant(value)]
    named = methods_in(proposal)
    if not meant:
        return []
    gift_card = all(method.kind == "gift card" for method in meant)
    if not named and gift_card and _ORIGINAL.search(proposal):
        return [f"I want {' or '.join(map(_called, wanted))}, not the original payment method."]
    wrong = [method for method in named if not any(method.may_be(m) for m in meant)]
    if not wrong or (len(meant) == 1 and len(wrong) < len(named)):
        return []
    others = " or ".join(dict.fromkeys(_said(method) for method in wrong))
    return [f"I want {' or '.join(map(_called, wanted))}, not {others}."]


def only_names_payment(detail: str, proposal: str) -> bool:
    """Does a detail only name a payment method, which the proposal names too?"""
    methods, proposed = methods_in(detail), methods_in(proposal)
    if not methods or len(detail.split()) > _SHORT or _UNDECIDED.search(detail):
        return False
    return all(any(method.may_be(other) for other in proposed) for method in methods)


def wanted_payment(request: Request) -> list[str]:
    """Return the methods a request is settled with: those it lists, else those its words fix."""
    listed = [v for key, values in request.wants.items() if slot_name(key) == "payment" for v in values]  # fmt: skip
    if listed:
        return listed
    told = [s for text in (request.say, *request.details) for s in split_sentences(text)]
    named = {_said(m): m for s in told if not _UNDECIDED.search(s) for m in methods_in(s)}
    return list(named) if len(named) == 1 else []


def _method(match: re.Match[str]) -> Method:
    if match["id"]:
        kind = match["id"].rpartition("_")[0].lower().replace("_", " ")
        return Method(kind, key=match["id"])
    for group, kind in (
        ("gift", "gift card"),
        ("paypal", "paypal"),
        ("certificate", "certificate"),
    ):
        if match[group]:
            return Method(kind)
    return Method("credit card", (match["brand"] or "").lower(), match["digits"] or "")


def _meant(value: str) -> list[Method]:
    if re.fullmatch(r"\d{4}", value.strip()):
        return [Method("credit card", digits=value.strip())]
    return [_method(match) for match in _METHOD.finditer(value)]


def _called(value: str) -> str:
    if re.fullmatch(r"\d{4}", value.strip()):
        return f"my card ending in {value}"
    return value if re.match(r"(?:my|the)\b", value, re.I) else f"my {value}"


def _said(method: Method) -> str:
    if method.kind == "paypal":
        return "PayPal"
    names = {"visa": "Visa card", "": method.kind}
    name = names.get(method.brand, method.brand.title())
    return f"{name} ending in {method.digits}" if method.digits else name

"""Does a proposal match what the user wants? And which of several options does?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_taubench.schema import Request
from pytest_taubench.users.scripted.facts import STREET
from pytest_taubench.users.scripted.lexicon import (
    FAMILIES,
    IDENTIFIERS,
    canonical,
    family_values,
    identifiers,
    operations,
    slot_name,
)
from pytest_taubench.users.scripted.sentences import content_words, mentions

_CHEAPEST = re.compile(r"\bcheap|\blow(?:est|er)[ -]?(?:price|cost|fare)|\bless expensive|least expensive", re.I)  # fmt: skip
_DEAREST = re.compile(r"\bmost expensive|\bhighest[ -]?price|\bpriciest", re.I)
# Options of goods: a proposal that states one of these states what one will get.
_OPTIONS = frozenset(
    {
        "color",
        "size",
        "material",
        "capacity",
        "storage",
        "memory",
        "height",
        "length",
        "width",
        "style",
        "type",
    }
)
_LEFT_ALONE = re.compile(
    r"\b(?:keep|keeping|except|not|without|leave|leaving|but|instead of|rather than|stays?)\b|n't\b",
    re.I,
)
_PRICE = re.compile(r"\$ ?(\d[\d,]*(?:\.\d+)?)")
# Operations that nobody takes for one another.
_DISTINCT = frozenset({"cancel", "return", "exchange"})


def contradictions(proposal: str, request: Request) -> list[str]:
    """Return what in a proposal goes against the request, each said by the user.

    Silence of the proposal on a wish is no contradiction, since nobody repeats everything.
    """
    unwanted = [word for word in request.avoid if _proposes(proposal, word)]
    found = [f"Please leave {' and '.join(unwanted)} out of it."] if unwanted else []
    for key, values in request.wants.items():
        if values:
            found += _against(proposal, slot_name(key), values)
    return found + _other_operation(proposal, request)


def _proposes(proposal: str, word: str) -> bool:
    """Is the word part of what is to be done, and not of what is left alone?"""
    for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", proposal, re.I):
        before = re.split(r"[.;:\n]", proposal[: match.start()])[-1]
        if not _LEFT_ALONE.search(before):
            return True
    return False


def _against(proposal: str, key: str, values: Sequence[str]) -> list[str]:
    said = canonical(proposal)
    wanted = " or ".join(values)
    if any(_mentioned(said, proposal, value) for value in values):
        return []
    for family in FAMILIES:
        kinds = {v for value in values for v in family_values(value, family)}
        rivals = family_values(proposal, family) - kinds
        if kinds and rivals and not kinds & family_values(proposal, family):
            return [f"I want {_noun(family, wanted)}, not {' or '.join(sorted(rivals))}."]
        if kinds and family == "payment" and re.search(r"\boriginal payment", said):
            return [f"I want my {wanted}, not the original payment method."]
    for kind in IDENTIFIERS:
        if all(identifiers(value, kind) for value in values) and identifiers(proposal, kind):
            if _names_kind(kind, key):
                return [f"I mean {wanted}, not {' or '.join(sorted(identifiers(proposal, kind)))}."]
            return []
    if key == "address":
        streets = STREET.findall(proposal)
        return [f"The address is {values[0]}, not {streets[-1]}."] if streets else []
    return _other_value(said, key, values)


def _names_kind(kind: str, key: str) -> bool:
    """An item's id in a proposal says nothing against a wish about an order."""
    return key in (kind, "payment" if kind == "payment_id" else kind, "item", "new_item")


def _noun(family: str, wanted: str) -> str:
    return f"my {wanted}" if family == "payment" else wanted


def _mentioned(said: str, proposal: str, value: str) -> bool:
    if value in ("yes", "no"):
        return False
    return mentions(said, canonical(value)) or mentions(proposal, value)


def _other_value(said: str, key: str, values: Sequence[str]) -> list[str]:
    """As "bags: 3" against a wish for two, or "insurance: yes" against a wish for none."""
    word = re.escape(key.replace("_", " ").rstrip("s"))
    if key in _OPTIONS and re.search(rf"\b{word}\W+\w", said):
        return [f"I want the {key} to be {' or '.join(values)}."]
    if set(values) <= {"yes", "no"}:
        refused = re.search(rf"\b(?:no|without|not? \w*) (?:\w+ )?{word}|{word}\w*\W+(?:no|none|not)\b", said)  # fmt: skip
        agreed = not refused and re.search(rf"\b(?:with|add|includ\w+|purchas\w+) (?:\w+ )?{word}|{word}\w*\W+(?:yes|added|included)\b", said)  # fmt: skip
        if "yes" in values and refused:
            return [f"I do want {key.replace('_', ' ')}."]
        if "no" in values and agreed:
            return [f"I don't want {key.replace('_', ' ')}."]
        return []
    if all(value.isdigit() for value in values):
        numbers = re.findall(rf"\b(\d+) (?:\w+ )?{word}|{word}\w*\W{{1,4}}(\d+)\b", said)
        found = {a or b for a, b in numbers}
        if found and not found & set(values):
            return [f"I want {' or '.join(values)} {key.replace('_', ' ')}."]
    return []


def _other_operation(proposal: str, request: Request) -> list[str]:
    wanted, proposed = operations(request.say), operations(proposal)
    if not wanted & _DISTINCT or not proposed & _DISTINCT or wanted & proposed:
        return []
    if "modify" in wanted and "exchange" in proposed:
        return []
    return [f"I don't want to {min(proposed & _DISTINCT)} anything. {request.say}"]


def fits(proposal: str, request: Request) -> bool:
    """Is the proposal about what the request asks, and not against it?"""
    if contradictions(proposal, request):
        return False
    wanted = operations(request.say)
    shared = content_words(proposal) & content_words(request.say)
    return bool(wanted & operations(proposal)) or len(shared) >= 2


def choose(options: Sequence[str], request: Request, wishes: Sequence[str]) -> str | None:
    """Return the option that the wishes single out, or None.

    Args:
        options: What the agent offers.
        request: The request; its ``choose`` comes first.
        wishes: What the user said of it.
    """
    left = list(options)
    for wanted in request.choose:
        narrowed = _by_price(left, wanted) or [o for o in left if mentions(canonical(o), canonical(wanted))]  # fmt: skip
        if len(narrowed) == 1:
            return narrowed[0]
        left = narrowed or left
    said = canonical(" ".join(wishes))
    asked, target = content_words(said), content_words(_target(said))
    words = [content_words(canonical(option)) for option in left]
    scores = [len(option & asked) + 2 * len(option & target) for option in words]
    best = [o for o, score in zip(left, scores, strict=True) if score == max(scores, default=0)]
    if len(best) > 1:
        best = _by_price(best, " ".join(wishes)) or best
    return best[0] if len(best) == 1 and max(scores, default=0) > 0 else None


def _target(wish: str) -> str:
    """What a wish wants to end up with: "black" of "change the red lamp to black"."""
    wish = re.sub(r"\b(?:in|of|from) (?:my )?(?:\w+ )?(?:order )?#\w+", "", wish)
    wish = re.sub(r"\b(?:want|like|need|wish|have) to\b", "", wish)
    wish = re.sub(r"\b(?:instead of|rather than|not) [\w-]+", "", wish)
    return " ".join(re.split(r"\b(?:for|to|into|in|as|be|with)\b", wish)[1:])


def _by_price(options: Sequence[str], wish: str) -> list[str]:
    pick = min if _CHEAPEST.search(wish) else max if _DEAREST.search(wish) else None
    prices = [(m, option) for option in options if (m := _PRICE.search(option))]
    if pick is None or not prices:
        return []
    return [pick(prices, key=lambda pair: float(pair[0][1].replace(",", "")))[1]]

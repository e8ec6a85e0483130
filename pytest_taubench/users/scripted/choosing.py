"""Which of several options fits the wish?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_taubench.schema import Request
from pytest_taubench.users.scripted.lexicon import canonical, slot_name
from pytest_taubench.users.scripted.options import states_option
from pytest_taubench.users.scripted.sentences import content_words, mentions

_CHEAPEST = re.compile(r"\bcheap|\blow(?:est|er)[ -]?(?:price|cost|fare)|\bless expensive|least expensive", re.I)  # fmt: skip
_DEAREST = re.compile(r"\bmost expensive|\bhighest[ -]?price|\bpriciest", re.I)
_PRICE = re.compile(r"\$ ?(\d[\d,]*(?:\.\d+)?)")
# Not options of goods, so that no listed variant is told apart by them.
_NO_OPTIONS = frozenset({"payment", "order_id", "reservation_id", "reason", "cabin", "insurance"})


def choose(
    options: Sequence[str], request: Request, wishes: Sequence[str], *, existing: bool = False
) -> str | None:
    """Return the option that the wishes single out, or None.

    Args:
        options: What the agent offers.
        request: The request; its ``choose`` comes first.
        wishes: What the user said of it.
        existing: True when the question is which of its things the user means, not what it wants.
    """
    left = list(options) if existing else _wanted(options, request)
    if len(left) == 1:
        return left[0]
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


def _wanted(options: Sequence[str], request: Request) -> list[str]:
    """The options that state most of the values that are wanted."""
    wants = [(key, vs) for key, vs in request.wants.items() if slot_name(key) not in _NO_OPTIONS]
    states = [
        sum(any(states_option(canonical(o), key, v) for v in vs) for key, vs in wants)
        for o in options
    ]
    if max(states, default=0) == 0:
        return list(options)
    return [option for option, count in zip(options, states, strict=True) if count == max(states)]


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

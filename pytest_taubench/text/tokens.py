"""Words and numbers of a text, as a reader takes them: ``$1,628.00`` is the number 1628.

A number is a token of its own only where it stands by itself. Digits inside an id
(``credit_card_1061405``, ``HAT136``, ``#10``), a date, a time or an ordinal are part of that word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

# All of it reads casefolded text.
_CODES = "usd|eur|gbp|cad|aud|chf|jpy"
_CURRENCY = rf"(?:(?:us|ca|au|nz|hk)?[$€£¥₹]|(?<![^\W_])(?:{_CODES})\s?)"
_CURRENCY_AFTER = rf"(?:\s?(?:{_CODES}|dollars?|euros?)(?![^\W_])|\s?[€£¥₹])"
# Atomic, so that "1,628x" is refused whole instead of being read as 1.
_AMOUNT = (
    r"(?P<amount>(?>(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9])|0(?![0-9])|[1-9][0-9]*)"
    r"(?:\.[0-9]+)?|(?<!\.)\.[0-9]+))"
)
_ENDS = r"(?![^\W_])(?!_[^\W_])(?!\.[0-9])"
_BEGINS = r"(?<![^\W_])"
# Not inside an id; a hyphen after an amount of money (1,628-1,700) is that of a range.
_STANDS_ALONE = r"(?<![#@])(?:(?<![^\W_][_-])|(?<=[0-9]\.[0-9]{2}-)|(?<=,[0-9]{3}-))"

_JOINED = rf"{_BEGINS}[0-9]+(?:(?:[-/:][0-9]+)+|(?:\.[0-9]+){{2,}}){_ENDS}"
_NUMBER = (
    rf"(?:(?P<sign>{_BEGINS}[-+−])?(?P<inner>{_CURRENCY}[-+−]?)"
    rf"|{_BEGINS}{_STANDS_ALONE}(?P<lone>[-+−])?)"
    rf"{_AMOUNT}(?:(?P<percent>\s?%|\s?percent(?![^\W_]))|{_CURRENCY_AFTER})?{_ENDS}"
)
_WORD = r"[^\W_]+(?:'[^\W_]+)*"
# Most of a text, so tried first: a word that begins with a letter and no currency.
_PLAIN = rf"(?!(?:{_CODES})\s?[-+−]?[.0-9]|(?:us|ca|au|nz|hk)[$€£¥₹])[^\W\d_][^\W_]*(?:'[^\W_]+)*"
# In this order: a date is no number, and a number no word.
_TOKEN = re.compile(rf"{_PLAIN}|(?=[-+−.$€£¥₹\w])(?:{_JOINED}|{_NUMBER}|{_WORD})")


class Number(NamedTuple):
    """A number by its value; ``10%`` is not ``10``."""

    value: Decimal
    percent: bool = False


Token = Number | str


def tokenize(text: str) -> list[Token]:
    """Return the words, casefolded, and numbers of a text, in order."""
    plain = text.casefold().replace("’", "'")
    return [
        match[0] if match["amount"] is None else _number(match) for match in _TOKEN.finditer(plain)
    ]


def contains(text: Sequence[Token], part: Sequence[Token]) -> bool:
    """Tell whether the tokens of ``part`` stand in ``text``, one after the other."""
    first, size = part[0], len(part)
    if first not in text:
        return False
    wanted = list(part)
    return any(
        token == first and list(text[start : start + size]) == wanted
        for start, token in enumerate(text)
    )


def _number(match: re.Match[str]) -> Number:
    value = Decimal(match["amount"].replace(",", ""))
    signs = f"{match['sign'] or ''}{match['inner'] or ''}{match['lone'] or ''}"
    negative = "-" in signs or "−" in signs
    return Number(-value if negative else value, match["percent"] is not None)

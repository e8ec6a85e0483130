"""The words of a text, brought to one form so that records and wishes can be compared."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import date
from functools import lru_cache
from typing import Any

_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_ORDINAL = re.compile(r"^(\d+)(?:st|nd|rd|th)$")
_SENTENCE_END = re.compile(r"[.;!?](?=\s|$)")
_CLAUSE_END = re.compile(r"[.;!?,:)(](?=\s|$)|\s\(")
_NUMBER_WORDS = dict(
    zip(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ],
        map(str, range(13)),
        strict=True,
    )
)
_SPELLINGS = {
    "gray": "grey",
    "colour": "color",
    "colored": "color",
    "aluminum": "aluminium",
    "needed": "need",
}

COMMON = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "with",
        "in",
        "and",
        "or",
        "to",
        "for",
        "on",
        "by",
        "at",
        "from",
        "is",
        "it",
        "as",
        "no",
        "not",
        "none",
        "yes",
        "per",
    ]
)
"""Words that tell nothing about the value they stand in."""


class Words:
    """A text as a list of words, each in one form: lower case, singular, numbers as digits.

    Args:
        text: The text.
    """

    def __init__(self, text: str) -> None:
        self.raw = text
        self.words: list[str] = []
        starts: list[int] = []
        for match in _TOKEN.finditer(text):
            self.words.append(stem(match[0]))
            starts.append(match.start())
        self.sentence = _parts(starts, _SENTENCE_END.finditer(text))
        self.clause = _parts(starts, _CLAUSE_END.finditer(text))

    @staticmethod
    def of(value: Any) -> list[str]:
        """Return the words of a value."""
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        return [stem(token) for token in _TOKEN.findall(str(value))]

    def has(self, *phrases: Sequence[str]) -> bool:
        """Tell whether one of the phrases stands in the text."""
        return any(True for phrase in phrases for _ in self.places(phrase))

    def has_any(self, words: frozenset[str]) -> bool:
        """Tell whether one of the words stands in the text."""
        return not words.isdisjoint(self.words)

    def places(self, phrase: Sequence[str]) -> Iterator[int]:
        """Yield where a phrase begins."""
        size = len(phrase)
        if not size:
            return
        for start, word in enumerate(self.words):
            if word == phrase[0] and self.words[start : start + size] == list(phrase):
                yield start


def _parts(starts: Sequence[int], ends: Iterator[re.Match[str]]) -> list[int]:
    """Return for each word how many sentences or clauses have ended before it."""
    places = [match.end() for match in ends]
    return [bisect_right(places, start) for start in starts]


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return a word's one form: ``Shoes`` as ``shoe``, ``two`` as ``2``, ``22nd`` as ``22``."""
    word = word.casefold().replace("’", "'").removesuffix("'s")
    word = _NUMBER_WORDS.get(word, word)
    ordinal = _ORDINAL.match(word)
    if ordinal:
        return ordinal[1]
    word = _SPELLINGS.get(word, word)
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-3] + "y" if word.endswith("ies") and len(word) > 4 else word[:-1]
    return word


def date_phrases(value: Any) -> list[list[str]]:
    """Return how a text may write a date that records hold as ``2024-05-22``."""
    try:
        day = date.fromisoformat(value)
    except (TypeError, ValueError):
        return []
    month, number = stem(_MONTHS[day.month - 1]), str(day.day)
    phrases = [[name, number] for name in {month, month[:3]}]
    phrases += [[number, *of, name] for name in {month, month[:3]} for of in ([], ["of"])]
    return phrases


_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
